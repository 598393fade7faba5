//! Exchange with other clones, through the user's own `git`.
//!
//! A fetch never writes our ref: what a remote has is kept at `refs/beads-remotes/<remote>/`, and what
//! was last seen there at `refs/beads-seen/<remote>/`, so that a remote that was rewound or emptied
//! takes nothing from us. A push is never forced.

use std::process::Output;

use gix::refs::transaction::{Change, PreviousValue, RefEdit, RefLog};
use gix::refs::{FullName, Target};

use super::git::{checked, output};
use super::{Oid, Path, REF, Result, Snapshot, Store, StoreError, unreadable, unwritable};
use crate::env;
use crate::model::Blob;

/// What a push came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Push {
    /// The remote has our tip now, and said this.
    Done(Vec<String>),
    /// It has commits that we lack.
    Behind,
}

impl Store {
    /// The remote to use: the one named, else `beads.remote`, else as git would choose.
    ///
    /// # Errors
    /// A name that is no remote of this repository.
    pub fn remote(&self, named: Option<&str>) -> Result<Option<String>> {
        let known = self.remotes();
        let check = |name: String| match known.contains(&name) {
            true => Ok(Some(name)),
            false => Err(StoreError::NoRemote {
                name,
                known: known.join(", "),
            }),
        };
        if let Some(name) = named
            .map(str::to_owned)
            .or_else(|| self.config("beads.remote"))
        {
            return check(name);
        }
        let tracked = self
            .current_branch()
            .and_then(|branch| self.config(&format!("branch.{branch}.remote")));
        let chosen = tracked.filter(|name| known.contains(name));
        Ok(chosen.or_else(|| match known.as_slice() {
            [only] => Some(only.clone()),
            _ => known.iter().find(|name| *name == "origin").cloned(),
        }))
    }

    /// The ref on a remote: ours, unless its host refuses the namespace.
    fn remote_ref(&self) -> String {
        self.config("beads.remoteRef")
            .unwrap_or_else(|| REF.to_owned())
    }

    pub(super) fn tracking(remote: &str) -> String {
        format!("refs/beads-remotes/{remote}/main")
    }

    pub(super) fn seen(remote: &str) -> String {
        format!("refs/beads-seen/{remote}/main")
    }

    /// What a remote had when it was last asked.
    ///
    /// # Errors
    /// A ref that can't be read.
    pub fn remote_tip(&self, remote: &str) -> Result<Option<Oid>> {
        Ok(self.tracked(remote)?.filter(|tip| self.is_commit(*tip)))
    }

    /// The same, whatever it is: no object is read.
    ///
    /// # Errors
    /// A ref that can't be read.
    pub fn tracked(&self, remote: &str) -> Result<Option<Oid>> {
        self.resolve(&Self::tracking(remote))
    }

    /// Whether an object is here and is a commit.
    pub fn is_commit(&self, oid: Oid) -> bool {
        self.repo
            .find_header(oid.0)
            .is_ok_and(|header| header.kind() == gix::objs::Kind::Commit)
    }

    /// What we have seen of a remote and its ref no longer leads to, if anything.
    ///
    /// # Errors
    /// A ref that can't be read.
    pub fn seen_tip(&self, remote: &str) -> Result<Option<Oid>> {
        self.resolve(&Self::seen(remote))
    }

    pub(super) fn resolve(&self, name: &str) -> Result<Option<Oid>> {
        if FullName::try_from(name).is_err() {
            return Ok(None);
        }
        let found = self
            .repo
            .try_find_reference(name)
            .map_err(unreadable(name))?;
        Ok(found.and_then(|reference| reference.try_id().map(|id| Oid(id.detach()))))
    }

    /// Asks a remote what it has; none where it has nothing, or nothing any more.
    ///
    /// `refetch` asks for all of it again: a clone with a filter may lack what it believes to have.
    ///
    /// # Errors
    /// [`StoreError::Remote`] with what git said.
    pub fn fetch(&self, remote: &str, refetch: bool) -> Result<Option<Oid>> {
        bears_refs(remote)?;
        let mut command = self.git();
        command.args([
            "-c",
            "fetch.unpackLimit=1",
            "-c",
            "core.fsync=committed,reference",
        ]);
        command.args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"]);
        command.args(["-c", "http.lowSpeedLimit=100", "-c", "http.lowSpeedTime=60"]);
        // An empty map: else git also does what the configuration says, which in a mirror writes our ref.
        command.args([
            "fetch",
            "--refmap=",
            "--prune",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
        ]);
        if self.is_partial() {
            command.arg("--no-filter");
        }
        if refetch {
            command.arg("--refetch");
        }
        if let Some(depth) = self.depth_to_heal(remote)? {
            command.arg(depth);
        }
        self.quiet(&mut command)
            .args(["--end-of-options", remote, &self.refspec(remote)]);
        self.transport("fetch", remote, &output(&mut command)?)?;
        match self.resolve(&Self::tracking(remote))? {
            Some(tip) if !self.is_commit(tip) => Err(StoreError::Rejected(format!(
                "{} there is no commit",
                self.remote_ref()
            ))),
            Some(tip) => self
                .check_commits(tip, self.tip()?)
                .map(|()| Some(tip))
                .or_else(|error| {
                    // Else whatever looks at the distance to the remote would read them.
                    self.forget(&Self::tracking(remote))?;
                    Err(error)
                }),
            None => Ok(None),
        }
    }

    /// The option that brings the history a `git fetch --depth` of the user has cut off. The largest
    /// depth but one: the largest would deepen the user's own branches too.
    fn depth_to_heal(&self, remote: &str) -> Result<Option<&'static str>> {
        let shallow =
            std::fs::read_to_string(self.common_dir().join("shallow")).unwrap_or_default();
        let cut: Vec<Oid> = shallow.lines().filter_map(Oid::parse).collect();
        for tip in [self.tip()?, self.remote_tip(remote)?]
            .into_iter()
            .flatten()
        {
            let history = if cut.is_empty() {
                Vec::new()
            } else {
                Snapshot::at(self, tip)?.history(None)?
            };
            if history.iter().any(|commit| cut.contains(&commit.oid)) {
                return Ok(Some("--depth=2147483646"));
            }
        }
        Ok(None)
    }

    /// Checks what a tip brings; a clone with a filter first gets what an earlier fetch left out.
    ///
    /// # Errors
    /// As [`Store::inspect`].
    pub fn inspect_from(&self, remote: &str, tip: Oid, known: Option<Oid>) -> Result<()> {
        match self.inspect(tip, known) {
            Err(StoreError::Unreadable { .. }) if self.is_partial() => {
                self.fetch(remote, true)?;
                self.inspect(tip, known)
            }
            checked => checked,
        }
    }

    /// Where a fetch puts what a remote has. A wildcard, since an exact refspec fails where the remote has
    /// no such ref yet; a narrow one, since whatever else lies there is not ours.
    pub(super) fn refspec(&self, remote: &str) -> String {
        format!("+{}*:refs/beads-remotes/{remote}/main*", self.remote_ref())
    }

    /// Progress goes straight to the terminal where there is one; else git must not ask anything.
    fn quiet<'c>(&self, command: &'c mut std::process::Command) -> &'c mut std::process::Command {
        if env::stderr_is_terminal() {
            return command
                .arg("--progress")
                .stderr(std::process::Stdio::inherit());
        }
        command.arg("--quiet").env("GIT_TERMINAL_PROMPT", "0")
    }

    /// Puts the refspec into the configuration, for those who want a plain `git fetch` to bring issues.
    ///
    /// # Errors
    /// A failing `git config`.
    pub fn track_fetch(&self, remote: &str) -> Result<()> {
        let (key, refspec) = (format!("remote.{remote}.fetch"), self.refspec(remote));
        let known = output(self.git().args(["config", "--get-all", &key]))?;
        if String::from_utf8_lossy(&known.stdout)
            .lines()
            .any(|line| line == refspec)
        {
            return Ok(());
        }
        let added = output(self.git().args(["config", "--add", &key, &refspec]))?;
        checked("config", added.status.success(), &added.stderr)
    }

    /// Remembers what a remote had, once it is part of ours.
    ///
    /// # Errors
    /// A ref that can't be written.
    pub fn remember(&self, remote: &str, tip: Oid) -> Result<()> {
        self.point(&Self::seen(remote), tip)
    }

    fn point(&self, name: &str, tip: Oid) -> Result<()> {
        if self.resolve(name)? == Some(tip) {
            return Ok(());
        }
        let name =
            FullName::try_from(name).map_err(|error| StoreError::Refused(error.to_string()))?;
        let edit = RefEdit::update(name, Target::Object(tip.0), PreviousValue::Any, "git-beads");
        let committer = self.signature("COMMITTER");
        let mut buffer = gix::date::parse::TimeBuf::default();
        self.repo
            .edit_references_as(Some(edit), Some(committer.to_ref(&mut buffer)))
            .map_err(unwritable("can't note what the remote has"))?;
        Ok(())
    }

    fn forget(&self, name: &str) -> Result<()> {
        let Ok(name) = FullName::try_from(name) else {
            return Ok(());
        };
        let edit = RefEdit::new(
            name,
            Change::Delete {
                expected: PreviousValue::Any,
                log: RefLog::AndReference,
            },
        );
        self.repo
            .edit_references_as(Some(edit), None)
            .map_err(unwritable("can't forget what the remote has"))?;
        Ok(())
    }

    /// Sends our tip. Nothing is ever forced.
    ///
    /// # Errors
    /// [`StoreError::Remote`] with what the remote said.
    pub fn push(&self, remote: &str, tip: Oid) -> Result<Push> {
        self.sync_journal()?;
        let pushed = self.run_push(remote, tip, &[]).or_else(|error| {
            match self.write_missing_again()? {
                0 => Err(error),
                _ => self.run_push(remote, tip, &[]),
            }
        })?;
        if matches!(pushed, Push::Done(_)) {
            self.point(&Self::tracking(remote), tip)?;
            self.remember(remote, tip)?;
        }
        Ok(pushed)
    }

    /// Asks a remote whether it would take our tip, and sends nothing.
    ///
    /// # Errors
    /// As [`Store::push`].
    pub fn try_push(&self, remote: &str, tip: Oid) -> Result<Push> {
        self.run_push(remote, tip, &["--dry-run"])
    }

    fn run_push(&self, remote: &str, tip: Oid, options: &[&str]) -> Result<Push> {
        bears_refs(remote)?;
        let mut command = self.git();
        command
            .args(["push", "--porcelain", "--no-verify", "--no-follow-tags"])
            .args(options);
        self.quiet(&mut command).args([
            "--no-recurse-submodules",
            "--no-signed",
            "--end-of-options",
            remote,
        ]);
        command.arg(format!("{tip}:{}", self.remote_ref()));
        let output = output(&mut command)?;
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        let behind = [
            "non-fast-forward",
            "fetch first",
            "cannot lock ref",
            "failed to update ref",
            "stale info",
        ];
        if !output.status.success() && behind.iter().any(|word| text.contains(word)) {
            return Ok(Push::Behind);
        }
        self.transport("push", remote, &output)?;
        let said = text
            .lines()
            .filter_map(|line| line.strip_prefix("remote: "))
            .map(|line| line.trim().to_owned());
        Ok(Push::Done(said.filter(|line| !line.is_empty()).collect()))
    }

    /// How many commits lead to one tip alone, and how many to the other.
    ///
    /// # Errors
    /// A history that can't be read.
    pub fn ahead_behind(&self, ours: Oid, theirs: Oid) -> Result<(usize, usize)> {
        if ours == theirs {
            return Ok((0, 0));
        }
        let count = |tip: Oid, hidden: Oid| -> Result<usize> {
            let mut walk = self
                .repo
                .rev_walk([tip.0])
                .with_hidden([hidden.0])
                .all()
                .map_err(unreadable("the history"))?;
            walk.try_fold(0, |n, commit| commit.map(|_| n + 1))
                .map_err(unreadable("the history"))
        };
        Ok((count(ours, theirs)?, count(theirs, ours)?))
    }

    /// Whether blobs may be missing here, as in a clone with a filter.
    fn is_partial(&self) -> bool {
        self.config("extensions.partialClone").is_some()
            || self
                .remotes()
                .iter()
                .any(|name| self.config_bool(&format!("remote.{name}.promisor")) == Some(true))
    }

    /// Whether a fetch would overwrite our ref with the remote's.
    pub fn is_mirror(&self) -> bool {
        let forced = |name: &String| {
            let refspec = self
                .config(&format!("remote.{name}.fetch"))
                .unwrap_or_default();
            refspec.starts_with("+refs/*:refs/*")
                || refspec.starts_with("+refs/beads/*:refs/beads/*")
        };
        self.remotes().iter().any(forced)
    }

    fn transport(&self, what: &str, remote: &str, output: &Output) -> Result<()> {
        match checked(what, output.status.success(), &output.stderr) {
            Err(StoreError::Git { stderr, .. }) => {
                let porcelain = String::from_utf8_lossy(&output.stdout);
                let refused = porcelain
                    .lines()
                    .find(|line| line.starts_with('!'))
                    .unwrap_or_default();
                let said = format!("{stderr} {}", refused.replace('\t', " "));
                let tried = self.remote_ref();
                Err(StoreError::Remote {
                    remote: remote.to_owned(),
                    reference: tried,
                    said: said.trim().to_owned(),
                })
            }
            other => other,
        }
    }
}

/// Refuses a remote whose name can be no part of a ref: only a hand in the configuration can give it one.
fn bears_refs(remote: &str) -> Result<()> {
    match FullName::try_from(Store::tracking(remote)) {
        Ok(_) => Ok(()),
        Err(_) => Err(StoreError::Refused(format!(
            "the remote `{remote}` has a name that no ref can have: git remote add NAME URL"
        ))),
    }
}

impl Snapshot<'_> {
    /// The ids of issues that a tip of a remote has and this state lacks or has otherwise.
    ///
    /// # Errors
    /// An object that can't be read.
    pub fn announced_by(&self, tip: Oid) -> Result<Vec<String>> {
        let (store, mut ids) = (self.store(), Vec::new());
        let theirs = Snapshot::at(store, tip)?;
        if !store.is_bounded(theirs, *self) {
            return Ok(ids);
        }
        store.diff::<StoreError>(Some(self.tree()), theirs.tree(), &mut |change| {
            if let (Some(Path::Issue(_)), Some(oid)) = (change.path, change.oid) {
                let blob = Blob::parse(&theirs.read(oid)?).ok();
                ids.extend(blob.and_then(|blob| blob.text("id").map(str::to_owned)));
            }
            Ok(())
        })?;
        Ok(ids)
    }
}
