//! `init`: the first commit of the ref.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{Blob, Stamp, Turns, Writer, id};
use crate::ops::answer::{Answer, Kind, Next};
use crate::ops::{Error, Result, Tracker};
use crate::store::{Oid, Path, Store, StoreError};

/// Where `bd` keeps its issues in a work tree.
const FOUND: &str = ".beads/issues.jsonl";

/// How to begin.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Init {
    /// The prefix of new ids.
    #[schemars(description = "")]
    pub prefix: Option<String>,
    /// The remote whose store is joined; by default any that has one.
    #[schemars(description = "")]
    pub remote: Option<String>,
    /// Begins a store where a remote that may have one does not answer.
    #[serde(skip)]
    pub new: bool,
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
    fn kind(&self) -> Kind {
        Kind::Report
    }
    fn next(&self) -> Next {
        Next::Continue
    }
}

/// Makes the store, or says that it is there; a prefix that is named is the prefix afterwards.
///
/// # Errors
/// A malformed prefix, or a repository that can't be written.
pub fn init(tracker: &Tracker, request: &Init) -> Result<Initialised> {
    let store = tracker.store();
    let asked = request.prefix.as_deref().map(str::trim);
    if let Some(prefix) = asked {
        id::check_prefix(prefix)
            .map_err(|error| Error::from(error).hinted("git beads init --prefix bd"))?;
    }
    if store.is_mirror() {
        return Err(super::sync::mirror());
    }
    let joined = if store.tip()?.is_none() {
        join(tracker, request)?
    } else {
        None
    };
    let ((prefix, existing), _) = store.transact(|snapshot, draft| -> Result<_> {
        let by = tracker.actor().to_owned();
        let mut meta = snapshot.map(|snapshot| snapshot.meta()).transpose()?;
        let existing = meta.is_some();
        let seen = meta.as_ref().map(Blob::newest).unwrap_or_default();
        let at = tracker.stamp(tracker.now(), seen);
        let writer = Writer {
            at,
            by,
            millis: tracker.now(),
        };
        let configured = store.config("beads.prefix");
        if let (None, Some(prefix)) = (asked, &configured) {
            id::check_prefix(prefix)
                .map_err(|error| Error::from(error).hinted("git config beads.prefix bd"))?;
        }
        let blob = meta.get_or_insert_with(|| first(&writer));
        let stored = blob.text("prefix").map(str::to_owned);
        let prefix = asked
            .map(str::to_owned)
            .or(stored)
            .or(configured)
            .unwrap_or_else(|| "bd".to_owned());
        if blob.set(&writer, "prefix", Value::from(prefix.as_str())) || !existing {
            draft.put(Path::Meta, blob)?;
        }
        Ok((
            (prefix, existing),
            tracker.message("init", &[], &Turns::default()),
        ))
    })?;
    let found = store
        .work_tree()
        .map(|dir| dir.join(FOUND))
        .filter(|path| path.is_file());
    let found = found
        .filter(|_| !existing)
        .map(|path| path.display().to_string());
    Ok(Initialised {
        repo: store.place().display().to_string(),
        prefix,
        existing: existing && joined.is_none(),
        joined,
        found,
    })
}

/// Joins the store of a remote: the named one, else git's choice, else the first that has one, by our ref or by a
/// branch that the clone brought along.
///
/// A remote that does not answer may have one: a second store is begun only on request.
fn join(tracker: &Tracker, request: &Init) -> Result<Option<String>> {
    let (store, named) = (tracker.store(), request.remote.as_deref());
    let chosen = store.remote(named)?;
    let mut candidates: Vec<String> = chosen.clone().into_iter().collect();
    if named.is_none() {
        candidates.extend(
            store
                .remotes()
                .into_iter()
                .filter(|name| Some(name) != chosen.as_ref()),
        );
    }
    let mut failures = Vec::new();
    for remote in &candidates {
        match store.fetch(remote, false) {
            Ok(Some(tip)) => return take(store, remote, tip).map(|()| Some(remote.clone())),
            Ok(None) => {}
            Err(error @ StoreError::Remote { .. }) => failures.push(error),
            Err(error) => return Err(error.into()),
        }
    }
    for remote in &candidates {
        if let Some((branch, tip)) = store.cloned_store(remote)? {
            take(store, remote, tip)?;
            store.note_remote_ref(remote, &branch)?;
            return Ok(Some(remote.clone()));
        }
    }
    match failures.into_iter().next() {
        None => {
            let mut remotes = candidates.iter();
            remotes.try_for_each(|remote| store.check_object_format(remote))?;
            Ok(None)
        }
        Some(error) if request.new => {
            tracker.warn(format!("{error}; git beads sync joins what it has later"));
            Ok(None)
        }
        Some(error) => Err(unanswered(error)),
    }
}

/// Makes what a remote has ours, once it has passed the gate.
fn take(store: &Store, remote: &str, tip: Oid) -> Result<()> {
    store.inspect_from(remote, tip, None)?;
    store.join(tip)?;
    store.remember(remote, tip)?;
    if store.config_bool("beads.trackFetch") == Some(true) {
        store.track_fetch(remote)?;
    }
    Ok(())
}

/// A remote that may have a store, and did not say so.
fn unanswered(error: StoreError) -> Error {
    let error = Error::from(error);
    let hint = error.hint.clone().unwrap_or_default();
    error.hinted(format!(
        "it may have a store, so none was begun; {hint}; to begin one anyway: git beads init --new"
    ))
}

/// The registers of a new store: its id is the creation stamp.
fn first(writer: &Writer) -> Blob {
    let mut meta = Blob::new(None, writer);
    meta.epoch = Some(0);
    meta.mark(writer, "stores", &writer.at.to_string(), true);
    meta
}

/// Whether the repository has a store.
///
/// # Errors
/// A ref that can't be read.
pub fn exists(tracker: &Tracker) -> Result<bool> {
    Ok(tracker
        .store()
        .tip()
        .map_err(|error: StoreError| Error::from(error))?
        .is_some())
}

/// The ids of all stores ever joined here.
///
/// # Errors
/// A `meta.json` that can't be read.
pub fn stores(tracker: &Tracker) -> Result<Vec<Stamp>> {
    let meta = tracker.store().snapshot()?.meta()?;
    Ok(meta
        .live("stores")
        .filter_map(|(id, _)| id.parse().ok())
        .collect())
}
