/// The ways in which bytes are written as text, and what ASCII is.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kit {

/// 5.3: everything but letters, digits, "-", "_", "." and "~".
std::string urlEncoded(std::string_view text);
/// The same, with the slashes as they are.
std::string pathEncoded(std::string_view text);
/// Nothing for a bad escape, and where the bytes are no UTF-8. A "+" is a plus.
std::optional<std::string> urlDecoded(std::string_view text);

std::string base64(std::string_view bytes);
std::string base64Url(std::string_view bytes);
std::optional<std::string> base64Decoded(std::string_view text);
std::string hexadecimal(std::string_view bytes);
/// A text in quotes, as JSON has it.
std::string jsonText(std::string_view text);

bool isUtf8(std::string_view text);

/// ASCII only, whatever the locale: the Kelvin sign is no k.
std::string lowerCase(std::string_view text);
std::string upperCase(std::string_view text);
bool isDigit(char c);
bool isLetter(char c);
bool isBlank(char c);
bool isDigits(std::string_view text);
std::string_view withoutBlanksAround(std::string_view text);
bool startsWith(std::string_view text, std::string_view start);
/// What stands before the first separator, and what stands behind it, where there is one.
std::pair<std::string_view, std::optional<std::string_view>> cut(std::string_view text, char separator);

}  // namespace kit
