/// What your implementation has, operation by operation; the other files stay as they are. Report what your implementation
/// gives and repair nothing: no trimming, no re-encoding, no retry. What your SDK needs to be found goes into the build command
/// of adapter.json: its files, -I, -L, -l. The namespace keeps the names of the kit and of your SDK apart.
#include "operations.hpp"

// In this file it is a mistake; what the SDK's sources may do is left to the compiler's own defaults.
#pragma GCC diagnostic error "-Wreturn-type"

namespace kit {

std::string implementationName() { return "my-sdk"; }

std::string implementationVersion() { return "0"; }

namespace {

/// The value of the Authorization header (5.2), of what the question holds:
///
///   question.asked.text("input.method"), "input.bucket", "input.key": "PUT", "demo", "a.txt"
///   question.asked.pairs("input.headers"): the names and values, in order
///   question.keys, question.words: the key pair, and the words of the service ("Svc", "X-Svc-", "SvcPublicKey")
///
/// Ask for all of them: an adapter that answers without having read its question ends. Call your SDK with them, and then
/// reply.result("authorization", value); the stages it shows go into reply.trace("stringToSign", text). A deliberate no of your
/// SDK is throw Refusal(reason, message); any other exception says that it broke. Where it has no way to express the input, such
/// as a header name twice: throw Unsupported(why); neither a pass nor a failure.
void authorization([[maybe_unused]] Question& question, [[maybe_unused]] Reply& reply) {
    throw std::logic_error("fill in authorization() in operations.cpp");
}

}  // namespace

const std::vector<Operation>& operations() {
    static const std::vector<Operation> all = {
        {"authorization", authorization},
        // The next one is one line and one function; PROTOCOL.md names them all: {"presigned-url", presignedUrl},
    };
    return all;
}

/// The stages that your implementation lets anybody see, of those in PROTOCOL.md; "stringToSign" explains the most.
const std::vector<std::string>& traces() {
    static const std::vector<std::string> none = {};
    return none;
}

}  // namespace kit
