//! The paths within the tree. They are made from uids, which never change.

use std::fmt;

use crate::model::Uid;

/// A path of the tree that we understand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TreePath {
    /// `meta.json`.
    Meta,
    /// `issues/<h>/<h>/<h>/<uid>/issue.json`.
    Issue(Uid),
    /// `issues/<h>/<h>/<h>/<uid>/<ulid>.json`: memory of an issue.
    Entry(Uid, Uid),
    /// `memory/<h>/<h>/<h>/<ulid>.json`: memory of no issue.
    Note(Uid),
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c] = match self {
            Self::Meta => return f.write_str("meta.json"),
            Self::Issue(uid) | Self::Entry(uid, _) | Self::Note(uid) => uid.shard(),
        };
        match self {
            Self::Meta => Ok(()),
            Self::Issue(uid) => write!(f, "issues/{a}/{b}/{c}/{uid}/issue.json"),
            Self::Entry(uid, entry) => write!(f, "issues/{a}/{b}/{c}/{uid}/{entry}.json"),
            Self::Note(uid) => write!(f, "memory/{a}/{b}/{c}/{uid}.json"),
        }
    }
}

impl TreePath {
    /// Reads a path of the tree; `None` for anything that format 1 does not put there.
    pub fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split('/').collect();
        let path = match parts[..] {
            ["meta.json"] => Self::Meta,
            ["issues", _, _, _, uid, "issue.json"] => Self::Issue(uid.parse().ok()?),
            ["issues", _, _, _, uid, entry] => Self::Entry(
                uid.parse().ok()?,
                entry.strip_suffix(".json")?.parse().ok()?,
            ),
            ["memory", _, _, _, note] => Self::Note(note.strip_suffix(".json")?.parse().ok()?),
            _ => return None,
        };
        // Only the path that we would write: not in another folder, nor in another spelling of the uid.
        (path.to_string() == text).then_some(path)
    }

    /// Returns the issue that it belongs to.
    pub(crate) fn issue(self) -> Option<Uid> {
        match self {
            Self::Issue(uid) | Self::Entry(uid, _) => Some(uid),
            Self::Meta | Self::Note(_) => None,
        }
    }

    /// Returns the directory of an issue.
    pub(crate) fn issue_dir(uid: Uid) -> String {
        let [a, b, c] = uid.shard();
        format!("issues/{a}/{b}/{c}/{uid}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Stamp;

    #[test]
    fn paths_are_read_back_and_nothing_else_is() {
        let uid = Stamp::new(1_700_000_000_000, 0xabc);
        for path in [
            TreePath::Meta,
            TreePath::Issue(uid),
            TreePath::Entry(uid, uid),
            TreePath::Note(uid),
        ] {
            assert_eq!(TreePath::parse(&path.to_string()), Some(path));
        }
        assert_eq!(
            TreePath::Issue(uid).to_string(),
            format!("issues/a/b/c/{uid}/issue.json")
        );
        for bad in [
            "meta.txt",
            "issues/a/b/d/x/issue.json",
            &format!("issues/a/b/d/{uid}/issue.json"),
            "",
        ] {
            assert_eq!(TreePath::parse(bad), None, "{bad}");
        }
    }
}
