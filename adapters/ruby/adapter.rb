# frozen_string_literal: true

# The loop of a conformance adapter: one JSON question per line in, one JSON reply per line out.
# What it offers is in signing.rb; the messages are those of PROTOCOL.md.

require "json"
require_relative "signing"

# Pairs of surrogates, halves of one (the group) and any other escape.
ESCAPES = /\\u[dD][89abAB]\h\h\\u[dD][c-fC-F]\h\h|(\\u[dD][89a-fA-F]\h\h)|\\./

# The message, and whether it holds half of a surrogate pair, of which JSON.parse makes an error or broken text.
def read_message(line)
  raise EncodingError, "a line of standard input is no UTF-8" unless line.valid_encoding?

  halved = false
  whole = line.gsub(ESCAPES) { |escape| $1 ? (halved = true) && "" : escape }
  message = JSON.parse(whole, symbolize_names: true, max_nesting: false)
  raise EncodingError, "a line of standard input is no JSON object" unless message.is_a?(Hash)

  [message, halved]
rescue JSON::ParserError
  # Not the parser's own message: it quotes the line, which may hold a private key.
  raise EncodingError, "a line of standard input is no JSON"
end

def hello_reply
  { protocol: 1, implementation: IMPLEMENTATION, operations: Signing::OPERATIONS, traces: TRACES, window: 64 }
end

def reply(question, halved, dialect)
  operation = question[:operation]
  return { unsupported: true } unless Signing::OPERATIONS.include?(operation)
  raise Refusal.new("text", "half of a surrogate pair has no UTF-8 bytes") if halved

  signing = Signing.new(**question[:keys], **dialect)
  signing.public_send(operation.tr("-", "_"), **question[:input])
rescue Refusal => e
  { refused: { reason: e.reason, message: e.message } }
rescue StandardError, SystemStackError => e
  { error: "#{e.class}: #{e.message}" }
end

$stdin.set_encoding(Encoding::UTF_8)
$stdout.sync = true
dialect = nil

begin
  $stdin.each_line do |line|
    message, halved = read_message(line)
    answer = dialect ? { n: message[:n], **reply(message, halved, dialect) } : hello_reply
    dialect ||= message[:dialect]
    $stdout.write("#{JSON.generate(answer)}\n")
  end
rescue EncodingError => e
  abort e.message
end
