# frozen_string_literal: true

# What your implementation has, operation by operation; the loop in adapter.rb stays as it is.
#
# Report what your implementation gives and repair nothing: no trimming, no re-encoding, no retry.

module SvcConformance

IMPLEMENTATION = { name: "my-sdk", version: "0", language: "ruby" }.freeze

# The stages that your implementation lets anybody see, of those in PROTOCOL.md. "stringToSign" explains the most.
TRACES = [].freeze

# A deliberate no of your implementation. Any other exception is an error of it.
class Refusal < StandardError
  attr_reader :reason

  def initialize(reason, message)
    super(message)
    @reason = reason
  end
end

# Your implementation has no way to express the input: raise Unsupported, why. Neither a pass nor a failure.
class Unsupported < StandardError; end

class Signing
  # The next one is one name here and one method; PROTOCOL.md names them all: "presigned-url" is presigned_url.
  OPERATIONS = %w[authorization].freeze

  # With the key pair, and with the words of the service: "Svc", "X-Svc-", "SvcPublicKey".
  def initialize(publicKey:, privateKey:, scheme:, headerPrefix:, publicKeyParameter:)
    @public_key = publicKey
    @private_key = privateKey
    @scheme = scheme
    @header_prefix = headerPrefix
    @public_key_parameter = publicKeyParameter
  end

  # The value of the Authorization header (§5.2), for example of "PUT", "demo", "a.txt", [["Content-Type", "text/plain"]].
  # Raise Unsupported where your SDK has no way to express the input, such as a header name twice.
  # Call your SDK, and return { result: { authorization: value }, trace: { stringToSign: text } }, with what it shows in trace.
  def authorization(method:, bucket:, key:, headers:)
    raise "fill in authorization() in signing.rb"
  end
end

end
