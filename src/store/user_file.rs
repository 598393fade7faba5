//! Files of the program in the user's branch, under git's rules, attributes and settings.

use std::path::Path;

use super::Store;
use super::carry::work_tree::read;
use super::git::output;

/// The attributes by which git changes what it commits, the first one first.
const ALTERING: [&str; 5] = ["filter", "ident", ENCODING, "eol", "text"];
const ENCODING: &str = "working-tree-encoding";

/// Returns the rule by which git ignores a path that it does not track, as `git check-ignore` names it: its file, line and pattern.
pub(crate) fn ignored_by(store: &Store, top: &Path, path: &str) -> Option<String> {
    let mut command = store.git().users_git(top);
    command.args(["check-ignore", "--verbose", "--", path]);
    let found = output(&mut command)
        .ok()
        .filter(|found| found.status.success())?;
    let text = String::from_utf8_lossy(&found.stdout).into_owned();
    Some(text.split('\t').next()?.trim().to_owned())
}

/// Returns the SHA-1 in hex that a text has as a blob of git; none of one that was made to collide.
pub(crate) fn sha1_of_blob(text: &[u8]) -> Option<String> {
    let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, text);
    Some(id.ok()?.to_string())
}

/// Returns what makes git commit other bytes than a file has, or none at all; none where it commits them.
pub(crate) fn altered_by(store: &Store, top: &Path, path: &str) -> Option<String> {
    let bytes = read(&top.join(path))?;
    let mut command = store.git().users_git(top);
    let hashed = output(command.args(["hash-object", "--", path])).ok()?;
    let said = String::from_utf8_lossy(&hashed.stdout).into_owned();
    let (hash, kind) = (store.repo.object_hash(), gix::objs::Kind::Blob);
    let id = gix::objs::compute_hash(hash, kind, &bytes);
    let attributes = attributes(store, top, path);
    if id.is_ok_and(|id| said.trim() == id) {
        return refused_by(store, &attributes);
    }
    let altering = attributes
        .iter()
        .find_map(|(name, value)| match value.as_str() {
            "unspecified" | "unset" => None,
            "set" => Some(name.clone()),
            value => Some(format!("{name}={value}")),
        });
    let why = String::from_utf8_lossy(&hashed.stderr);
    let why = why.lines().last().unwrap_or("a setting of git").trim();
    Some(altering.unwrap_or_else(|| why.to_owned()))
}

/// Returns what makes git refuse a file, which it says only where it writes the object: its ends of lines would be others in a
/// checkout, or its encoding wants a byte order mark.
fn refused_by(store: &Store, attributes: &[(String, String)]) -> Option<String> {
    let is = |name: &str, value: &str| attributes.iter().any(|it| it.0 == name && it.1 == value);
    let is_changed = store.config_bool("core.autocrlf") == Some(true) || is("eol", "crlf");
    let is_strict = store.config_bool("core.safecrlf") == Some(true);
    if is_strict && is_changed && !is("text", "unset") {
        return Some("core.safecrlf".to_owned());
    }
    let encoding = attributes.iter().find(|it| it.0 == ENCODING)?;
    let name = encoding.1.to_lowercase();
    let wants_mark = name.starts_with("utf-16") || name.starts_with("utf-32");
    wants_mark.then(|| format!("{ENCODING}={}", encoding.1))
}

/// Returns the attributes of a path by which git changes what it commits, with their values.
fn attributes(store: &Store, top: &Path, path: &str) -> Vec<(String, String)> {
    let mut command = store.git().users_git(top);
    command.args(["check-attr", "-z"]).args(ALTERING);
    let Ok(asked) = output(command.args(["--", path])) else {
        return Vec::new();
    };
    let said = String::from_utf8_lossy(&asked.stdout).into_owned();
    let words: Vec<&str> = said.split('\0').collect();
    let mut found = Vec::new();
    for words in words.chunks_exact(3) {
        if let [_path, name, value] = words {
            found.push(((*name).to_owned(), (*value).to_owned()));
        }
    }
    found
}

/// Returns whether the checkout is sparse.
pub(crate) fn is_sparse(store: &Store) -> bool {
    store.config_bool("core.sparseCheckout") == Some(true)
}
