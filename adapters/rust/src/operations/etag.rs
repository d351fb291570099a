//! The ETags of files and of parts (§2).

use std::io::{self, Read};

use super::sha1::{sha1, Digest, Sha1};
use super::text::base64_url_safe;

/// §2 says 4 MB; the service's are 4 MiB.
const BLOCK: u64 = 4 << 20;

pub struct Etag {
    pub block_count: u32,
    pub digest: Digest,
    pub etag: String,
}

/// Base64 of the block count, least significant byte first, and of the SHA-1: of the content up to
/// one block, and of the SHA-1 values of the blocks beyond that.
pub fn etag(content: &mut impl Read) -> io::Result<Etag> {
    let mut block_count = 0u32;
    let mut only_block = sha1(b"");
    let mut blocks = Sha1::new();
    loop {
        let (length, digest) = hashed(&mut content.take(BLOCK))?;
        if length == 0 {
            break;
        }
        block_count += 1;
        only_block = digest;
        blocks.update(&digest);
    }
    let digest = if block_count > 1 {
        blocks.finish()
    } else {
        only_block
    };
    let bytes = [&block_count.to_le_bytes()[..], &digest].concat();
    Ok(Etag {
        block_count,
        digest,
        etag: base64_url_safe(&bytes),
    })
}

/// The ETag of a part of an upload: Base64 of the SHA-1 of its content.
pub fn part_etag(content: &mut impl Read) -> io::Result<(Digest, String)> {
    let (_, digest) = hashed(content)?;
    Ok((digest, base64_url_safe(&digest)))
}

fn hashed(content: &mut impl Read) -> io::Result<(u64, Digest)> {
    let mut hash = Sha1::new();
    let mut length = 0;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match content.read(&mut buffer) {
            Ok(0) => return Ok((length, hash.finish())),
            Ok(count) => {
                length += count as u64;
                hash.update(&buffer[..count]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
