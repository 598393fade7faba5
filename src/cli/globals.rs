//! The options that every verb takes.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::env::Env;
use crate::model::date_form::DateForm;
use crate::ops::{Code, Error, Location, Result};

/// The heading of the options that every verb takes.
pub(super) const GLOBAL: &str = "Global options";

/// Options that every verb takes.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Globals {
    /// Run as if started in DIR
    #[arg(short = 'C', global = true, help_heading = GLOBAL, value_name = "DIR")]
    pub(super) dir: Option<PathBuf>,
    /// Print JSON on one line (`--json=pretty` is indented)
    #[arg(long, global = true, help_heading = GLOBAL, hide_possible_values = true, value_name = "STYLE", num_args = 0..=1, require_equals = true, default_missing_value = "compact")]
    pub(super) json: Option<JsonStyle>,
    /// Print only ids
    #[arg(short, long, global = true, help_heading = GLOBAL)]
    pub(super) quiet: bool,
    /// Act as NAME
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "NAME")]
    pub(super) actor: Option<String>,
    /// Act as the agent NAME of that person
    #[arg(long = "agent", global = true, help_heading = GLOBAL, value_name = "NAME")]
    pub(super) agent_name: Option<String>,
    /// Colour: auto, always or never
    #[arg(long, global = true, help_heading = GLOBAL, hide_possible_values = true, value_name = "WHEN")]
    pub(super) color: Option<When>,
    /// Form of times, as in `git log`: relative, local, iso, short, human, format:...
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "FORM")]
    pub(super) date: Option<DateForm>,
    /// Do not use a pager
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(super) no_pager: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum JsonStyle {
    Compact,
    Pretty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum When {
    Auto,
    Always,
    Never,
}

impl Globals {
    /// Gives the commands that an error hints at the options that say where, and as whom, the caller acts.
    pub(super) fn lead(&self, error: &mut Error) {
        for (flag, value) in self.who_and_where() {
            for hint in &mut error.hints {
                hint.lead(flag, &value);
            }
        }
    }

    /// Returns the same options and their values.
    pub(super) fn leading(&self) -> Vec<(&'static str, String)> {
        self.who_and_where()
            .map(|(flag, value)| (flag, value.into_owned()))
            .collect()
    }

    fn who_and_where(&self) -> impl Iterator<Item = (&'static str, Cow<'_, str>)> {
        let dir = self.dir.as_ref().map(|dir| dir.to_string_lossy());
        let options = [
            ("-C", dir),
            ("--actor", self.actor.as_deref().map(Cow::from)),
            ("--agent", self.agent_name.as_deref().map(Cow::from)),
        ];
        let given = |(flag, value): (_, Option<_>)| Some((flag, value?));
        options.into_iter().filter_map(given)
    }

    /// Returns the user's folder: `-C`, else the current directory, with git's own variables.
    pub(super) fn location(&self, env: &Env) -> Result<Location> {
        let here = here(env)?;
        let env = env.clone();
        Ok(match &self.dir {
            Some(dir) => Location {
                dir: here.join(dir),
                explicit: true,
                env,
            },
            None => Location {
                dir: here,
                explicit: false,
                env,
            },
        })
    }
}

/// Returns the current directory.
pub(super) fn here(env: &Env) -> Result<PathBuf> {
    env.current_dir().map(Path::to_owned).map_err(|error| {
        let message = format!("can't read the current directory: {error}");
        Error::new(Code::Io, message)
    })
}
