//! SHA-1 (RFC 3174) and HMAC-SHA1 (RFC 2104).

const BLOCK: usize = 64;

pub type Digest = [u8; 20];

/// A SHA-1 that takes its text piece by piece.
pub struct Sha1 {
    state: [u32; 5],
    /// The start of the block that is not full yet.
    block: [u8; BLOCK],
    length: u64,
}

impl Sha1 {
    pub fn new() -> Self {
        Sha1 {
            state: [
                0x6745_2301,
                0xefcd_ab89,
                0x98ba_dcfe,
                0x1032_5476,
                0xc3d2_e1f0,
            ],
            block: [0; BLOCK],
            length: 0,
        }
    }

    pub fn update(&mut self, mut bytes: &[u8]) {
        let start = (self.length % BLOCK as u64) as usize;
        self.length += bytes.len() as u64;
        if start > 0 {
            let (piece, rest) = bytes.split_at(bytes.len().min(BLOCK - start));
            self.block[start..start + piece.len()].copy_from_slice(piece);
            if start + piece.len() < BLOCK {
                return;
            }
            compress(&mut self.state, &self.block);
            bytes = rest;
        }
        let blocks = bytes.chunks_exact(BLOCK);
        let rest = blocks.remainder();
        blocks.for_each(|block| compress(&mut self.state, block));
        self.block[..rest.len()].copy_from_slice(rest);
    }

    pub fn finish(mut self) -> Digest {
        let bits = self.length * 8;
        let filled = (self.length % BLOCK as u64) as usize;
        // One bit, and zeros up to the eight bytes of the length.
        let mut padding = [0; BLOCK + 8];
        padding[0] = 0x80;
        let zeros = if filled < 56 { 56 } else { BLOCK + 56 } - filled;
        padding[zeros..zeros + 8].copy_from_slice(&bits.to_be_bytes());
        self.update(&padding[..zeros + 8]);

        let mut digest = [0; 20];
        for (bytes, word) in digest.chunks_exact_mut(4).zip(self.state) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        digest
    }
}

fn compress(state: &mut [u32; 5], block: &[u8]) {
    let mut words = [0u32; 80];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes
            .iter()
            .fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for t in 16..80 {
        words[t] = (words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16]).rotate_left(1);
    }
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    for (t, word) in words.into_iter().enumerate() {
        let (mixed, constant) = match t {
            0..=19 => (b & c | !b & d, 0x5a82_7999),
            20..=39 => (b ^ c ^ d, 0x6ed9_eba1),
            40..=59 => (b & c | b & d | c & d, 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6),
        };
        let next = [a.rotate_left(5), mixed, e, word, constant]
            .into_iter()
            .fold(0, u32::wrapping_add);
        (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
    }
    for (word, change) in state.iter_mut().zip([a, b, c, d, e]) {
        *word = word.wrapping_add(change);
    }
}

pub fn sha1(bytes: &[u8]) -> Digest {
    let mut hash = Sha1::new();
    hash.update(bytes);
    hash.finish()
}

pub fn hmac_sha1(key: &[u8], bytes: &[u8]) -> Digest {
    let mut block = [0; BLOCK];
    if key.len() > BLOCK {
        block[..20].copy_from_slice(&sha1(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let keyed = |pad: u8, bytes: &[u8]| {
        let mut hash = Sha1::new();
        hash.update(&block.map(|byte| byte ^ pad));
        hash.update(bytes);
        hash.finish()
    };
    keyed(0x5c, &keyed(0x36, bytes))
}
