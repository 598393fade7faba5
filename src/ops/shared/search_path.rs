//! The search path of the user's shell.

use std::path::Path;

use crate::ops::Command;
use crate::platform;

/// The characters that PowerShell takes for a single quote.
const QUOTES: [char; 5] = ['\'', '\u{2018}', '\u{2019}', '\u{201a}', '\u{201b}'];

/// Returns the command that puts a folder in front of the search path, for as long as the user's shell runs.
pub(crate) fn put_in_front(folder: &Path) -> String {
    if platform::HAS_POSIX_SHELL {
        let export = Command::line("export").word(format!("PATH={}:", folder.display()));
        return format!("{export}\"$PATH\"");
    }
    format!(
        "$env:PATH = {} + $env:PATH",
        in_powershell(&format!("{};", folder.display()))
    )
}

/// Returns a text as a word of PowerShell: in quotes a quote is doubled, and nothing else means anything.
fn in_powershell(text: &str) -> String {
    let mut quoted = "'".to_owned();
    for c in text.chars() {
        quoted.push(c);
        if QUOTES.contains(&c) {
            quoted.push(c);
        }
    }
    quoted + "'"
}

#[cfg(test)]
mod tests {
    use super::in_powershell;

    #[test]
    fn a_word_of_powershell_means_itself() {
        for (text, quoted) in [
            (r"C:\a b;", r"'C:\a b;'"),
            ("it's", "'it''s'"),
            ("it\u{2019}s", "'it\u{2019}\u{2019}s'"),
            ("$(x)`n", "'$(x)`n'"),
        ] {
            assert_eq!(in_powershell(text), quoted);
        }
    }
}
