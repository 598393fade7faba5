//! `where`: which repository, ref and index answer here.

use clap::Args;

use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::where_::{RepoInfo, where_};

#[derive(Debug, Args)]
pub(super) struct WhereArgs {}

impl Verb for WhereArgs {
    const NAME: &'static str = "where";
    const ABOUT: &'static str = "Show which repository, ref and index are used";
    const GROUP: Group = Group::Keep;
    const EXAMPLES: &'static str = r"As text; for a program:

$ git beads where
$ git beads where --json
";
    type Answer = RepoInfo;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = where_(cli.tracker()?)?;
        cli.answer(answer, |place| vec![place.repo.clone()], text);
        Ok(Exit::OK)
    }
}

fn text(ui: &mut Ui, place: &RepoInfo) {
    let none = || "none yet (git beads init)".to_owned();
    // JSON leaves it out; a person reads how to have one.
    let agent = match (&place.agent, &place.agent_source) {
        (Some(name), Some(source)) => format!("{name} (from {source})"),
        _ => "none: a person (GIT_BEADS_AGENT=NAME names one)".to_owned(),
    };
    let pairs = [
        ("repository", place.repo.clone()),
        ("common dir", place.common_dir.clone()),
        ("ref", place.reference.clone()),
        ("commit", place.commit.clone().unwrap_or_else(none)),
        ("index", place.index.clone()),
        ("actor", place.actor.clone()),
        ("agent", agent),
        ("prefix", place.prefix.clone().unwrap_or_default()),
        ("store", place.stores.join(" ")),
        ("store found", place.found_at.clone().unwrap_or_default()),
        ("remotes", place.remotes.join(" ")),
        ("sends to", place.sends_to.clone().unwrap_or_default()),
        ("sandbox", place.sandbox.clone().unwrap_or_default()),
    ];
    for (name, value) in pairs.into_iter().filter(|(_, value)| !value.is_empty()) {
        let text = format!("{name}: {}", ui.one_line(&value));
        ui.line(&text);
    }
}
