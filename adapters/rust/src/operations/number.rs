//! Numbers as plain decimal text (§5.1 step 3).

use crate::refusal::{refuse, Refusal};

/// §5.1 sets no limit to a number; beyond so many zeros that an exponent stands for, this has one.
const MOST_ZEROS: i64 = 10_000;

/// Whether a text is a number of JSON.
pub fn is_number(text: &str) -> bool {
    split(text).is_some()
}

/// A number of JSON without exponent, without zeros at the end of its fraction, and zero unsigned.
pub fn plain_decimal(text: &str) -> Result<String, Refusal> {
    let Some((sign, whole, fraction, exponent)) = split(text) else {
        return refuse(
            "number",
            format!("{text:?} is not a decimal number (§5.1 step 3)"),
        );
    };
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return Ok("0".to_owned());
    }
    let exponent: i64 = match exponent.parse() {
        Ok(exponent) if (-MOST_ZEROS..=MOST_ZEROS).contains(&exponent) => exponent,
        _ => {
            return refuse(
                "number",
                format!("an exponent stands for more than {MOST_ZEROS} zeros"),
            )
        }
    };
    // The point stands so many digits behind the first significant one's left.
    let point = whole.len() as i64 + exponent - (digits.len() - significant.len()) as i64;
    let significant = significant.trim_end_matches('0');
    Ok(format!("{sign}{}", with_point(significant, point)))
}

fn with_point(digits: &str, point: i64) -> String {
    match usize::try_from(point) {
        Ok(point) if point >= digits.len() => digits.to_owned() + &"0".repeat(point - digits.len()),
        Ok(point) if point > 0 => format!("{}.{}", &digits[..point], &digits[point..]),
        _ => format!("0.{}{digits}", "0".repeat(point.unsigned_abs() as usize)),
    }
}

/// Sign, whole digits, digits of the fraction and exponent of a number of JSON.
fn split(text: &str) -> Option<(&str, &str, &str, &str)> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let sign = &text[..text.len() - unsigned.len()];
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            is_digits(digits).then_some((mantissa, exponent))?
        }
        None => (unsigned, "0"),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => is_digits(fraction).then_some((whole, fraction))?,
        None => (mantissa, ""),
    };
    let is_whole = is_digits(whole) && (whole == "0" || !whole.starts_with('0'));
    is_whole.then_some((sign, whole, fraction, exponent))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
