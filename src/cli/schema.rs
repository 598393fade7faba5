//! `schema`: the JSON Schema of every answer, from the types that are serialised.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::ErrorShape;
use super::ui::Versioned;
use crate::hooks::Hooks;
use crate::ops::answer::{Answer, AnswerKind, Envelope};
use crate::ops::shared::current_branch;
use crate::ops::verbs::list::{Blocked, Explanation, List};
use crate::ops::verbs::update::Updated;
use crate::ops::verbs::{
    blame, board, conflicts, create, dep, diff, doctor, done, graph, import, init, log, note,
    purge, rename_prefix, session, show, split, start, stats, status, sync, undo, uninstall, watch,
    where_,
};
use crate::ops::{Command, Error, Result};
use crate::setup;

fn of<T: JsonSchema>() -> Value {
    root::<Versioned<Envelope<T>>>()
}

/// The schema of what is written: what is left out when empty is not required.
fn root<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

/// The answer of `version`.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Version {
    /// The version of the program.
    pub(super) version: String,
}

impl Answer for Version {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// A verb and the schema of its answer.
type SchemaEntry = (&'static str, fn() -> Value);

const SCHEMAS: &[SchemaEntry] = &[
    ("assign", of::<Updated>),
    ("blame", of::<blame::Blame>),
    ("block", of::<Updated>),
    ("blocked", of::<Blocked>),
    ("board", of::<board::Board>),
    ("claim", of::<start::Started>),
    ("close", of::<done::Closed>),
    ("commit-msg", of::<current_branch::Trailer>),
    ("conflicts", of::<conflicts::Conflicts>),
    ("context", of::<session::Session>),
    ("create", of::<create::Created>),
    ("defer", of::<Updated>),
    ("delete", of::<Updated>),
    ("dep add", of::<dep::Linked>),
    ("dep cycles", of::<dep::Cycles>),
    ("dep rm", of::<dep::Linked>),
    ("dep tree", of::<dep::Tree>),
    ("diff", of::<diff::Diff>),
    ("doctor", of::<doctor::Diagnosis>),
    ("done", of::<done::Closed>),
    ("edit", of::<Updated>),
    ("error", root::<ErrorShape>),
    ("fsck", of::<doctor::Diagnosis>),
    ("graph", of::<graph::Graph>),
    ("hooks install", of::<Hooks>),
    ("hooks status", of::<Hooks>),
    ("hooks uninstall", of::<Hooks>),
    ("import", of::<import::Imported>),
    ("init", of::<init::Initialised>),
    ("label", of::<Updated>),
    ("link", of::<dep::Linked>),
    ("list", of::<List>),
    ("log", of::<log::Log>),
    ("man", of::<super::man::Pages>),
    ("note", of::<note::Noted>),
    ("prime", of::<session::Session>),
    ("priority", of::<Updated>),
    ("purge", of::<purge::Purged>),
    ("q", of::<create::Created>),
    ("ready", of::<List>),
    ("ready --explain", of::<Explanation>),
    ("redact", of::<note::Redacted>),
    ("rename", of::<Updated>),
    ("rename-prefix", of::<rename_prefix::PrefixRenamed>),
    ("reopen", of::<Updated>),
    ("restore", of::<Updated>),
    ("search", of::<List>),
    ("setup", of::<setup::SetupReport>),
    ("show", of::<show::Issues>),
    ("split", of::<split::Children>),
    ("start", of::<start::Started>),
    ("stats", of::<stats::Stats>),
    ("status", of::<status::Status>),
    ("sync", of::<sync::Synced>),
    ("undo", of::<undo::Undone>),
    ("uninstall", of::<uninstall::Uninstalled>),
    ("update", of::<Updated>),
    ("version", of::<Version>),
    ("watch", of::<watch::Event>),
    ("where", of::<where_::RepoInfo>),
];

/// The schema of one verb's answer, or of all, by verb.
///
/// # Errors
/// A verb without a JSON answer.
pub(super) fn schema(verb: Option<&str>) -> Result<Value> {
    let Some(verb) = verb else {
        return Ok(SCHEMAS
            .iter()
            .map(|(verb, schema)| ((*verb).to_owned(), schema()))
            .collect());
    };
    let verb = match verb {
        "unblock" | "resolve" => "block",
        "push" | "fetch" | "pull" => "sync",
        "clone" => "init",
        "ls" => "list",
        "grep" => "search",
        "new" | "add" => "create",
        "comment" | "progress" => "note",
        "decompose" => "split",
        "dep" => "dep add",
        "hooks" => "hooks status",
        verb => verb,
    };
    let found = SCHEMAS
        .iter()
        .find(|(name, _)| *name == verb)
        .map(|(_, schema)| schema());
    found.ok_or_else(|| {
        Error::not_found(format!("`{verb}` has no JSON answer")).hinted(Command::of("schema"))
    })
}
