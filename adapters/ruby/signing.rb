# frozen_string_literal: true

# All operations of the adapter protocol with Ruby's standard library, written from the specification.
#
# To judge your own SDK, replace the body of a public method by calls to it and leave out of `trace`
# what it does not show. Each method takes the members of the question's input by name.

require "digest"
require "json"
require "openssl"
require "stringio"
require "strscan"

module SvcConformance

IMPLEMENTATION = { name: "ruby", version: "1.0.0", language: "ruby" }.freeze

# The stages that `trace` may show; take out what your implementation does not let anybody see.
TRACES = %w[
  sortedParameters canonicalHeaders canonicalResource stringToSign
  digest signature encodedSignature blockCount
].freeze

# A deliberate no, to sign or to accept; the reason is a code of the protocol.
class Refusal < StandardError
  attr_reader :reason

  def initialize(reason, message)
    super(message)
    @reason = reason
  end
end

# The loop takes it from implementations that have no way to express an input; this one has.
class Unsupported < StandardError; end

class Signing
  # Named as in the protocol; the method of `url-encode` is url_encode.
  OPERATIONS = %w[
    url-encode password action-signature action-json action-query bucket-request
    authorization form-authorization policy policy-authorization instant-upload presigned-url
    etag part-etag verify-authorization verify-presigned-url verify-query verify-json
  ].freeze

  TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/
  FIELD_NAME = /\A(#{TOKEN})[ \t]*\z/
  # From the first to the last character that is no blank: `strip` would also eat line ends and NULs.
  WITHOUT_OUTER_BLANKS = /[^ \t](?:.*[^ \t])?/m
  # A line end is a fold where a blank follows it.
  UNSENDABLE = /\0|\r(?!\n)|\n(?![ \t])/
  NUMBER = /\A(?<sign>-?)(?<whole>0|[1-9][0-9]*)(?:\.(?<fraction>[0-9]+))?(?:[eE](?<exponent>[+-]?[0-9]+))?\z/
  # Plain decimal text has no exponent, so 1e999999999 would take a gigabyte.
  LARGEST_EXPONENT = 1_000_000
  URL = %r{\Ahttps?://(?<host>[^/?#@]+)(?:/(?<path>[^?#]*))?(?:\?(?<query>[^#]*))?\z}i
  CREDENTIALS = /\A([^ \t:]+):([^ \t:]+)(?::([^ \t:]+))?\z/
  # No text limits Expires; sixteen digits are microseconds, which this project takes for a mistake.
  UNIX_SECONDS = /\A[0-9]{1,15}\z/
  BLOCK_SIZE = 4 * 1024 * 1024

  def initialize(publicKey:, privateKey:, scheme:, headerPrefix:, publicKeyParameter:)
    @public_key = publicKey
    @private_key = privateKey
    @scheme = scheme
    @header_prefix = headerPrefix.downcase
    @public_key_parameter = publicKeyParameter
  end

  def url_encode(text:)
    { result: { encoded: encode(text) } }
  end

  def password(text:)
    { result: { value: base64(text) } }
  end

  def action_signature(parameters:)
    stages = sign_parameters(flatten_all(parameters))
    { result: { signature: stages[:signature] }, trace: stages }
  end

  def action_json(parameters:)
    flat = flatten_all(parameters)
    stages = sign_parameters(flat, %w[Action PublicKey])
    members = flat.map { |name, _, json| "#{JSON.generate(name)}:#{json}" }
    body = "{#{members.join(",")},\"Signature\":\"#{stages[:signature]}\"}"
    { result: { body: body }, trace: stages }
  end

  def action_query(parameters:)
    query, stages = sign_query(parameters, %w[Action PublicKey])
    { result: { query: query }, trace: stages }
  end

  def bucket_request(parameters:)
    required = %w[Action PublicKey]
    required += %w[Type BucketName] if parameters.include?(%w[Action CreateBucket])
    query, stages = sign_query(parameters, required)
    { result: { target: "/?#{query}" }, trace: stages }
  end

  def authorization(**request)
    stages = sign_by_headers(**request)
    { result: { authorization: credentials(stages) }, trace: stages }
  end

  def form_authorization(bucket:, key:, headers:, fields:)
    lines = field_lines(headers)
    # Unlike names of headers, names of form fields have a case.
    field = ->(name) { field_value(only(fields, name) || "") }
    positions = [only(lines, "content-md5") || field["Content-MD5"], field["Content-Type"], only(lines, "date")]
    stages = sign_file("POST", bucket, key, lines, positions)
    { result: { authorization: credentials(stages) }, trace: stages }
  end

  def policy(members:)
    json = members.map { |member| member.map { |text| JSON.generate(text) }.join(":") }
    { result: { policy: url_safe_base64("{#{json.join(",")}}") } }
  end

  def policy_authorization(policy:, **request)
    stages = sign_by_headers(**request, policy: policy)
    { result: { authorization: "#{credentials(stages)}:#{policy}" }, trace: stages }
  end

  def instant_upload(bucket:, key:, headers:, etag:, size:)
    stages = sign_by_headers(method: "POST", bucket: bucket, key: key, headers: headers)
    target = "/uploadhit?#{query_of("Hash" => etag, "FileName" => key, "FileSize" => size)}"
    { result: { target: target, authorization: credentials(stages) }, trace: stages }
  end

  def presigned_url(method:, bucket:, key:, headers:, expires:, scheme:, fileHost:)
    stages = sign_file(method, bucket, key, field_lines(headers), [nil, nil, expires])
    stages[:encodedSignature] = encode(stages[:signature])
    query = query_of(@public_key_parameter => @public_key, "Expires" => expires)
    path = key.split("/", -1).map { |segment| encode(segment) }.join("/")
    url = "#{scheme}://#{bucket}.#{fileHost}/#{path}?#{query}&Signature=#{stages[:encodedSignature]}"
    { result: { url: url }, trace: stages }
  end

  def etag(content:)
    digests = blocks(content).map { |block| Digest::SHA1.digest(block) }
    digest = digests.one? ? digests.first : Digest::SHA1.digest(digests.join)
    {
      result: { etag: url_safe_base64([digests.size].pack("V") + digest) },
      trace: { blockCount: digests.size, digest: digest.unpack1("H*") },
    }
  end

  def part_etag(content:)
    sha1 = blocks(content).inject(Digest::SHA1.new) { |so_far, block| so_far << block }
    { result: { etag: url_safe_base64(sha1.digest) }, trace: { digest: sha1.hexdigest } }
  end

  def verify_authorization(headers:, **request)
    given = field_lines(headers).filter_map { |name, value| value if name == "authorization" }
    refuse "authorization-missing", "the request has no Authorization" if given.empty?
    form = given.one? && given.first.start_with?("#{@scheme} ") &&
           CREDENTIALS.match(given.first.delete_prefix("#{@scheme} "))
    form or refuse "authorization-malformed", "Authorization is not once \"#{@scheme} <key>:<signature>\""
    public_key, signature, policy = form.captures
    policy.nil? || (upload?(request[:method]) && policy?(policy)) or
      refuse "authorization-malformed", "a third part is a policy in Base64, and of an upload"
    check_account(public_key)
    accept(public_key, signature, sign_by_headers(**request, headers: headers, policy: policy))
  end

  def verify_presigned_url(method:, url:, headers:, fileHost:, now:)
    parts = URL.match(url) or refuse "url-malformed", "#{url.to_json} is no http URL"
    bucket = bucket_of(parts[:host], fileHost)
    key = decode(parts[:path].to_s, "url-malformed")
    pairs = query_pairs(parts[:query].to_s)
    signature, public_key, expires =
      ["Signature", @public_key_parameter, "Expires"].map { |name| only(pairs, name, "parameter-repeated") }
    refuse "signature-missing", "the URL has no Signature" if signature.to_s.empty?
    refuse "parameter-missing", "the URL has no #{@public_key_parameter}" if public_key.to_s.empty?
    refuse "parameter-missing", "the URL has no Expires" unless expires
    refuse "expires-malformed", "Expires is no count of seconds" unless expires.match?(UNIX_SECONDS)
    refuse "expired", "the URL has expired" if expires.to_i < now.to_i # before the signature

    check_account(public_key)
    stages = sign_file(method, bucket, key, field_lines(headers), [nil, nil, expires])
    accept(public_key, signature, stages)
  end

  def verify_query(query:)
    verify_parameters(query_pairs(query))
  end

  def verify_json(body:)
    verify_parameters(JsonText.new(body).members)
  end

  private

  def upload?(method)
    %w[PUT POST].include?(method.upcase)
  end

  # Base64 of a JSON object. Without this check, the end of another key passes as a policy.
  def policy?(text)
    padded = text.tr("-_", "+/") + "=" * (-text.size % 4)
    json = padded.unpack1("m0").force_encoding("UTF-8")
    json.valid_encoding? && JSON.parse(json).is_a?(Hash)
  rescue ArgumentError, JSON::ParserError
    false
  end

  def refuse(reason, message)
    raise Refusal.new(reason, message)
  end

  # §5.1

  # Triples of name, signed text and JSON, in the order of the names' bytes and without Signature.
  def flatten_all(parameters)
    signed = parameters.reject { |name, _| name == "Signature" } # R2
    signed.flat_map { |name, value| flatten(name, value) }.sort_by(&:first)
  end

  def flatten(name, value)
    case value
    in String then [[name, value, JSON.generate(value)]]
    in true | false then [[name, value.to_s, value.to_s]]
    in nil then refuse "parameter-null", "parameter #{name.to_json} is null"
    in { number: } then [[name, plain_decimal(number), plain_decimal(number)]]
    in { list: } then list.each_with_index.flat_map { |item, i| flatten("#{name}.#{i}", item) }
    in { object: } then object.flat_map { |inner, item| flatten("#{name}.#{inner}", item) }
    end
  end

  def plain_decimal(number)
    parts = NUMBER.match(number) or refuse "number", "#{number.to_json} is no number"
    units = (parts[:whole] + parts[:fraction].to_s).to_i
    return "0" if units.zero?

    exponent = parts[:exponent].to_i
    refuse "number", "#{number} is too long" if exponent.abs > LARGEST_EXPONENT
    places = parts[:fraction].to_s.size - exponent
    return "#{parts[:sign]}#{units * 10**-places}" if places <= 0

    whole, rest = units.divmod(10**places)
    fraction = rest.to_s.rjust(places, "0")[/.*[1-9]/]
    parts[:sign] + [whole, fraction].compact.join(".")
  end

  def sign_parameters(flat, required = [])
    names = flat.map(&:first)
    names.uniq.size == names.size or refuse "parameter-repeated", "a parameter is there twice"
    missing = required - names
    refuse "parameter-missing", "a request needs the parameter #{missing.first}" if missing.any?

    pairs = flat.map { |name, text, _| [name, text] }
    text = pairs.join + @private_key
    { sortedParameters: pairs, stringToSign: text, signature: Digest::SHA1.hexdigest(text) }
  end

  def sign_query(parameters, required)
    stages = sign_parameters(flatten_all(parameters), required)
    [query_of([*stages[:sortedParameters], ["Signature", stages[:signature]]]), stages]
  end

  # §5.2, §5.4

  # A header's value without its outer blanks, and with one space for each fold and the blanks around it.
  def field_value(value)
    refuse "header-value", "#{value.to_json} holds a line end that is no fold, or a NUL" if value.match?(UNSENDABLE)
    value.split(/\r?\n/).filter_map { |line| line[WITHOUT_OUTER_BLANKS] }.join(" ")
  end

  def field_lines(headers)
    headers.map do |raw_name, value|
      name = raw_name[FIELD_NAME, 1] or refuse "header-name", "#{raw_name.to_json} is no token"
      [name.downcase, field_value(value)]
    end
  end

  # The one value of a name, or nil.
  def only(pairs, name, reason = "header-repeated")
    values = pairs.filter_map { |found, value| value if found == name }
    refuse reason, "#{name} is there #{values.size} times" if values.size > 1
    values.first
  end

  def canonical_headers(lines)
    extra = lines.select { |name, _| name.start_with?(@header_prefix) }.group_by(&:first)
    extra.sort.map { |name, same| "#{name}:#{same.map(&:last).join(",")}\n" }.join
  end

  def sign_by_headers(method:, bucket:, key:, headers:, policy: nil)
    lines = field_lines(headers)
    positions = %w[content-md5 content-type date].map { |name| only(lines, name) }
    sign_file(method, bucket, key, lines, positions, policy)
  end

  # Signs the texts in the positions of Content-MD5, Content-Type and Date.
  def sign_file(method, bucket, key, lines, positions, policy = nil)
    method.match?(/\A#{TOKEN}\z/o) or refuse "method", "#{method.to_json} is no token"
    refuse "bucket", "#{bucket.to_json} names no bucket" if bucket.empty? || bucket.include?("/")

    headers = canonical_headers(lines)
    resource = "/#{bucket}/#{key}"
    text = [method.upcase, *positions, "#{headers}#{resource}#{policy}"].join("\n")
    digest = OpenSSL::HMAC.digest("SHA1", @private_key, text)
    {
      canonicalHeaders: headers,
      canonicalResource: resource,
      stringToSign: text,
      digest: digest.unpack1("H*"),
      signature: base64(digest),
    }
  end

  def credentials(stages)
    "#{@scheme} #{@public_key}:#{stages[:signature]}"
  end

  # §5.3

  def encode(text)
    escaped = text.b.gsub(/[^A-Za-z0-9\-_.~]+/n) { |bytes| bytes.unpack1("H*").upcase.gsub(/../, '%\0') }
    escaped.force_encoding(Encoding::UTF_8)
  end

  def decode(text, reason)
    decoded = text.b.gsub(/%(\h\h)/n) { $1.hex.chr }.force_encoding(Encoding::UTF_8)
    readable = decoded.valid_encoding? && !text.match?(/%(?!\h\h)/)
    readable ? decoded : refuse(reason, "#{text.to_json} is not percent-encoded UTF-8")
  end

  def query_of(pairs)
    pairs.map { |name, value| "#{encode(name)}=#{encode(value)}" }.join("&")
  end

  # `URI.decode_www_form` would read a plus as a space.
  def query_pairs(query)
    query.split("&").reject(&:empty?).map do |pair|
      name, _, value = pair.partition("=")
      [decode(name, "query-malformed"), decode(value, "query-malformed")]
    end
  end

  # §2

  def blocks(content)
    return enum_for(:blocks, content) unless block_given?

    io = content[:file] ? File.open(content[:file], "rb") : StringIO.new(content[:bytes].unpack1("m"))
    block = String.new
    yield block while io.read(BLOCK_SIZE, block)
  ensure
    io&.close
  end

  def base64(bytes)
    [bytes].pack("m0")
  end

  def url_safe_base64(bytes)
    base64(bytes).tr("+/", "-_")
  end

  # Verifiers

  def verify_parameters(parameters)
    signature = only(parameters, "Signature", "parameter-repeated")
    present = signature.is_a?(String) && !signature.empty?
    present or refuse "signature-missing", "the request has no text as its Signature"

    stages = sign_parameters(flatten_all(parameters), %w[Action PublicKey])
    public_key = only(stages[:sortedParameters], "PublicKey")
    check_account(public_key)
    accept(public_key, signature, stages)
  end

  def check_account(public_key)
    public_key == @public_key or refuse "public-key-unknown", "no account has this public key"
  end

  def accept(public_key, signature, stages)
    same = OpenSSL.secure_compare(signature, stages[:signature])
    same or refuse "signature-mismatch", "the account computes another signature"
    { result: { publicKey: public_key }, trace: stages }
  end

  def bucket_of(host, file_host)
    bucket = host[0...-(file_host.size + 1)].to_s
    same = !bucket.empty? && host.casecmp("#{bucket}.#{file_host}").zero?
    same ? bucket : refuse("url-malformed", "#{host.to_json} is not <bucket>.#{file_host}")
  end
end

# Reads JSON strictly and as written: `JSON.parse` takes comments, keeps the last of two names and rounds fractions.
class JsonText
  TEXT = %r{"(?:[^"\\\x00-\x1f]+|\\["\\/bfnrt]|\\u(?![dD][89a-fA-F])\h{4}|\\u[dD][89abAB]\h\h\\u[dD][c-fC-F]\h\h)*+"}
  NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/

  def initialize(json)
    @scanner = StringScanner.new(json)
  end

  # The members of the one object that the text is, with values as the protocol writes them.
  def members
    found = value
    found in { object: } or malformed
    @scanner.eos? ? object : malformed
  end

  private

  def malformed
    raise Refusal.new("body-malformed", "the body is no JSON object of values that can be signed")
  end

  # A token and the white space around it.
  def take(token)
    @scanner.skip(/[ \t\r\n]*/)
    found = @scanner.scan(token)
    @scanner.skip(/[ \t\r\n]*/)
    found
  end

  def value
    if take(/\{/) then { object: items(/\}/) { member } }
    elsif take(/\[/) then { list: items(/\]/) { value } }
    elsif (text = take(TEXT)) then JSON.parse(text)
    elsif (number = take(NUMBER)) then { number: number }
    elsif (word = take(/true|false/)) then word == "true"
    else malformed
    end
  end

  def items(closing)
    return [] if take(closing)

    found = [yield]
    found << yield while take(/,/)
    take(closing) ? found : malformed
  end

  def member
    name = take(TEXT) or malformed
    take(/:/) ? [JSON.parse(name), value] : malformed
  end
end

end
