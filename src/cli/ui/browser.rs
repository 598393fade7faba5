//! The user's browser, chosen as git chooses it.

use std::path::Path;
use std::process::Stdio;

use super::{Ui, talk};

impl Ui {
    /// Opens a file in the browser, and does not wait for it. What has none is told so: the address is printed.
    pub(in crate::cli) fn browse(&self, file: &Path) {
        let mut command = self.env.command("git");
        command.arg("web--browse").arg(file);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        if let Err(error) = command.spawn() {
            talk(
                &self.env,
                "warning",
                &format!("no browser was opened: {error}"),
            );
        }
    }
}
