//! Texts as bytes: URL encoding (§5.3), Base64, hexadecimal, comparison.

use std::fmt::Write;

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Every byte of the UTF-8 but the unreserved ones as `%XY` (§5.3).
pub fn url_encode(text: &str) -> String {
    percent_encode(text, b"-_.~")
}

/// A key in the path of a URL, where its slashes stay.
pub fn path_encode(key: &str) -> String {
    percent_encode(key, b"-_.~/")
}

fn percent_encode(text: &str, bare: &[u8]) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || bare.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").expect("a String takes all that is written");
        }
    }
    encoded
}

/// The text behind escapes in either case; nothing where an escape is none, or no UTF-8 comes out.
/// §5.3 never writes a space as "+", so a plus is a plus.
pub fn percent_decode(text: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        if byte == b'%' {
            let (high, low) = (hex_digit(*behind.first()?)?, hex_digit(*behind.get(1)?)?);
            decoded.push(high << 4 | low);
            rest = &behind[2..];
        } else {
            decoded.push(byte);
            rest = behind;
        }
    }
    String::from_utf8(decoded).ok()
}

fn hex_digit(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn base64(bytes: &[u8]) -> String {
    base64_in(STANDARD, bytes)
}

pub fn base64_url_safe(bytes: &[u8]) -> String {
    base64_in(URL_SAFE, bytes)
}

fn base64_in(alphabet: &[u8; 64], bytes: &[u8]) -> String {
    let mut encoded = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            if digit > group.len() {
                encoded.push('=');
            } else {
                let value = bits >> (18 - 6 * digit) & 0x3f;
                encoded.push(char::from(alphabet[value as usize]));
            }
        }
    }
    encoded
}

/// Whether two signatures are the same text, in a time that does not tell where they differ.
pub fn same_signature(one: &str, other: &str) -> bool {
    let differences = one.bytes().zip(other.bytes());
    one.len() == other.len() && differences.fold(0, |all, (a, b)| all | (a ^ b)) == 0
}
