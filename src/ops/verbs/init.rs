//! `init`: the first commit of the ref.

mod from;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::env::sandbox;
use crate::model::{Blob, Stamp, StatusChanges, Writer, id, prefix};
use crate::ops::answer::{After, Answer, AnswerKind, Next};
use crate::ops::shared::join::{StoreSearch, kept};
use crate::ops::shared::sync::NamedFile;
use crate::ops::tracker::begin_from_snapshot;
use crate::ops::{Code, Command, Error, Hint, Result, Tracker};
use crate::store::door::older::{PATH, head_file};
use crate::store::{Store, StoreError, TreePath};

/// The file of a work tree in which `bd` keeps its issues.
const FOUND: &str = ".beads/issues.jsonl";

/// Options of a new store.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Init {
    /// The prefix of new ids.
    #[schemars(description = "")]
    pub prefix: Option<String>,
    /// The prefix of a new store for which none is asked or configured.
    #[serde(skip)]
    pub usual_prefix: Option<String>,
    /// The remote whose store is joined; by default any that has one.
    #[schemars(description = "")]
    pub remote: Option<String>,
    /// Begins a store where a remote that may have one does not answer.
    #[serde(skip)]
    pub new: bool,
    /// The address whose store is joined, without a remote for it.
    #[serde(skip)]
    pub from: Option<String>,
    /// The carry file with a whole store that is joined.
    #[serde(skip)]
    pub(crate) file: Option<NamedFile>,
    /// The number of commits of its history that are brought at first; by default what `beads.depth` says, else all.
    #[serde(skip)]
    pub depth: Option<u32>,
}

/// What is there now.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Initialised {
    /// The repository.
    pub repo: String,
    /// The prefix of new ids.
    pub prefix: String,
    /// Whether it was there before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub existing: bool,
    /// The remote whose store was joined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joined: Option<String>,
    /// A file of issues in the work tree that could be imported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
}

impl Answer for Initialised {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
    fn next(&self) -> Next {
        After::Changed.next()
    }
}

/// Makes the store, or says that it is there. A store that is there keeps its prefix: it is everybody's.
pub fn init(tracker: &Tracker, request: &Init) -> Result<Initialised> {
    let store = tracker.store();
    let asked = request.prefix.as_deref().map(str::trim);
    if let Some(prefix) = asked {
        id::check_prefix(prefix).map_err(|error| {
            let meant = id::prefix_like(prefix);
            Error::from(error).hinted(Command::of("init").flag("--prefix").word(meant))
        })?;
    }
    if store.remotes().is_mirror() {
        return Err(Error::mirror());
    }
    let joined = joined(tracker, request, asked)?;
    let ((prefix, existing), _) = tracker.write_blobs(|snapshot, changes| {
        let message = tracker.message("init", &[], &StatusChanges::default());
        if let Some(snapshot) = snapshot {
            let mut meta = snapshot.meta()?;
            let prefix = kept(&meta, asked, "here")?;
            // A default that is asked for by name is a choice from then on.
            if asked.is_some() && !prefix::is_chosen(&meta) {
                let writer = writer(tracker, meta.newest());
                prefix::choose(&mut meta, &writer, &prefix);
                changes.put(TreePath::Meta, &meta)?;
                let subject = format!("rename-prefix {prefix} to {prefix}");
                let message = tracker.message(&subject, &[], &StatusChanges::default());
                return Ok(((prefix, true), message));
            }
            return Ok(((prefix, true), message));
        }
        let configured = store.config("beads.prefix");
        if let (None, Some(prefix)) = (asked, &configured) {
            id::check_prefix(prefix).map_err(|error| {
                let meant = id::prefix_like(prefix);
                Error::from(error).hinted(Command::line("git config beads.prefix").word(meant))
            })?;
        }
        let usual = request.usual_prefix.as_deref();
        let meta = first(tracker, asked.or(configured.as_deref()).or(usual));
        changes.put(TreePath::Meta, &meta)?;
        Ok(((prefix::of(&meta).to_owned(), false), message))
    })?;
    let found = store
        .work_tree()
        .map(|dir| dir.join(FOUND))
        .filter(|path| path.is_file());
    // The file is named for a new store only: later it may be an export of this store itself.
    let found = found
        .filter(|_| !existing)
        .map(|path| path.display().to_string());
    Ok(Initialised {
        repo: store.place().display().to_string(),
        prefix,
        // What was just joined was not here before.
        existing: existing && joined.is_none(),
        joined,
        found,
    })
}

/// Joins the store that is asked for, or that a remote has, and returns where that is; none where no one has one.
fn joined(tracker: &Tracker, request: &Init, asked: Option<&str>) -> Result<Option<String>> {
    let store = tracker.store();
    // Remotes are asked only where no store is here: `sync` joins what they have with one that is.
    if let Some(file) = &request.file {
        from::join_file(tracker, file, asked)?;
        if request.depth.is_some() {
            tracker.warn("a file has the whole history, so --depth changes nothing");
        }
        return Ok(Some(file.path.display().to_string()));
    }
    let joined = match (&request.from, store.tip()?) {
        (Some(url), _) => {
            from::join(tracker, (url, request.depth), asked)?;
            Some("that address".to_owned())
        }
        (None, None) => join(tracker, request, asked)?,
        (None, Some(_)) => None,
    };
    match (request.depth, &joined) {
        // Else the next exchange would bring the rest.
        (Some(depth), Some(_)) => store.remotes().depth().note(depth)?,
        (Some(_), None) => tracker.warn("no store was joined, so --depth changes nothing"),
        (None, _) => {}
    }
    Ok(joined)
}

/// Joins the store of a remote: the named one, else git's choice, else the first that has one, by our ref or by a
/// branch that the clone brought along.
///
/// A remote that does not answer may have one: a second store is begun only on request.
fn join(tracker: &Tracker, request: &Init, asked: Option<&str>) -> Result<Option<String>> {
    let (store, named) = (tracker.store(), request.remote.as_deref());
    let chosen = store.remotes().remote(named)?;
    let mut candidates: Vec<String> = chosen.clone().into_iter().collect();
    if named.is_none() {
        candidates.extend(
            store
                .remotes()
                .names()
                .into_iter()
                .filter(|name| Some(name) != chosen.as_ref()),
        );
    }
    let searched = StoreSearch::of(tracker, asked)
        .newest(request.depth)
        .joined(&candidates)?;
    if searched.remote.is_some() {
        return Ok(searched.remote);
    }
    // A part of a store that others have: a store that is begun here would be another one.
    if begin_from_snapshot(tracker) {
        return Ok(Some(PATH.to_owned()));
    }
    match searched.failure {
        _ if !request.new && has_snapshot(store)? => Err(begun_nowhere(&format!(
            "HEAD has {PATH}, which can't be used, so the issues of the project are elsewhere; none were begun here"
        ))),
        None if !request.new && candidates.is_empty() && sandbox::is_declared(tracker.env()) => {
            Err(begun_nowhere(
                "this sandbox has no remote, so the issues of the project are elsewhere; none were begun here",
            ))
        }
        None => check_formats(tracker, &candidates).map(|()| None),
        Some(error) if request.new => {
            tracker.warn(format!("{error}; git beads sync joins what it has later"));
            Ok(None)
        }
        Some(error) => Err(unanswered(error)),
    }
}

/// Refuses remotes whose objects have other ids.
fn check_formats(tracker: &Tracker, remotes: &[String]) -> Result<()> {
    let asked = tracker.store().remotes();
    let mut remotes = remotes.iter();
    Ok(remotes.try_for_each(|remote| asked.check_object_format(remote, tracker.cancel()))?)
}

/// Returns whether HEAD has the snapshot file of a store: where it could not be used, a store that is begun would be another
/// one.
fn has_snapshot(store: &Store) -> Result<bool> {
    Ok(head_file(store)?.is_some())
}

fn begun_nowhere(message: &str) -> Error {
    let join = Command::of("init").flag("--from").word("URL");
    Error::new(Code::NoStore, message)
        .hinted(join.then(" joins them"))
        .also(Hint::run(
            "to begin some anyway: ",
            Command::of("init").flag("--new"),
        ))
}

/// A remote that may have a store, and did not say so.
fn unanswered(error: StoreError) -> Error {
    let mut error = Error::from(error);
    error
        .hints
        .insert(0, Hint::text("it may have a store, so none was begun"));
    error.also(Hint::run(
        "to begin one anyway: ",
        Command::of("init").flag("--new"),
    ))
}

/// The registers of a new store: its id is the creation stamp. A prefix that is chosen has a stamp of its own, which
/// distinguishes it from a default.
fn first(tracker: &Tracker, chosen: Option<&str>) -> Blob {
    let creator = writer(tracker, Stamp::default());
    let mut meta = Blob::new(None, &creator);
    meta.epoch = Some(0);
    meta.mark(&creator, "stores", &creator.at.to_string(), true);
    match chosen {
        Some(chosen) => prefix::choose(&mut meta, &writer(tracker, creator.at), chosen),
        None => prefix::leave_default(&mut meta),
    }
    meta
}

/// Returns who writes registers of the store, after all that was seen of it.
fn writer(tracker: &Tracker, seen: Stamp) -> Writer {
    Writer {
        at: tracker.stamp(tracker.now(), seen),
        by: tracker.actor().to_owned(),
        millis: tracker.now(),
    }
}
