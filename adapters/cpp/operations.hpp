/// What is offered: the part to replace by calls to your own SDK.
#pragma once

#include <string>
#include <vector>

#include "request.hpp"
#include "wire.hpp"

namespace kit {

struct Question {
    KeyPair keys;
    Dialect words;
    Message& asked;
};

/// Writes results and traces; throws a Refusal to decline, anything else where it breaks.
struct Operation {
    std::string name;
    void (*answer)(Question&, Reply&);
};

/// What reports call the implementation.
std::string implementationName();
std::string implementationVersion();
const std::vector<Operation>& operations();
/// The stages that the operations show besides their results.
const std::vector<std::string>& traces();

}  // namespace kit
