//! Refs that a fetch writes: each its own, so that two fetches never meet at a lock.
//!
//! A fetch brings what a remote has to `refs/beads-incoming/<ULID>/main`. It is validated there, then published to the
//! tracking ref by compare-and-swap, then the incoming ref goes. So a tip that is rejected never reaches the tracking
//! ref, and what a killed fetch leaves blocks nobody; the name says when it began, and the fetches of the next day
//! remove it.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use super::refs::{Expected, RefUpdate};
use super::{Cancel, Oid, Remotes, Result, StoreError};
use crate::env;
use crate::model::{Stamp, time};

/// Where the refs of fetches lie.
pub(super) const SPACE: &str = "refs/beads-incoming/";

/// The folder of a fetch's refs.
pub(super) struct IncomingRef {
    folder: String,
    /// The packs that were there before it.
    packs: BTreeSet<PathBuf>,
}

impl IncomingRef {
    pub(super) fn new(packs: BTreeSet<PathBuf>) -> Self {
        // A fixed seed, as in tests, gives the same numbers to all processes.
        let random = env::random() ^ u128::from(std::process::id());
        let unique = Stamp::after(Stamp::default(), env::now(), random);
        Self {
            folder: format!("{SPACE}{unique}/"),
            packs,
        }
    }

    /// The ref that the fetch writes.
    pub(super) fn reference(&self) -> String {
        format!("{}main", self.folder)
    }
}

impl Remotes<'_> {
    /// Validates what a fetch has brought, and publishes it as what the remote has; none where it brought nothing.
    ///
    /// # Errors
    /// [`StoreError::Rejected`]; then what was known of the remote stays known.
    pub(super) fn accept(
        self,
        remote: &str,
        incoming: &IncomingRef,
        known: Option<Oid>,
    ) -> Result<Option<Oid>> {
        let accepted = self.validated(remote, incoming);
        let published = match &accepted {
            Ok(tip) => self.publish_tracking(remote, known, *tip),
            Err(_) => Ok(()),
        };
        self.remove_incoming(incoming)?;
        published.and(accepted)
    }

    /// The tip that a fetch has brought, once all of it is checked. A clone with a filter may lack parts, which are
    /// fetched when they are needed: there the commits alone can be.
    fn validated(self, remote: &str, incoming: &IncomingRef) -> Result<Option<Oid>> {
        let Some(tip) = self.store.refs().id(&incoming.reference())? else {
            return Ok(None);
        };
        if !self.store.is_commit(tip)? {
            return Err(StoreError::Rejected(format!(
                "{} there is no commit",
                self.remote_ref(remote)
            )));
        }
        let ours = self.store.tip()?;
        self.store.incoming().check_commits(tip, ours)?;
        self.store.maintenance().adopt_pack(&incoming.packs, tip)?;
        if !self.is_partial() {
            self.store.incoming().validate(tip, ours)?;
        }
        Ok(Some(tip))
    }

    /// Checks what a tip brings that a fetch has just brought: there is something to do in a clone with a filter alone.
    ///
    /// # Errors
    /// As [`Incoming::validate`].
    pub(crate) fn inspect_fetched(
        self,
        remote: &str,
        tip: Oid,
        known: Option<Oid>,
        cancel: &Cancel,
    ) -> Result<()> {
        match self.is_partial() {
            true => self.inspect_from(remote, tip, known, cancel),
            false => Ok(()),
        }
    }

    /// Makes the tracking ref say what the remote has. A fetch beside us that was faster knows as much: its value
    /// stays.
    fn publish_tracking(self, remote: &str, known: Option<Oid>, tip: Option<Oid>) -> Result<()> {
        if tip == known {
            return Ok(());
        }
        let (lock, name) = (self.store.lock()?, Self::tracking(remote));
        match tip {
            Some(tip) => {
                let update = RefUpdate::new(&name, Expected::Value(known), tip);
                self.store.refs().update(&lock, &update).map(|_| ())
            }
            None => {
                // Git deletes packed refs, under a lock that may be somebody's: then a later fetch forgets it.
                let _ = self.store.refs().delete(&lock, &name);
                Ok(())
            }
        }
    }

    /// Removes the refs of a fetch, and what fetches of another day have left. Where that can't be done now, a later
    /// fetch does it: nobody looks at them.
    fn remove_incoming(self, incoming: &IncomingRef) -> Result<()> {
        self.remove_old_locks();
        let mut gone = Vec::new();
        for (name, _) in self.store.refs().below(SPACE)? {
            if name.starts_with(&incoming.folder) || is_old(&name) {
                gone.push(name);
            }
        }
        if gone.is_empty() {
            return Ok(());
        }
        let lock = self.store.lock()?;
        for name in gone {
            let _ = self.store.refs().delete(&lock, &name);
            self.store.refs().remove_folders_of(&name);
        }
        Ok(())
    }
}

impl Remotes<'_> {
    /// Removes locks without a ref, which a git that was killed leaves.
    fn remove_old_locks(self) {
        let folder = self.store.common_dir().join(SPACE);
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = format!("{SPACE}{}/main", entry.file_name().to_string_lossy());
            if is_old(&name) {
                let _ = fs::remove_file(self.store.common_dir().join(format!("{name}.lock")));
                self.store.refs().remove_folders_of(&name);
            }
        }
    }
}

/// Whether a fetch of another day began it, or nobody knows when.
fn is_old(name: &str) -> bool {
    let unique = name
        .strip_prefix(SPACE)
        .and_then(|rest| rest.split('/').next());
    let began = unique.and_then(|text| text.parse::<Stamp>().ok());
    began.is_none_or(|began| began.millis().abs_diff(env::now()) > time::DAY)
}
