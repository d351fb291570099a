/// The messages of the adapter protocol in tab-separated lines: the same whatever the implementation is.
#pragma once

#include <cstdio>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "request.hpp"

namespace kit {

/// A message that is none: it ends the program.
class Malformed : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Lines by key. What is taken is gone, so what is left was not asked for.
class Message {
public:
    /// Nothing where the input ends.
    static std::optional<Message> read(std::istream& in);

    std::string text(const std::string& key);
    Pairs pairs(const std::string& key);
    Parameters parameters(const std::string& key) { return members(key, 0); }
    /// A file, or the bytes themselves.
    std::unique_ptr<std::istream> content(const std::string& key);
    void requireAllTaken() const;

private:
    bool has(const std::string& key) const { return lines_.count(key) != 0; }
    std::size_t count(const std::string& key);
    Value value(const std::string& key, int level);
    List items(const std::string& key, int level);
    Parameters members(const std::string& key, int level);

    std::map<std::string, std::string> lines_;
};

/// The lines of a reply.
class Reply {
public:
    Reply& line(const std::string& key, std::string_view value);
    Reply& list(const std::string& key, const std::vector<std::string>& elements);
    Reply& list(const std::string& key, const Pairs& elements);
    Reply& result(const std::string& stage, std::string_view value) { return line("result." + stage, value); }
    Reply& trace(const std::string& stage, std::string_view value) { return line("trace." + stage, value); }

    /// All lines and the blank one that ends them, at once.
    void write(std::FILE* to) const;

private:
    std::string lines_;
};

}  // namespace kit
