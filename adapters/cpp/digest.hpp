/// SHA-1 and HMAC-SHA1, from libcrypto.
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>

namespace kit {

class Sha1 {
public:
    Sha1();
    void update(std::string_view bytes);
    /// The 20 bytes; nothing more can be added.
    std::string finish();

private:
    struct Free {
        void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    };
    std::unique_ptr<EVP_MD_CTX, Free> context_;
};

std::string sha1(std::string_view bytes);
std::string hmacSha1(std::string_view key, std::string_view bytes);

}  // namespace kit
