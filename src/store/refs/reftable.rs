//! Refs in a reftable, read and written by git: `git for-each-ref` and `git update-ref`.
//!
//! Reading: what git says is remembered by this process for as long as the stack of tables is the same. Git takes a stack that
//! it can't read for an empty one, so the files are checked before it is asked, and where it lists nothing it is asked again
//! whether it could read at all.
//!
//! Writing: git makes one lock for all refs, `tables.list.lock`, which stays for ever when that git is killed. So a
//! move is noted as one in the files format is. The git has our own lock as its standard input: if we are killed, the
//! next writer waits until it has ended, and finds the ref moved or not, never on its way.
//!
//! Durability: git waits for the disk only where `core.fsync` says so, and even then not for the end of a table, which it
//! writes last. After a power cut the list could name a table without its end, and then no ref can be read, no branch
//! either. So what git writes goes to the disk at once, and we wait for the ends before anything else is synced.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use gix::refs::store::WriteReflog;

use super::super::git::{collect, output};
use super::super::run;
use super::super::write_lock::WriteLock;
use super::super::{Oid, REF, Result, Store, StoreError, incoming_ref, io};
use super::format::Reftable;
use super::stack::{ReadRefs, Stack};
use super::value::RefValue;
use super::{Expected, LogEntry, MESSAGE, RefUpdate};
use crate::env::Env;

/// The version of git that reads this format first.
const OLDEST: &str = "2.45";
/// The time that git waits for the lock of all refs, in milliseconds, unless the configuration says otherwise.
const TIMEOUT: (&str, &str) = ("reftable.lockTimeout", "2000");
/// Lets git hand what it writes to the disk in time, and wait for no journal of a file system: that would make the list
/// durable before the ends of tables.
const WRITTEN_OUT: [&str; 4] = [
    "-c",
    "core.fsync=reference",
    "-c",
    "core.fsyncMethod=writeout-only",
];
const HEAD: &str = "HEAD";
/// The newest entries of a reflog that are looked at.
const MOST_ENTRIES: &str = "--max-count=1000";
const FORMAT: &str = "--format=%(refname) %(objectname) %(symref)";

impl Reftable {
    pub(super) fn list(&self) -> PathBuf {
        self.folder.join("tables.list")
    }

    pub(super) fn lock_file(&self) -> PathBuf {
        self.folder.join("tables.list.lock")
    }

    /// Lets a git of our own wait longer for the lock of all refs than it would: others move theirs at the same time.
    pub(super) fn configure(&self, store: &Store, command: &mut Command) {
        let (key, millis) = TIMEOUT;
        if store.config(key).is_none() {
            command.arg("-c").arg(format!("{key}={millis}"));
        }
    }

    /// Returns the value of a ref.
    pub(super) fn read(&self, store: &Store, name: &str) -> Result<Option<RefValue>> {
        let stack = Stack::read(&self.folder)?;
        if let Some(value) = self.known(&stack, name) {
            return Ok(value);
        }
        let values = self.read_several(store, stack, [name.to_owned()])?;
        Ok(values.get(name).cloned().flatten())
    }

    /// Reads refs that are asked for soon, by one git instead of one for each. What can't be read is said by who asks.
    pub(super) fn read_ahead(&self, store: &Store, names: impl IntoIterator<Item = String>) {
        _ = Stack::read(&self.folder).and_then(|stack| self.read_several(store, stack, names));
    }

    fn read_several(
        &self,
        store: &Store,
        stack: Stack,
        names: impl IntoIterator<Item = String>,
    ) -> Result<BTreeMap<String, Option<RefValue>>> {
        let mut wanted = self.names_asked_before();
        wanted.insert(REF.to_owned());
        wanted.extend(names);
        let values = self.ask(store, &stack, &wanted)?;
        // A git that can't read says of each ref that there is none: such an answer holds for this once.
        if values.get(REF).is_some_and(Option::is_some) {
            self.keep(stack, values.clone());
        }
        Ok(values)
    }

    /// Returns what this process knows of a ref from this very stack.
    fn known(&self, stack: &Stack, name: &str) -> Option<Option<RefValue>> {
        let known = self.known.borrow();
        let known = known.as_ref().filter(|known| known.stack == *stack)?;
        known.values.get(name).cloned()
    }

    /// Returns the refs that were asked for, so that one git answers for all of them after each change.
    fn names_asked_before(&self) -> BTreeSet<String> {
        let known = self.known.borrow();
        let names = known.iter().flat_map(|known| known.values.keys());
        names.filter(|name| *name != HEAD).cloned().collect()
    }

    /// Keeps values, if the stack is still the one that they were read from.
    fn keep(&self, stack: Stack, values: BTreeMap<String, Option<RefValue>>) {
        // Git reads by itself, and may have read a newer one than was looked at before.
        if Stack::read(&self.folder).ok().as_ref() != Some(&stack) {
            return;
        }
        let mut known = self.known.borrow_mut();
        let mut merged = match known.take() {
            Some(known) if known.stack == stack => known.values,
            _ => BTreeMap::new(),
        };
        // The ref of a fetch is read once and goes.
        let lasting = values
            .into_iter()
            .filter(|(name, _)| !name.starts_with(incoming_ref::SPACE));
        merged.extend(lasting);
        *known = Some(ReadRefs {
            stack,
            values: merged,
        });
    }

    fn ask(
        &self,
        store: &Store,
        stack: &Stack,
        names: &BTreeSet<String>,
    ) -> Result<BTreeMap<String, Option<RefValue>>> {
        let patterns: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut found: BTreeMap<_, _> = self
            .list_refs(store, stack, &patterns)?
            .into_iter()
            .collect();
        let value = |name: &String| (name.clone(), found.remove(name));
        Ok(names.iter().map(value).collect())
    }

    /// Returns the refs whose names begin with a prefix.
    pub(super) fn below(&self, store: &Store, prefix: &str) -> Result<Vec<(String, RefValue)>> {
        let stack = Stack::read(&self.folder)?;
        self.list_refs(store, &stack, &[prefix])
    }

    fn list_refs(
        &self,
        store: &Store,
        stack: &Stack,
        patterns: &[&str],
    ) -> Result<Vec<(String, RefValue)>> {
        let list = || {
            let mut command = store.git().command();
            command.args(["for-each-ref", FORMAT, "--"]).args(patterns);
            let listed = output(&mut command)?;
            let text = String::from_utf8_lossy(&listed.stdout).into_owned();
            match listed.status.success() {
                true => Ok(text.lines().filter_map(parse).collect::<Vec<_>>()),
                false => Err(unread(store.env(), &listed)),
            }
        };
        let found = list()?;
        if !found.is_empty() || !self.has_main_ref(store, stack)? {
            return Ok(found);
        }
        // It is there. Asked for, it should have been listed: made just now, or git could not read and did not say so.
        if !patterns.iter().any(|pattern| REF.starts_with(pattern)) {
            return Ok(found);
        }
        let found = list()?;
        match found.is_empty() {
            false => Ok(found),
            true => Err(StoreError::Reftable {
                what: "the reftable".to_owned(),
                why: format!("git says that {REF} is there, and does not list it"),
            }),
        }
    }

    /// Returns whether the main ref is there, where git has listed no refs: makes sure that it could read them.
    fn has_main_ref(&self, store: &Store, stack: &Stack) -> Result<bool> {
        const ABSENT: i32 = 2;
        let asked = output(store.git().command().args(["show-ref", "--exists", REF]))?;
        let is_there = match asked.status.code() {
            Some(0) => true,
            Some(ABSENT) => false,
            _ => return Err(unread(store.env(), &asked)),
        };
        // Those of another stack may be gone by now: then it has moved on.
        if Stack::read(&self.folder)? == *stack {
            stack.check(&self.folder)?;
        }
        Ok(is_there)
    }

    /// Returns the ref that HEAD leads to in this worktree.
    pub(super) fn head(&self, store: &Store) -> Result<Option<String>> {
        // The stack before the value: one that changes in between is never taken for the one that was read.
        let stack = Stack::read(&self.folder)?;
        if self.has_head
            && let Some(known) = self.known(&stack, HEAD)
        {
            return Ok(known.and_then(|value| match value {
                RefValue::Symbolic(name) => Some(name),
                RefValue::Id(_) => None,
            }));
        }
        let asked = output(
            store
                .git()
                .command()
                .args(["symbolic-ref", "--quiet", HEAD]),
        )?;
        let name = match asked.status.code() {
            Some(0) => Some(String::from_utf8_lossy(&asked.stdout).trim().to_owned()),
            Some(1) => None,
            _ => return Err(unread(store.env(), &asked)),
        };
        if self.has_head && name.is_some() {
            let value = name.clone().map(RefValue::Symbolic);
            self.keep(stack, [(HEAD.to_owned(), value)].into());
        }
        Ok(name)
    }

    /// Returns the commits that a reflog leads to, newest first, as far as they are there.
    pub(super) fn logged_tips(&self, store: &Store, name: &str) -> Vec<Oid> {
        let args = ["rev-list", "--walk-reflogs", MOST_ENTRIES, name, "--"];
        let walked = output(store.git().command().args(args)).map(|walked| walked.stdout);
        let text = String::from_utf8(walked.unwrap_or_default()).unwrap_or_default();
        text.lines().filter_map(Oid::parse).collect()
    }

    /// Returns the newest entries of a reflog, the newest first, as far as git shows them: the reason of an entry whose
    /// commit is not there any more stays unknown.
    pub(super) fn log_entries(&self, store: &Store, name: &str, count: usize) -> Vec<LogEntry> {
        // Git says those that there are, and stops at the first that is not.
        let at = (0..=count).map(|n| format!("{name}@{{{n}}}"));
        let ids = output(store.git().command().arg("rev-parse").args(at));
        let ids = ids.map(|ids| ids.stdout).unwrap_or_default();
        let ids: Vec<_> = String::from_utf8_lossy(&ids)
            .lines()
            .map_while(Oid::parse)
            .collect();
        let most = format!("--max-count={count}");
        let args = ["log", "-g", &most, "--format=%H %gs", name, "--"];
        let shown = output(store.git().command().args(args));
        let shown = shown.map(|shown| shown.stdout).unwrap_or_default();
        let shown = String::from_utf8_lossy(&shown);
        let mut reasons = shown.lines().map(|line| line.split_once(' '));
        let mut entries = Vec::new();
        for (n, new) in ids.iter().enumerate().take(count) {
            let reason = reasons.next().flatten();
            let why = reason.filter(|(commit, _)| Oid::parse(commit) == Some(*new));
            entries.push(LogEntry {
                old: ids.get(n + 1).copied(),
                new: Some(*new),
                why: why.map_or_else(String::new, |(_, why)| why.to_owned()),
            });
        }
        entries
    }

    /// Moves a ref.
    pub(super) fn update(
        &self,
        store: &Store,
        lock: &WriteLock,
        update: &RefUpdate<'_>,
    ) -> Result<bool> {
        // To git these mean that the ref must not be there.
        let zeros = || "0".repeat(update.new.as_bytes().len() * 2);
        let mut args = vec!["update-ref".to_owned(), "--no-deref".to_owned()];
        if update.name == REF && store.repo.refs.write_reflog != WriteReflog::Disable {
            args.push("--create-reflog".to_owned());
        }
        args.extend(["-m".to_owned(), MESSAGE.to_owned()]);
        args.extend([update.name.to_owned(), update.new.to_string()]);
        if let Expected::Value(old) = update.expected {
            args.push(old.map_or_else(zeros, |old| old.to_string()));
        }
        let run = || {
            let mut command = store.git().command();
            command.args(WRITTEN_OUT).args(&args);
            command
        };
        let value = Some(RefValue::Id(update.new));
        let mut ended = self.write(store, lock, (update.name, &value), run())?;
        if ended.status.code().is_none() {
            // Killed alone: what it was to do is tried once more, unless it is done.
            ended = self.write(store, lock, (update.name, &value), run())?;
        }
        if ended.status.success() {
            return Ok(true);
        }
        // Git has failed; whether it was for the value or for the lock, only the value says.
        let now = self.read(store, update.name)?;
        if now == value {
            return Ok(true);
        }
        match update.expected {
            Expected::Value(old) if now != old.map(RefValue::Id) => Ok(false),
            _ => Err(self.failure(update.name, &ended)),
        }
    }

    /// Removes all entries of a reflog, where there is one: a bare repository has none.
    pub(super) fn drop_log(&self, store: &Store, lock: &WriteLock, name: &str) -> Result<()> {
        let mut exists = store.git().command();
        // To expire one that is not there is an error of git's.
        if !output(exists.args(["reflog", "exists", name]))?
            .status
            .success()
        {
            return Ok(());
        }
        let value = self.read(store, name)?;
        let mut command = store.git().command();
        command
            .args(WRITTEN_OUT)
            .args(["reflog", "expire", "--expire=now", name]);
        let ended = self.write(store, lock, (name, &value), command)?;
        match ended.status.success() {
            true => Ok(()),
            false => Err(self.failure(name, &ended)),
        }
    }

    /// Removes a ref.
    pub(super) fn delete(&self, store: &Store, lock: &WriteLock, name: &str) -> Result<()> {
        let mut command = store.git().command();
        command
            .args(WRITTEN_OUT)
            .args(["update-ref", "--no-deref", "-d", name]);
        let ended = self.write(store, lock, (name, &None), command)?;
        match ended.status.success() {
            true => Ok(()),
            false => Err(self.failure(name, &ended)),
        }
    }

    /// Runs a git that gives a ref a value, or takes it away. It holds our lock as long as it runs.
    fn write(
        &self,
        store: &Store,
        lock: &WriteLock,
        (name, value): (&str, &Option<RefValue>),
        mut command: Command,
    ) -> Result<Output> {
        let none = Oid(store.repo.object_hash().null());
        let new = match value {
            Some(RefValue::Id(oid)) => *oid,
            _ => none,
        };
        command
            .stdin(lock.shared().map_err(io("can't share the lock"))?)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        sign(store, &mut command);
        // The note before git starts: after a kill the next holder knows which lock may be left.
        lock.begin_move(name, new);
        let began = Instant::now();
        let ended = run::start(&mut command).and_then(collect);
        if ended
            .as_ref()
            .is_ok_and(|ended| ended.status.code().is_none())
        {
            store.refs().remove_dead_locks(began);
        }
        lock.end_move();
        let ended = ended.map_err(io("can't run git"))?;
        if ended.status.success() {
            self.sync();
        }
        Ok(ended)
    }

    /// Waits until the disk has the ends of the tables. Where it fails the ref is moved all the same, and the journal has it.
    fn sync(&self) {
        let synced = Stack::read(&self.folder).map(|stack| stack.sync(&self.folder));
        if !matches!(synced, Ok(Ok(()))) {
            tracing::warn!("the tables of the refs could not be synced");
        }
    }

    fn failure(&self, name: &str, ended: &Output) -> StoreError {
        let said = String::from_utf8_lossy(&ended.stderr);
        if said.contains("cannot lock references") || self.lock_file().exists() {
            return StoreError::Busy(format!(
                "{}: another process holds it, so {name} can't be moved",
                self.lock_file().display()
            ));
        }
        if ended.status.code().is_none() {
            return ended_by_signal("update-ref", ended);
        }
        StoreError::Git {
            command: "update-ref".to_owned(),
            stderr: said.trim().to_owned(),
        }
    }
}

fn ended_by_signal(command: &str, ended: &Output) -> StoreError {
    StoreError::Git {
        command: command.to_owned(),
        stderr: ended.status.to_string(),
    }
}

/// Lets the reflog say who we are and when, as it does in the files format.
fn sign(store: &Store, command: &mut Command) {
    let who = store.identity().signature("COMMITTER");
    command
        .env("GIT_COMMITTER_NAME", who.name.to_string())
        .env("GIT_COMMITTER_EMAIL", who.email.to_string())
        .env("GIT_COMMITTER_DATE", format!("@{} +0000", who.time.seconds));
}

/// Reads a line of `git for-each-ref`.
fn parse(line: &str) -> Option<(String, RefValue)> {
    let mut words = line.splitn(3, ' ');
    let (name, oid) = (words.next()?, words.next()?);
    let value = match words.next().filter(|target| !target.is_empty()) {
        Some(target) => RefValue::Symbolic(target.to_owned()),
        None => RefValue::Id(Oid::parse(oid)?),
    };
    Some((name.to_owned(), value))
}

/// Turns what git said when it could not read the refs into an error.
fn unread(env: &Env, ended: &Output) -> StoreError {
    let said = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
    if ended.status.code().is_none() {
        return ended_by_signal("for-each-ref", ended);
    }
    if said.to_lowercase().contains("refstorage") {
        let version = super::super::git::version(env)
            .map_or_else(|_| "git".to_owned(), |(text, _)| format!("git {text}"));
        return StoreError::Refused(format!(
            "this repository keeps its refs as a reftable, which {version} can't read; git {OLDEST} or newer can: git --version"
        ));
    }
    StoreError::Reftable {
        what: "the reftable".to_owned(),
        why: said,
    }
}
