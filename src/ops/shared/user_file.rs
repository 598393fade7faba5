//! A file of the program in the user's branch, and the commands by which git commits it as it is.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::Command;
use crate::store::Store;
use crate::store::user_file::{altered_by, ignored_by, is_sparse};

/// The attributes below which git commits the bytes that are in a file.
const PLAIN: &str = "* -text !filter !ident !working-tree-encoding";
/// The file that has them.
const ATTRIBUTES: &str = ".git-beads/.gitattributes";

/// The reasons for which git would not commit a file as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Uncommitted {
    /// The rule by which git ignores it: where it is, and its pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignored_by: Option<String>,
    /// The attribute or setting by which git would commit other bytes than are in it, which no clone can read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub altered_by: Option<String>,
    /// True if the checkout is sparse, where git adds some files only with `--sparse`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sparse: bool,
    /// The paths at which HEAD has other bytes: git may take such a file for unchanged.
    #[serde(skip)]
    pub(crate) in_place: Vec<String>,
}

impl Uncommitted {
    /// Returns what keeps git from committing files of the work tree, by their paths from its top.
    pub(crate) fn of(store: &Store, top: &Path, paths: &[String]) -> Self {
        Self {
            ignored_by: paths.iter().find_map(|path| ignored_by(store, top, path)),
            altered_by: paths.iter().find_map(|path| altered_by(store, top, path)),
            sparse: is_sparse(store),
            in_place: Vec::new(),
        }
    }

    /// Returns the sentences that say what git would do.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let ignored = self.ignored_by.iter();
        let ignored = ignored.map(|rule| format!("git ignores that file by {rule}"));
        let altered = self.altered_by.iter().map(|why| {
            format!("git would not commit that file as it is ({why}), and no one could read it")
        });
        ignored.chain(altered).collect()
    }

    /// Returns the line that commits a path as it is, for a shell at the top of the work tree.
    pub(crate) fn commands(&self, path: &str) -> String {
        let option = |command: Command, flag, is_needed| match is_needed {
            true => command.flag(flag),
            false => command,
        };
        let add = option(
            Command::line("git add"),
            "--force",
            self.ignored_by.is_some(),
        );
        let add = option(add, "--sparse", self.sparse);
        let mut line = String::new();
        let mut adds = add.clone();
        if self.altered_by.is_some() {
            let echo = Command::line("echo").word(PLAIN);
            line = format!("{echo} >>{ATTRIBUTES} && ");
            if !ATTRIBUTES.starts_with(path) {
                adds = adds.word(ATTRIBUTES);
            }
        }
        line.push_str(&adds.word(path).to_string());
        if !self.in_place.is_empty() {
            let again = Command::line("git add --renormalize");
            let again = option(again, "--sparse", self.sparse);
            let again = self.in_place.iter().fold(again, Command::word);
            line.push_str(&format!(" && {again}"));
        }
        line + " && git commit"
    }
}
