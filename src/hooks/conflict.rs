//! Reasons why a hook must not be written, and the texts to add by hand instead.

use std::path::{Path, PathBuf};

use super::INSTALL;
use super::script::{HookCall, Runner};
use crate::ops::shell_quote_path;

/// Reason why a hook must not be written, and the way to add it by hand.
pub(super) struct Conflict {
    pub(super) why: String,
    pub(super) form: Form,
    /// The file to add the call to.
    pub(super) add_to: Option<PathBuf>,
    pub(super) remedy: Option<String>,
}

/// Form of the text to be added by hand.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    Line,
    OwnLine,
    Command,
    Lefthook,
    LefthookWords,
    PreCommit,
}

impl Conflict {
    pub(super) fn new(why: impl Into<String>, form: Form, add_to: Option<PathBuf>) -> Self {
        Self {
            why: why.into(),
            form,
            add_to,
            remedy: None,
        }
    }

    /// Returns the text to be added by hand.
    pub(super) fn text(&self, call: HookCall) -> String {
        match self.form {
            Form::Line => call.line(),
            Form::OwnLine => call.own_line(),
            Form::Command => call.command(),
            Form::Lefthook => call.lefthook(),
            Form::LefthookWords => call.lefthook_words(),
            Form::PreCommit => call.pre_commit(),
        }
    }

    /// Returns the conflict of a hook that no shell runs.
    pub(super) fn of_runner(path: &Path, runner: &Runner, what: &str) -> Self {
        match runner {
            Runner::Program => Self::new(
                format!("it is {what}: nothing can be added to it"),
                Form::Line,
                None,
            ),
            Runner::Nothing => {
                let mut conflict = Self::new(format!("it is {what}"), Form::Line, None);
                conflict.remedy = Some(format!(
                    "fix the line endings of {}, then: {INSTALL}",
                    shell_quote_path(path)
                ));
                conflict
            }
            _ => Self::new(
                format!("it is {what}"),
                Form::Command,
                Some(path.to_owned()),
            ),
        }
    }
}
