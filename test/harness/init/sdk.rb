# frozen_string_literal: true

# Stands for an SDK: signs a request by §5.2 and refuses what HTTP cannot carry. It is an untidy one: it prints, warns,
# and has names that a kit might have.

require "openssl"

TRACES = IMPLEMENTATION = ESCAPES = "mine"

class Refusal; end

class Signing < Refusal; end

def reply
  puts "a line of the SDK"
  system "echo a line of its program"
  warn "a deprecation", category: :deprecated
end

module Sdk
  TOKEN = /\A[!#$%&'*+.^_`|~0-9A-Za-z-]+\z/

  def self.refuse_if(condition, reason)
    raise SvcConformance::Refusal.new(reason, "no") if condition
  end

  def self.authorization(method, bucket, key, headers, keys, scheme, prefix)
    reply
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
