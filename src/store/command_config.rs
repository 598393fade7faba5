//! The configuration that the user gives for one command, by `git -c` or `GIT_CONFIG_COUNT`.
//!
//! Git drops it where it enters another repository; ours is the one that the user has named, so the git that we run
//! obeys it as well: an address, a proxy or a credential may be known by it alone. What we set ourselves is added
//! after it, since the last value wins.

use std::ffi::OsString;
use std::iter::Peekable;
use std::process::Command;
use std::str::Chars;

use crate::env::Env;

/// Reads `GIT_CONFIG_PARAMETERS`, which carries `git -c key=value`, as keys and values.
///
/// Git writes `'key'='value'` separated by spaces, `'key'=` where there is no value, which means true, and a quote
/// inside as `'\''`. Before 2.31 it wrote `'key=value'`.
pub(super) fn config_parameters(text: &str) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    let mut chars = text.chars().peekable();
    while chars.peek().is_some() {
        let first = quoted(&mut chars);
        let pair = if chars.next_if_eq(&'=').is_some() {
            let has_value = chars.peek().is_some_and(|c| *c != ' ');
            (first, has_value.then(|| quoted(&mut chars)))
        } else {
            match first.split_once('=') {
                Some((key, value)) => (key.to_owned(), Some(value.to_owned())),
                None => (first, None),
            }
        };
        if !pair.0.is_empty() {
            found.push(pair);
        }
        chars.next_if_eq(&' ');
    }
    found
}

/// Reads a word that git has quoted for the shell, up to a space or an equals sign outside of the quotes.
fn quoted(chars: &mut Peekable<Chars<'_>>) -> String {
    let mut word = String::new();
    while let Some(c) = chars.next_if(|c| !matches!(c, ' ' | '=')) {
        match c {
            '\'' => word.extend(chars.by_ref().take_while(|c| *c != '\'')),
            '\\' => word.extend(chars.next()),
            other => word.push(other),
        }
    }
    word
}

/// Returns the configuration that the user has given for this command: `GIT_CONFIG_COUNT` and what it counts, then
/// `git -c`, which wins.
pub(super) fn command_configuration(env: &Env) -> Vec<(String, OsString)> {
    let count = env
        .var("GIT_CONFIG_COUNT")
        .and_then(|count| count.parse().ok());
    let counted = (0..count.unwrap_or(0)).map_while(|n: usize| {
        Some((
            env.var(&format!("GIT_CONFIG_KEY_{n}"))?,
            env.var_os(&format!("GIT_CONFIG_VALUE_{n}"))?,
        ))
    });
    let parameters = env.var("GIT_CONFIG_PARAMETERS").unwrap_or_default();
    let parameters = config_parameters(&parameters)
        .into_iter()
        .map(|(key, value)| (key, value.map_or_else(|| "true".into(), OsString::from)));
    counted.chain(parameters).collect()
}

/// Adds values to the configuration of a command, after those that it has; as variables, since `-c` ends a key at
/// the first `=`.
pub(super) fn add_configuration(
    command: &mut Command,
    values: impl IntoIterator<Item = (String, OsString)>,
) {
    // A variable that was only removed has no value here: git never sees that of our caller.
    let mut count = command
        .get_envs()
        .find(|(name, _)| *name == "GIT_CONFIG_COUNT")
        .and_then(|(_, count)| count?.to_str()?.parse().ok())
        .unwrap_or(0);
    for (key, value) in values {
        command.env(format!("GIT_CONFIG_KEY_{count}"), key);
        command.env(format!("GIT_CONFIG_VALUE_{count}"), value);
        count += 1;
    }
    if count > 0 {
        command.env("GIT_CONFIG_COUNT", count.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::config_parameters;

    #[test]
    fn git_c_is_read_as_git_writes_it() {
        let text = r"'beads.actor'='it'\''s me' 'beads.flag'= 'a.b'='x=y z' 'remote.a=b.url'='c=d' 'old.style==1'";
        let pair = |key: &str, value: Option<&str>| (key.to_owned(), value.map(str::to_owned));
        assert_eq!(
            config_parameters(text),
            [
                pair("beads.actor", Some("it's me")),
                pair("beads.flag", None),
                pair("a.b", Some("x=y z")),
                pair("remote.a=b.url", Some("c=d")),
                pair("old.style", Some("=1")),
            ]
        );
    }
}
