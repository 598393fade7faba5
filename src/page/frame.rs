//! The frame around the data: markup, style, script, and the policy that lets nothing else run.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::model::id::is_format;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const LIVE_STYLE: &str = include_str!("live.css");
/// One script of several files, in the order in which they build on each other: what is first in each page, what makes the
/// scenes of the data of a file or of a server, and what draws them.
const FIRST: &str = concat!(include_str!("base.js"), include_str!("prose.js"));
const OF_A_FILE: &str = concat!(
    include_str!("dates.js"),
    include_str!("local.js"),
    include_str!("query.js"),
    include_str!("find.js"),
);
const OF_A_SERVER: &str = concat!(
    include_str!("live.js"),
    include_str!("ask.js"),
    include_str!("acts.js"),
    include_str!("drag.js"),
    include_str!("palette.js"),
);
const DRAWING: &str = concat!(
    include_str!("menu.js"),
    include_str!("screens.js"),
    include_str!("board.js"),
    include_str!("panel.js"),
    include_str!("graph.js"),
    include_str!("stats.js"),
    include_str!("app.js"),
);

/// Leaves out what only those who change a script or a style read: comments of whole lines, empty lines, and spaces at the beginning of lines.
fn bare(source: &str) -> String {
    let lines = source.lines().map(str::trim_start);
    let is_comment =
        |line: &&str| line.starts_with("//") || line.starts_with("/*") && line.ends_with("*/");
    lines
        .filter(|line| !line.is_empty() && !is_comment(line))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The page before the data, and after it.
pub(crate) fn halves() -> [String; 2] {
    let (style, script) = (bare(STYLE), bare(&[FIRST, OF_A_FILE, DRAWING].concat()));
    let policy = policy(&script, &style);
    let (before, after) = PAGE.split_once("{data}").unwrap_or((PAGE, ""));
    [
        before
            .replace("{policy}", &policy)
            .replace("{style}", &style),
        after.replace("{script}", &script),
    ]
}

/// Returns the policy of a page: nothing runs and nothing is loaded but these.
fn policy(script: &str, style: &str) -> String {
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        hash(script),
        hash(style)
    )
}

/// A page without data, which asks a server for it.
#[derive(Clone, Debug)]
pub(crate) struct Shell {
    pub(crate) html: String,
    /// What it may do, as a header says it: some of it has no effect within a page.
    pub(crate) policy: String,
    /// A name of these bytes, in quotes.
    pub(crate) version: String,
}

/// Returns the page that a server gives to everybody, with settings as JSON.
pub(crate) fn shell(settings: &str) -> Shell {
    let style = bare(&[STYLE, LIVE_STYLE].concat());
    let script = bare(&[FIRST, OF_A_SERVER, DRAWING].concat());
    let policy = policy(&script, &style) + "; connect-src 'self'";
    let html = PAGE.replace("{policy}", &policy).replace("{style}", &style);
    let html = html
        .replace("{data}", &embedded(settings))
        .replace("{script}", &script);
    Shell {
        version: format!("\"{}\"", hash(&html)),
        policy: policy + "; frame-ancestors 'none'",
        html,
    }
}

/// JSON as it may stand in a page: nothing in it begins a tag or a comment, hides or turns the text around it.
pub(crate) fn embedded(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        // Without `<` no text of an issue can end the script that holds the data.
        if c == '<' || c.is_control() || is_format(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string can't fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// SHA-256 in base64, as a content security policy names a script.
fn hash(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for part in Sha256::digest(text).chunks(3) {
        let bits = part
            .iter()
            .fold(0, |bits: usize, byte| bits << 8 | usize::from(*byte))
            << (8 * (3 - part.len()));
        for place in 0..4 {
            let digit = char::from(DIGITS[bits >> (18 - 6 * place) & 63]);
            out.push(if place > part.len() { '=' } else { digit });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_what_browsers_expect() {
        assert_eq!(hash(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }

    #[test]
    fn a_page_is_little_more_than_its_data() {
        let size: usize = halves().iter().map(String::len).sum();
        assert!(size < 140_000, "{size} bytes before the first issue");
    }

    #[test]
    fn what_a_page_leaves_out_is_said_in_lines_of_its_own() {
        let text = "// why\n  a(`b`); // c\n/** What. */\n\n    // d\n";
        assert_eq!(bare(text), "a(`b`); // c");
        // A text of several lines would change, and so would what a comment of several lines leaves.
        let odd = |line: &&str| {
            !line.matches('`').count().is_multiple_of(2)
                || line.trim_start().starts_with("/*") && !line.ends_with("*/")
        };
        let all = [STYLE, LIVE_STYLE, FIRST, OF_A_FILE, OF_A_SERVER, DRAWING].concat();
        assert_eq!(all.lines().find(odd), None);
    }

    #[test]
    fn nothing_breaks_out_of_the_data() {
        let text = "</script><!--\u{2028}\u{202e}\u{e0041}é日";
        let json = serde_json::to_string(text).unwrap();
        let embedded = embedded(&json);
        assert_eq!(
            embedded,
            "\"\\u003c/script>\\u003c!--\\u2028\\u202e\\udb40\\udc41é日\""
        );
        assert_eq!(serde_json::from_str::<String>(&embedded).unwrap(), text);
    }
}
