#include "digest.hpp"

#include <openssl/hmac.h>

#include <array>
#include <stdexcept>

namespace kit {

namespace {

constexpr std::size_t digestSize = 20;
using Digest = std::array<unsigned char, digestSize>;

void require(bool done) {
    if (!done) throw std::runtime_error("libcrypto has no SHA-1");
}

std::string textOf(const Digest& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }

}  // namespace

Sha1::Sha1() : context_(EVP_MD_CTX_new()) {
    require(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha1(), nullptr) == 1);
}

void Sha1::update(std::string_view bytes) { require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1); }

std::string Sha1::finish() {
    Digest digest{};
    require(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == 1);
    return textOf(digest);
}

std::string sha1(std::string_view bytes) {
    Sha1 hash;
    hash.update(bytes);
    return hash.finish();
}

std::string hmacSha1(std::string_view key, std::string_view bytes) {
    Digest digest{};
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    require(HMAC(EVP_sha1(), key.data(), static_cast<int>(key.size()), data, bytes.size(), digest.data(), nullptr) != nullptr);
    return textOf(digest);
}

}  // namespace kit
