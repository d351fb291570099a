/// 5.1: numbers as plain decimal text.
#include <algorithm>
#include <cstdlib>

#include "signing.hpp"
#include "text.hpp"

namespace kit {

namespace {

/// A number may be longer than this as it is written, but not by its exponent.
constexpr long mostZeros = 100'000;

[[noreturn]] void refuseNumber() { throw Refusal("number", "a number has no plain decimal text (section 5.1 step 3)"); }

/// Takes a number apart from its front.
class NumberReader {
public:
    explicit NumberReader(std::string_view text) : rest_(text) {}

    bool takes(char c) {
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }

    std::string digits() {
        const auto end = std::find_if_not(rest_.begin(), rest_.end(), isDigit);
        std::string taken(rest_.begin(), end);
        if (taken.empty()) refuseNumber();
        rest_.remove_prefix(taken.size());
        return taken;
    }

    long exponent() {
        const bool isNegative = takes('-');
        if (!isNegative) takes('+');
        std::string all = digits();
        all.erase(0, std::min(all.find_first_not_of('0'), all.size() - 1));
        // Longer ones are beyond any limit, and perhaps beyond long.
        const long size = all.size() > 9 ? 10 * mostZeros : std::stol(all);
        return isNegative ? -size : size;
    }

    bool isAtEnd() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

}  // namespace

std::string plainDecimal(const std::string& digits) {
    NumberReader reader(digits);
    const std::string sign = reader.takes('-') ? "-" : "";
    std::string whole = reader.digits();
    if (whole.size() > 1 && whole.front() == '0') refuseNumber();
    std::string fraction = reader.takes('.') ? reader.digits() : "";
    const long exponent = reader.takes('e') || reader.takes('E') ? reader.exponent() : 0;
    if (!reader.isAtEnd()) refuseNumber();
    if ((whole + fraction).find_first_not_of('0') == std::string::npos) return "0";
    if (std::abs(exponent) > mostZeros) refuseNumber();

    // The point moves to the right or to the left, over zeros where the digits end.
    const auto places = static_cast<std::size_t>(std::abs(exponent));
    if (exponent > 0) {
        fraction.append(places - std::min(places, fraction.size()), '0');
        whole += fraction.substr(0, places);
        fraction.erase(0, places);
    } else {
        whole.insert(0, places - std::min(places, whole.size()), '0');
        fraction.insert(0, whole.substr(whole.size() - places));
        whole.erase(whole.size() - places);
    }
    whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
    fraction.erase(fraction.find_last_not_of('0') + 1);
    return sign + (whole.empty() ? "0" : whole) + (fraction.empty() ? "" : "." + fraction);
}

}  // namespace kit
