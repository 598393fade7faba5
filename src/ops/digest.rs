//! The digest by which a text is known that is not kept.

use sha2::{Digest, Sha256};

/// Returns the SHA-256 of a text, in hexadecimal digits.
pub(crate) fn digest(text: &str) -> String {
    let bytes = Sha256::digest(text);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
