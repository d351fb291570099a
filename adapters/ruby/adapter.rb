# frozen_string_literal: true

# The loop of a conformance adapter: one JSON question per line in, one JSON reply per line out.
# What it offers is in signing.rb; the messages are those of PROTOCOL.md.

require "json"

# The name keeps the names of the kit and of an SDK apart.
module SvcConformance

# The replies alone go to standard output: what an SDK prints goes to standard error.
REPLIES = $stdout.dup
REPLIES.sync = true
$stdout.reopen($stderr)

require_relative "signing"

module_function

# Pairs of surrogates, halves of one (the group) and any other escape.
ESCAPES = /\\u[dD][89abAB]\h\h\\u[dD][c-fC-F]\h\h|(\\u[dD][89a-fA-F]\h\h)|\\./

# The message, and whether it holds an unpaired surrogate, of which JSON.parse makes an error or broken text.
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
  raise Refusal.new("text", "an unpaired surrogate has no UTF-8 bytes") if halved

  signing = Signing.new(**question[:keys], **dialect)
  signing.public_send(operation.tr("-", "_"), **question[:input])
rescue Refusal => e
  { refused: { reason: e.reason, message: e.message } }
rescue Unsupported => e
  { unsupported: e.message }
rescue StandardError, ScriptError, SystemStackError => e
  place = e.backtrace_locations&.first
  { error: "#{e.class}: #{e.message}#{" (#{place.path}:#{place.lineno})" if place}" }
end

$stdin.set_encoding(Encoding::UTF_8)
dialect = nil

begin
  $stdin.each_line do |line|
    message, halved = read_message(line)
    answer = dialect ? { n: message[:n], **reply(message, halved, dialect) } : hello_reply
    dialect ||= message[:dialect]
    REPLIES.write("#{JSON.generate(answer)}\n")
  end
rescue EncodingError => e
  abort e.message
end

end
