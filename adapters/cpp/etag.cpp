/// 2: the ETag of a file and that of a part.
#include <algorithm>
#include <array>
#include <limits>

#include "digest.hpp"
#include "signing.hpp"
#include "text.hpp"

namespace kit {

namespace {

constexpr std::uint64_t blockSize = 4 * 1024 * 1024;
constexpr std::uint64_t withoutLimit = std::numeric_limits<std::uint64_t>::max();

struct Block {
    std::uint64_t size = 0;
    std::string digest;
};

/// What comes next: at most so many bytes.
Block nextBlock(std::istream& content, std::uint64_t limit) {
    std::array<char, 64 * 1024> piece;
    Sha1 hash;
    Block block;
    while (block.size < limit && content) {
        const auto most = std::min<std::uint64_t>(piece.size(), limit - block.size);
        content.read(piece.data(), static_cast<std::streamsize>(most));
        const auto size = static_cast<std::size_t>(content.gcount());
        hash.update({piece.data(), size});
        block.size += size;
    }
    if (content.bad()) throw std::runtime_error("the content cannot be read");
    block.digest = hash.finish();
    return block;
}

std::string littleEndian(std::uint32_t number) {
    std::string bytes;
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(number >> shift & 0xFF);
    return bytes;
}

}  // namespace

FileEtag fileEtag(std::istream& content) {
    Sha1 overBlocks;
    Block block = nextBlock(content, blockSize);
    std::string digest = block.digest;
    // An empty file has no block, and the SHA-1 of nothing.
    std::uint32_t count = 0;
    for (; block.size != 0; block = nextBlock(content, blockSize)) {
        overBlocks.update(block.digest);
        if (++count == 0) throw std::length_error("the file has more blocks than an ETag can count");
    }
    if (count > 1) digest = overBlocks.finish();
    return {count, hexadecimal(digest), base64Url(littleEndian(count) + digest)};
}

std::string partDigest(std::istream& content) { return nextBlock(content, withoutLimit).digest; }

}  // namespace kit
