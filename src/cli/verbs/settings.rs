//! `settings`: the keys of git's configuration, and the variables, that change how git-beads works.

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::man::{Setting, settings};
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::answer::{Answer, AnswerKind};

/// Set a key with `git config KEY VALUE`, for one repository, or with `--global` for all.
#[derive(Debug, Args)]
pub(super) struct SettingsArgs {}

/// The answer of `settings`.
#[derive(Serialize, JsonSchema)]
pub(super) struct SettingList {
    /// The keys of git's configuration.
    settings: Vec<Setting>,
    /// The variables of the environment.
    variables: Vec<Setting>,
}

impl Answer for SettingList {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

impl Verb for SettingsArgs {
    const NAME: &'static str = "settings";
    const ABOUT: &'static str = "List the settings and environment variables";
    const GROUP: Group = Group::Other;
    const EXAMPLES: &'static str = r"All of them; their names alone:

$ git beads settings
$ git beads settings -q
";
    type Answer = SettingList;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = SettingList {
            settings: settings("CONFIGURATION"),
            variables: settings("ENVIRONMENT"),
        };
        let ids = |list: &SettingList| {
            let all = list.settings.iter().chain(&list.variables);
            all.map(|it| it.name.clone()).collect()
        };
        cli.page();
        cli.answer(answer, ids, text);
        Ok(Exit::OK)
    }
}

fn text(ui: &mut Ui, list: &SettingList) {
    ui.line("Keys (git config KEY VALUE):");
    rows(ui, &list.settings);
    ui.line("");
    ui.line("Variables:");
    rows(ui, &list.variables);
}

pub(super) fn rows(ui: &mut Ui, settings: &[Setting]) {
    for setting in settings {
        ui.line(&format!("  {}", setting.name));
        ui.line(&format!("      {}", setting.meaning));
    }
}
