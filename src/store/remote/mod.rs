//! Exchange with other clones, through the user's own `git`.
//!
//! A fetch never writes our ref: once validated, what a remote has is kept at `refs/beads-remotes/<remote>/`, and what
//! was last seen there at `refs/beads-seen/<remote>/`, so that a remote that was rewound or emptied
//! takes nothing from us. A push is never forced.
//!
//! An exchange carries the refs that it names, no matter what the user has configured for exchanges of their own: the
//! store, the mailboxes and the claims of a remote. What a failure is, git's own words decide, never those of a remote.

pub(crate) mod address;
mod depth;
mod exchange;
mod fetch;
pub(crate) mod mailbox;
mod older_claims;
mod push;

use std::time::Duration;

use gix::refs::FullName;

use super::failure::Failure;
use super::git::{checked, output};
use super::refs::{BRANCHES, Expected, RefUpdate};
use super::refspec::overwrites;
use super::{
    Cancel, Oid, REF, Result, Snapshot, Store, StoreError, TreePath, look_twice, unreadable,
};
use crate::model::Blob;
use crate::model::blob::ALIASES;
pub(crate) use depth::HistoryPart;
pub(crate) use older_claims::OlderClaim;
pub(crate) use push::Push;

/// The remotes of a repository: which there are, and the exchange with them.
#[derive(Clone, Copy)]
pub(crate) struct Remotes<'s> {
    pub(super) store: &'s Store,
    /// The time that a remote may say nothing, where that is less than usual.
    limit: Option<Duration>,
    /// The ref on the remote, where it is another than the one that is configured.
    at: Option<&'s str>,
    /// The address, where there is no remote for it.
    url: Option<&'s str>,
    /// The part of the history that a fetch brings.
    part: HistoryPart,
    /// True if no one can answer a question of git, or of what it runs.
    is_unattended: bool,
}

/// A remote that git has renamed.
pub(crate) struct Renamed {
    pub(crate) name: String,
    /// Our refspec, which leads to the former name.
    line: String,
    former: String,
}

impl Store {
    /// Returns the remotes of a repository: which there are, and the exchange with them.
    pub(crate) fn remotes(&self) -> Remotes<'_> {
        Remotes {
            store: self,
            limit: None,
            at: None,
            url: None,
            part: HistoryPart::Usual,
            is_unattended: false,
        }
    }

    /// Returns true if an object is here and is a commit. One that is damaged is none.
    ///
    /// # Errors
    /// [`StoreError::TooManyPacks`], where it may be in one that no one has looked into.
    pub(crate) fn is_commit(&self, oid: Oid) -> Result<bool> {
        // An id of another length is none of this repository.
        if oid.0.kind() != self.repo.object_hash() {
            return Ok(false);
        }
        let found = look_twice(|| self.repo.find_header(oid.0));
        match found.map_err(unreadable("a commit")) {
            Ok(header) => Ok(header.kind() == gix::objs::Kind::Commit),
            Err(full @ StoreError::TooManyPacks { .. }) => Err(full),
            Err(_) => Ok(false),
        }
    }
}

impl<'s> Remotes<'s> {
    /// Returns the same, for a store that a remote has at another ref than the one that is configured.
    pub(crate) fn at(self, reference: &'s str) -> Self {
        let at = Some(reference);
        Self { at, ..self }
    }

    /// Returns the same, for an address that is asked under a name that no remote has.
    pub(crate) fn of_url(self, url: &'s str) -> Self {
        let url = Some(url);
        Self { url, ..self }
    }

    /// Returns the same, where no one can answer a question: without a word of the user what needs one fails at once.
    pub(crate) fn unattended(self) -> Self {
        Self {
            is_unattended: true,
            ..self
        }
    }
}

impl Remotes<'_> {
    /// Returns the same, with less patience: so long a remote may say nothing.
    pub(crate) fn within(self, limit: Duration) -> Self {
        let limit = Some(limit);
        Self { limit, ..self }
    }

    /// Returns the names of the remotes.
    pub(crate) fn names(self) -> Vec<String> {
        self.store
            .repo
            .remote_names()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    /// Returns the remote to use: the one named, else `beads.remote`, else as git would choose.
    pub(crate) fn remote(self, named: Option<&str>) -> Result<Option<String>> {
        let known = self.names();
        let check = |name: String| match known.contains(&name) {
            true => Ok(Some(name)),
            false => Err(StoreError::NoRemote {
                name,
                known: known.join(", "),
            }),
        };
        if let Some(name) = named
            .map(str::to_owned)
            .or_else(|| self.store.config("beads.remote"))
        {
            return check(name);
        }
        let tracked = self
            .store
            .user_branches()
            .current_branch()
            .and_then(|branch| self.store.config(&format!("branch.{branch}.remote")));
        let chosen = tracked.filter(|name| known.contains(name));
        Ok(chosen.or_else(|| usual(&known)))
    }

    /// Returns the ref on a remote: ours, unless its host refuses the namespace.
    pub(super) fn remote_ref(self, remote: &str) -> String {
        let here = self.at.map(str::to_owned);
        here.or_else(|| self.store.config("beads.remoteRef"))
            .or_else(|| self.store.config(&format!("remote.{remote}.beadsRef")))
            .unwrap_or_else(|| REF.to_owned())
    }

    /// Returns the branch of a remote that holds a store, as a plain clone brings it along, and its tip: the branch
    /// that `beads.remoteRef` names, else `beads`. Not asked for; none where it holds anything else.
    pub(crate) fn cloned_store(self, remote: &str) -> Result<Option<(String, Oid)>> {
        let named = self.remote_ref(remote);
        let branch = match named.strip_prefix(BRANCHES) {
            Some(branch) => branch,
            None if named == REF => "beads",
            None => return Ok(None),
        };
        let Some(tip) = self.resolve(&format!("refs/remotes/{remote}/{branch}"))? else {
            return Ok(None);
        };
        let snapshot = self.store.snapshot_at(tip)?;
        let is_left_out = |error: &StoreError| error.is_unreadable() && self.is_partial();
        let holds = match snapshot.is_of_a_store() {
            Err(error) if is_left_out(&error) => false,
            // What a filter has left out of it is fetched before it is used.
            is_store => {
                is_store?
                    && snapshot
                        .meta()
                        .map_or_else(|error| is_left_out(&error), |_| true)
            }
        };
        Ok(holds.then(|| (format!("{BRANCHES}{branch}"), tip)))
    }

    /// Returns the tips of the branches that hold the stores of remotes, as the user's own fetches and pushes have left them.
    pub(in crate::store) fn tracked_stores(self) -> Result<Vec<Oid>> {
        let mut tips = Vec::new();
        for remote in self.names() {
            for branch in self.addresses(&remote).branches() {
                tips.extend(self.resolve(&format!("refs/remotes/{remote}/{branch}"))?);
            }
        }
        Ok(tips)
    }

    /// Returns the tips that remotes are known to have or to have taken, also remotes that are gone.
    pub(crate) fn taken_tips(self) -> Result<Vec<Oid>> {
        let mut tips = Vec::new();
        for space in ["refs/beads-remotes/", "refs/beads-seen/"] {
            let found = self.store.refs().below(space)?.into_iter();
            let taken = found.filter(|(name, _)| !name.ends_with(push::SENDING));
            tips.extend(taken.filter_map(|(_, tip)| tip));
        }
        Ok(tips)
    }

    pub(super) fn tracking(remote: &str) -> String {
        format!("refs/beads-remotes/{remote}/main")
    }

    pub(super) fn merged_ref(remote: &str) -> String {
        format!("refs/beads-seen/{remote}/main")
    }

    /// The ref of a state that was fetched and not merged, and that the remote has no more.
    pub(super) fn unmerged_ref(remote: &str) -> String {
        format!("refs/beads-seen/{remote}/unmerged")
    }

    /// Returns the tip that a remote had when it was last asked.
    pub(crate) fn remote_tip(self, remote: &str) -> Result<Option<Oid>> {
        match self.tracked(remote)? {
            Some(tip) if self.store.is_commit(tip)? => Ok(Some(tip)),
            _ => Ok(None),
        }
    }

    /// Returns the same, without a look at the object.
    pub(crate) fn tracked(self, remote: &str) -> Result<Option<Oid>> {
        self.resolve(&Self::tracking(remote))
    }

    /// Returns the tip of a remote that was last merged into our history, if there is one.
    pub(crate) fn seen_tip(self, remote: &str) -> Result<Option<Oid>> {
        self.resolve(&Self::merged_ref(remote))
    }

    /// Returns the tip that was fetched from a remote, which it has no more and no one has merged.
    pub(crate) fn unmerged_tip(self, remote: &str) -> Result<Option<Oid>> {
        self.resolve(&Self::unmerged_ref(remote))
    }

    /// Forgets that tip, once it is part of our history.
    pub(crate) fn forget_unmerged(self, remote: &str) -> Result<()> {
        let lock = self.store.lock()?;
        self.store.refs().delete(&lock, &Self::unmerged_ref(remote))
    }

    pub(super) fn resolve(self, name: &str) -> Result<Option<Oid>> {
        self.store.refs().id(name)
    }

    /// Returns the refspec by which a plain `git fetch` brings what a remote has. In our namespace a wildcard, since
    /// the user's own fetch would fail where the remote lacks an exact name; a branch by its name, since others begin
    /// like it.
    pub(super) fn refspec(self, remote: &str) -> String {
        let (from, to) = (self.remote_ref(remote), Self::tracking(remote));
        match from.starts_with(BRANCHES) {
            true => format!("+{from}:{to}"),
            false => format!("+{from}*:{to}*"),
        }
    }

    /// Refuses a remote whose objects have other ids than ours. An older git makes a clone of an empty one so, and
    /// says nothing: only the packets tell, while there is no ref to see it by.
    pub(crate) fn check_object_format(self, remote: &str, cancel: &Cancel) -> Result<()> {
        let followed = format!("refs/remotes/{remote}/");
        if !self.store.refs().below(&followed)?.is_empty() {
            return Ok(());
        }
        let mut command = self.exchanging(remote)?;
        command.env("GIT_TRACE_PACKET", "1");
        command.args(["ls-remote", "--quiet", "--end-of-options", remote, REF]);
        let output = self.exchange(remote, &mut command, cancel)?;
        self.transport("ls-remote", remote, &output)?;
        let packets = String::from_utf8_lossy(&output.stderr);
        let (_, theirs) = packets.split_once("object-format=").unwrap_or_default();
        let theirs = theirs.split_whitespace().next().unwrap_or_default();
        let ours = self.store.repo.object_hash().to_string();
        if theirs.is_empty() || theirs == ours {
            return Ok(());
        }
        let said = format!("it keeps its objects as {theirs}, and this repository as {ours}");
        Err(self.failed(remote, said, Failure::OtherFormat))
    }

    /// Refuses to go on where a ref of the remote is in the way of our ref: one is a folder for the other.
    pub(crate) fn check_in_the_way(self, remote: &str, cancel: &Cancel) -> Result<()> {
        let ours = self.remote_ref(remote);
        let mut command = self.exchanging(remote)?;
        command.args(["ls-remote", "--refs", "--end-of-options", remote]);
        let above = ours.match_indices('/').map(|(at, _)| ours[..at].to_owned());
        // The first is `refs`, which can be no ref.
        let patterns: Vec<String> = above.skip(1).chain([format!("{ours}/*")]).collect();
        let output = self.exchange(remote, command.args(&patterns), cancel)?;
        self.transport("ls-remote", remote, &output)?;
        let listed = String::from_utf8_lossy(&output.stdout);
        let names = listed.lines().filter_map(|line| line.split('\t').nth(1));
        let in_the_way = |name: &&str| {
            let (above, below) = (format!("{name}/"), format!("{ours}/"));
            ours.starts_with(&above) || name.starts_with(&below)
        };
        match names.into_iter().find(in_the_way) {
            None => Ok(()),
            Some(name) => {
                let said = format!("it has {name}, so {ours} can't exist there");
                Err(self.failed(remote, said, Failure::InTheWay))
            }
        }
    }

    /// Puts the refspec into the configuration, for those who want a plain `git fetch` to bring issues.
    pub(crate) fn track_fetch(self, remote: &str) -> Result<()> {
        let (key, refspec) = (format!("remote.{remote}.fetch"), self.refspec(remote));
        let known = output(
            self.store
                .git()
                .command()
                .args(["config", "--get-all", &key]),
        )?;
        if String::from_utf8_lossy(&known.stdout)
            .lines()
            .any(|line| line == refspec)
        {
            return Ok(());
        }
        let added = output(
            self.store
                .git()
                .command()
                .args(["config", "--add", &key, &refspec]),
        )?;
        checked("config", added.status.success(), &added.stderr)
    }

    /// Returns the remotes that git has renamed, each with our refspec that it has left at the former name, and that name.
    pub(crate) fn renamed(self) -> Vec<Renamed> {
        let mut found = Vec::new();
        for name in self.names() {
            for line in self.store.config_all(&format!("remote.{name}.fetch")) {
                let to = line.split_once(":refs/beads-remotes/").map(|(_, to)| to);
                let former =
                    to.and_then(|to| to.strip_suffix("/main*").or(to.strip_suffix("/main")));
                if let Some(former) = former.filter(|former| *former != name).map(str::to_owned) {
                    let name = name.clone();
                    found.push(Renamed { name, line, former });
                }
            }
        }
        found
    }

    /// Lets our refspecs, and what was last seen of a remote, follow the name that git has given it.
    pub(crate) fn follow_renamed(self) -> Result<()> {
        for Renamed { name, line, former } in self.renamed() {
            let key = format!("remote.{name}.fetch");
            // The new one first: killed in between, there is one that brings the issues.
            self.track_fetch(&name)?;
            let git = self.store.git();
            git.unset_config(&["--fixed-value", &key, &line])?;
            let own = self.refspec(&former);
            // A new remote of that name has been asked since: what is known under the name is of that one.
            if self
                .store
                .config_all(&format!("remote.{former}.fetch"))
                .contains(&own)
            {
                continue;
            }
            for place in [Self::tracking, Self::merged_ref, Self::unmerged_ref] {
                let (old, new) = (place(&former), place(&name));
                if let Some(tip) = self.resolve(&old)? {
                    self.point(&new, tip)?;
                    self.store.refs().delete(&self.store.lock()?, &old)?;
                }
            }
        }
        Ok(())
    }

    /// Remembers what a remote had, once it is part of our history.
    pub(crate) fn note_merged_tip(self, remote: &str, tip: Oid) -> Result<()> {
        self.point(&Self::merged_ref(remote), tip)
    }

    /// Remembers again what a remote had before, where what it has now is not used.
    pub(crate) fn note_former_tip(self, remote: &str, tip: Oid) -> Result<()> {
        self.point(&Self::tracking(remote), tip)
    }

    fn point(self, name: &str, tip: Oid) -> Result<()> {
        if self.resolve(name)? == Some(tip) {
            return Ok(());
        }
        let lock = self.store.lock()?;
        self.store
            .refs()
            .update(&lock, &RefUpdate::new(name, Expected::Any, tip))
            .map(|_| ())
    }

    /// Returns true if objects may be missing here, as in a clone with a filter.
    pub(crate) fn is_partial(self) -> bool {
        !self.filtering().is_empty()
    }

    /// Returns the remotes whose fetches leave objects out, as `git clone --filter` has them.
    fn filtering(self) -> Vec<String> {
        let whole = self.store.config("extensions.partialClone");
        let is_promised = |name: &String| {
            whole.as_ref() == Some(name)
                || self.store.config_bool(&format!("remote.{name}.promisor")) == Some(true)
        };
        self.names().into_iter().filter(is_promised).collect()
    }

    /// Returns true if a fetch would overwrite our ref with the remote's.
    pub(crate) fn is_mirror(self) -> bool {
        let lines = |name: &String| self.store.config_all(&format!("remote.{name}.fetch"));
        self.names()
            .iter()
            .any(|name| overwrites(&lines(name), REF))
    }
}

/// Returns the remote that is used where nothing else chooses: the only one, else `origin`.
pub(super) fn usual(known: &[String]) -> Option<String> {
    match known {
        [only] => Some(only.clone()),
        _ => known.iter().find(|name| *name == "origin").cloned(),
    }
}

/// Refuses a remote whose name can be no part of a ref: only a hand in the configuration can give it one.
fn check_remote_name(remote: &str) -> Result<()> {
    match FullName::try_from(Remotes::tracking(remote)) {
        Ok(_) => Ok(()),
        Err(_) => Err(StoreError::Refused(format!(
            "the remote `{remote}` has a name that no ref can have: git remote add NAME URL"
        ))),
    }
}

impl Snapshot<'_> {
    /// Returns the ids of issues that a tip of a remote has and this state lacks or has otherwise.
    pub(crate) fn announced_by(&self, tip: Oid) -> Result<Vec<String>> {
        let (store, mut ids) = (self.store(), Vec::new());
        let theirs = Snapshot::at(store, tip)?;
        // It may have come by a fetch of the user's own, which validates nothing.
        if !store.incoming().is_bounded(theirs, *self) {
            return Ok(ids);
        }
        store.diff::<StoreError>(Some(self.tree()), theirs.tree(), &mut |change| {
            if let (Some(TreePath::Issue(_)), Some(oid)) = (change.path, change.oid)
                && let Ok(blob) = Blob::parse(&theirs.read(oid)?)
            {
                ids.extend(blob.text("id").map(str::to_owned));
                ids.extend(blob.live(ALIASES).map(|(id, _)| id.to_owned()));
            }
            Ok(())
        })?;
        Ok(ids)
    }
}
