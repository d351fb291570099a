# frozen_string_literal: true

# Stands for an SDK: signs a request by §5.2 and refuses what HTTP cannot carry.

require "openssl"

module Sdk
  TOKEN = /\A[!#$%&'*+.^_`|~0-9A-Za-z-]+\z/

  def self.refuse_if(condition, reason)
    raise Refusal.new(reason, "no") if condition
  end

  def self.authorization(method, bucket, key, headers, keys, scheme, prefix)
    refuse_if(!method.match?(TOKEN), "method")
    refuse_if(bucket.empty? || bucket.include?("/"), "bucket")
    values = Hash.new { |all, name| all[name] = [] }
    headers.each do |name, value|
      name = trimmed(name)
      value = value.gsub(/[ \t]*(?:\r?\n[ \t]+)+/, " ")
      refuse_if(!name.match?(TOKEN), "header-name")
      refuse_if(value.match?(/[\r\n\0]/), "header-value")
      values[name.downcase] << trimmed(value)
    end
    lines = %w[content-md5 content-type date].map { |name| values[name].join(",") }
    extra = values.keys.sort.filter { |name| name.start_with?(prefix.downcase) }
    extra.map! { |name| "#{name}:#{values[name].join(",")}\n" }
    text = [method.upcase, *lines, extra.join].join("\n") + "/#{bucket}/#{key}"
    signature = [OpenSSL::HMAC.digest("SHA1", keys.last, text)].pack("m0")
    "#{scheme} #{keys.first}:#{signature}"
  end

  def self.trimmed(text)
    text.gsub(/\A[ \t]+|[ \t]+\z/, "")
  end
end
