/// The adapter protocol: hello first, then one reply for each question. Keep it; operations.cpp is yours to replace.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#define dup _dup
#define dup2 _dup2
#define fdopen _fdopen
#define fileno _fileno
#else
#include <unistd.h>
#endif

#include "operations.hpp"
#include "text.hpp"

namespace kit {

namespace {

/// Standard output for the replies alone: what an SDK prints goes to standard error.
std::FILE* replies() {
    const int copy = dup(fileno(stdout));
    std::FILE* const to = copy < 0 || dup2(fileno(stderr), fileno(stdout)) < 0 ? nullptr : fdopen(copy, "wb");
    if (to == nullptr) throw std::runtime_error("standard output cannot be kept for the replies");
    return to;
}

Dialect readHello(Message hello) {
    if (hello.text("protocol") != "1") throw Malformed("this adapter speaks protocol 1");
    Dialect words{hello.text("dialect.scheme"), hello.text("dialect.headerPrefix"), hello.text("dialect.publicKeyParameter")};
    hello.requireAllTaken();
    return words;
}

void writeHello(std::FILE* to) {
    std::vector<std::string> names;
    for (const auto& operation : operations()) names.push_back(operation.name);
    Reply()
        .line("protocol", "1")
        .line("implementation.name", implementationName())
        .line("implementation.version", implementationVersion())
        .line("implementation.language", "c++")
        .list("operations", names)
        .list("traces", traces())
        .line("window", "64")
        .write(to);
}

/// What the operation has to say, in whatever way it ends.
Reply answered(const Operation& operation, Question& question, const Reply& start) {
    Reply reply = start;
    try {
        operation.answer(question, reply);
    } catch (const Refusal& refusal) {
        reply = start;
        reply.line("refused.reason", refusal.reason()).line("refused.message", refusal.what());
    } catch (const Unsupported& why) {
        // The rest of the question need not have been read.
        reply = start;
        return reply.line("unsupported", why.what());
    } catch (const Malformed&) {
        throw;
    } catch (const std::exception& what) {
        // What broke may not have been read to its end.
        reply = start;
        return reply.line("error", what.what());
    }
    question.asked.requireAllTaken();
    return reply;
}

Reply replyTo(Message asked, const Dialect& words) {
    const std::string n = asked.text("n");
    if (!isDigits(n)) throw Malformed("n is not a number");
    Reply start;
    start.line("n", n);
    const std::string name = asked.text("operation");
    const auto has = [&](const Operation& operation) { return operation.name == name; };
    const auto operation = std::find_if(operations().begin(), operations().end(), has);
    if (operation == operations().end()) return start.line("unsupported", "true");
    Question question{{asked.text("keys.publicKey"), asked.text("keys.privateKey")}, words, asked};
    return answered(*operation, question, start);
}

}  // namespace

}  // namespace kit

int main() try {
    using namespace kit;
    std::FILE* const to = replies();
#ifdef _WIN32
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(to), _O_BINARY);
#endif
    std::ios::sync_with_stdio(false);
    auto hello = Message::read(std::cin);
    if (!hello) return EXIT_SUCCESS;
    const Dialect words = readHello(*std::move(hello));
    writeHello(to);
    while (auto asked = Message::read(std::cin)) replyTo(*std::move(asked), words).write(to);
    return EXIT_SUCCESS;
} catch (const kit::Malformed& what) {
    std::cerr << "adapter: malformed message: " << what.what() << "; see adapters/PROTOCOL.md\n";
    return EXIT_FAILURE;
} catch (const std::exception& what) {
    std::cerr << "adapter: " << what.what() << '\n';
    return EXIT_FAILURE;
}
