/// The headers of a request, as they enter the string to sign.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "signing.hpp"

namespace kit {

/// By name in the order of the bytes; those of one name stay in the order of the request.
using SortedHeaders = std::multimap<std::string, std::string>;

bool isToken(std::string_view text);
/// Names in lower case, values unfolded and without blanks around; refuses those that no request can hold.
SortedHeaders sendableHeaders(const Pairs& headers);
std::string sendableValue(std::string_view value);
/// CanonicalizedSvcHeaders (5.2).
std::string canonicalHeaders(const SortedHeaders& headers, const std::string& prefix);
/// Nothing where the header is not there; refuses one that is there twice.
std::optional<std::string> singleValue(const SortedHeaders& headers, const std::string& name);

}  // namespace kit
