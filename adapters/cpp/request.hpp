/// What questions are about: with the protocol it stays, whatever signs.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kit {

/// A deliberate no. Whatever else is thrown is something that broke.
class Refusal : public std::runtime_error {
public:
    Refusal(std::string reason, const std::string& message) : std::runtime_error(message), reason_(std::move(reason)) {}
    const std::string& reason() const { return reason_; }

private:
    std::string reason_;
};

/// The implementation has no way to express the input, and why: neither a pass nor a failure.
class Unsupported : public std::runtime_error {
public:
    explicit Unsupported(const std::string& why) : std::runtime_error(why) {}
};

struct KeyPair {
    std::string publicKey, privateKey;
};

/// The three words in which deployments of the service differ.
struct Dialect {
    std::string scheme, headerPrefix, publicKeyParameter;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Values of the parameters of the Action API (5.1).

struct Number {
    std::string digits;
};
struct Null {};
struct Value;
struct Parameter;
using List = std::vector<Value>;
using Parameters = std::vector<Parameter>;
struct Value {
    std::variant<std::string, Number, bool, Null, List, Parameters> is;
};
struct Parameter {
    std::string name;
    Value value;
};

/// How deep lists and objects may nest.
constexpr int mostLevels = 500;

struct FileRequest {
    std::string method, bucket, key;
    Pairs headers;
};

}  // namespace kit
