//! Folders as clients name them: by their paths, or as `file://` addresses.

use std::path::{Path, PathBuf};

use crate::env::HAS_DRIVES;

/// Returns the folder that an argument of the command line names.
pub(crate) fn folder_of_argument(argument: &Path) -> PathBuf {
    argument
        .to_str()
        .map_or_else(|| argument.to_owned(), folder)
}

/// Returns the folder that a text names. A path that is percent-encoded counts where there is none of that name.
pub(super) fn folder(text: &str) -> PathBuf {
    let text = text.trim();
    let path = PathBuf::from(text);
    match path_of(text) {
        Some(path) => path,
        None if !path.exists() => decoded(text)
            .map(PathBuf::from)
            .filter(|it| it.exists())
            .unwrap_or(path),
        None => path,
    }
}

/// Returns the path of a `file:` address of this machine; none where it is something else.
pub(super) fn path_of(uri: &str) -> Option<PathBuf> {
    let text = text_of(uri)?;
    let path = PathBuf::from(match HAS_DRIVES {
        true => from_drive(&text),
        false => &text,
    });
    path.is_absolute().then_some(path)
}

/// Returns what a `file:` address says of this machine.
fn text_of(uri: &str) -> Option<String> {
    let (scheme, rest) = uri.trim().split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        Some(place) => {
            let start = place.find('/')?;
            let host = &place[..start];
            let is_here = host.is_empty() || host.eq_ignore_ascii_case("localhost");
            is_here.then(|| &place[start..])?
        }
        None => rest,
    };
    decoded(path)
}

/// Replaces the percent escapes of a path; none where one is no escape, or the path is no text.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut parts = path.split('%');
    bytes.extend(parts.next()?.as_bytes());
    for part in parts {
        let byte = u8::from_str_radix(part.get(..2)?, 16).ok()?;
        bytes.push(byte);
        bytes.extend(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

/// Returns a path without the slash that an address has in front of a drive.
fn from_drive(path: &str) -> &str {
    match path.strip_prefix('/') {
        Some(rest) if rest.get(1..2) == Some(":") => rest,
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_begins_a_path() {
        for (path, rest) in [
            ("/C:/a b", "C:/a b"),
            ("/c:", "c:"),
            ("/é:/a", "/é:/a"),
            ("/a/C:", "/a/C:"),
            ("//host/a", "//host/a"),
        ] {
            assert_eq!(from_drive(path), rest);
        }
    }

    #[test]
    fn addresses_of_files_are_paths() {
        for (uri, path) in [
            ("file:///a/b", Some("/a/b")),
            (" FILE:///a/b/ ", Some("/a/b/")),
            ("file://localhost/a%20b/%C3%A9", Some("/a b/é")),
            ("file:/a", Some("/a")),
            ("file:///a b/é", Some("/a b/é")),
            ("file://elsewhere/a", None),
            ("file:///a%2", None),
            ("file:///a%zz", None),
            ("file:a", Some("a")),
            ("https://host/a", None),
            ("/a", None),
        ] {
            assert_eq!(text_of(uri).as_deref(), path, "{uri}");
        }
        assert_eq!(path_of("file:a"), None);
    }
}
