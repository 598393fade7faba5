//! Texts as parts of an address.

use std::fmt::Write;

/// Returns a text as the part of an address that one name or value is: all but letters, digits and `-_.~` by its bytes.
pub(crate) fn component(text: &str) -> String {
    escaped(text, |byte| {
        byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)
    })
}

/// Returns an address of printable ASCII: all else by its bytes.
pub(crate) fn ascii(address: &str) -> String {
    escaped(address, |byte| byte.is_ascii_graphic())
}

fn escaped(text: &str, is_kept: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match is_kept(byte) {
            true => out.push(char::from(byte)),
            false => _ = write!(out, "%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_plain_character_is_written_by_its_bytes() {
        assert_eq!(component("label:a/b é"), "label%3Aa%2Fb%20%C3%A9");
        assert_eq!(component("a-b_c.d~e"), "a-b_c.d~e");
        assert_eq!(ascii("http://a/é b%20\n"), "http://a/%C3%A9%20b%20%0A");
    }
}
