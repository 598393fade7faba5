//! A lock for file systems without `flock`: a file that says whose it is, made exclusively.
//!
//! The kernel does not remove it with its holder. So it names the process, its start, the boot of the machine and the
//! host: a holder that is gone under this boot, or was before this machine started again, is replaced; that of another
//! host can't be looked at, and is waited for and named. A living holder writes its file again and again, so one that
//! has not been written for long is left by a host that died: `doctor --fix` puts it aside, and nothing else does.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::Permissions;
use crate::env::{Env, start_thread};
use crate::platform;

/// The lock of writers.
pub(super) const HOLDER: &str = "lock-holder";
/// The lock of who packs journals.
pub(super) const PACKER: &str = "lock-packer";
/// The file that keeps two from removing a lock at once.
pub(super) const BREAKER: &str = "lock-breaker";
/// A file that names no one, or a breaker, is this old only when its maker was killed over it.
const ABANDONED: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(20);
/// The pause between two signs of life of a holder.
const BEAT: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 10_000 });
/// A holder elsewhere that has given none for so long has died; many times what an NFS client keeps old times for.
const SILENT: Duration = Duration::from_secs(600);

/// A holder: its process, the start of that in ticks, its boot, its host.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Holder {
    process: i32,
    start: String,
    boot: String,
    host: String,
}

impl Holder {
    fn this(env: &Env) -> Self {
        let process = i32::try_from(std::process::id()).unwrap_or_default();
        let boot = env.boot_id();
        Self {
            process,
            start: platform::process_start(process).unwrap_or_else(|| "-".to_owned()),
            boot: if boot.is_empty() {
                "-".to_owned()
            } else {
                boot
            },
            host: env.host(),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.trim_end().splitn(4, ' ');
        Some(Self {
            process: words.next()?.parse().ok()?,
            start: words.next()?.to_owned(),
            boot: words.next()?.to_owned(),
            host: words.next()?.to_owned(),
        })
    }

    fn text(&self) -> String {
        let Self {
            process,
            start,
            boot,
            host,
        } = self;
        format!("{process} {start} {boot} {host}\n")
    }

    /// Returns true if it has ended for sure.
    fn is_gone(&self, env: &Env, age: Duration) -> bool {
        let this = Self::this(env);
        if self.host != this.host {
            return false;
        }
        if self.boot != this.boot {
            // The machine has started again, unless another one has the same name.
            return age > ABANDONED;
        }
        let start = || platform::process_start(self.process);
        // The number can belong to another process by now, which began at another time.
        platform::has_ended(self.process) || start().is_some_and(|start| start != self.start)
    }
}

/// The lock, held until it is dropped.
pub(super) struct LockFile {
    path: PathBuf,
    text: String,
    /// The end of this channel ends its signs of life.
    _beat: mpsc::Sender<()>,
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // One that was replaced meanwhile is another's.
        if fs::read_to_string(&self.path).is_ok_and(|text| text == self.text) {
            let _ = platform::delete_file(&self.path);
        }
    }
}

impl LockFile {
    /// Takes the lock; none where someone has it.
    pub(super) fn attempt(
        env: &Env,
        path: &Path,
        permissions: Permissions,
    ) -> io::Result<Option<Self>> {
        if let Some(lock) = make(env, path, permissions)? {
            return Ok(Some(lock));
        }
        if !is_left(env, path) || !remove_left(env, path, permissions)? {
            return Ok(None);
        }
        make(env, path, permissions)
    }

    /// Takes the lock as soon as its holder ends; none when that takes too long, or is cancelled.
    pub(super) fn wait(
        env: &Env,
        path: &Path,
        permissions: Permissions,
        patience: Duration,
        is_cancelled: impl Fn() -> bool,
    ) -> io::Result<Option<Self>> {
        let start = Instant::now();
        loop {
            if let Some(lock) = Self::attempt(env, path, permissions)? {
                return Ok(Some(lock));
            }
            if start.elapsed() >= patience || is_cancelled() {
                return Ok(None);
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// A lock in place of `flock`, as others see it.
#[derive(Clone, Debug)]
pub(crate) struct StandIn {
    /// The holder, if there is one.
    pub holder: Option<String>,
    /// Its holder is of another host, and has given no sign of life for long.
    pub is_abandoned: bool,
}

impl StandIn {
    pub(super) fn at(env: &Env, path: &Path) -> Self {
        Self {
            holder: holder(path),
            is_abandoned: is_of_elsewhere(env, path) && age(path).is_some_and(|age| age > SILENT),
        }
    }
}

/// Puts a lock aside that a host has left which died; nothing where its holder has given a sign of life, or someone
/// else is at it.
///
/// The clock of this host decides nothing: the times of two files are compared that one file system has set.
pub(super) fn set_aside_abandoned(
    env: &Env,
    path: &Path,
    aside: &Path,
    permissions: Permissions,
) -> io::Result<()> {
    let breaker = path.with_file_name(BREAKER);
    let now = match permissions.create_new_own(&breaker) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(()),
        made => made?.metadata()?.modified()?,
    };
    let written = fs::symlink_metadata(path).and_then(|meta| meta.modified());
    let silent = written.map(|written| now.duration_since(written).unwrap_or_default());
    let moved = match silent {
        Ok(silent) if silent > SILENT && is_of_elsewhere(env, path) => {
            platform::rename_file(path, aside)
        }
        _ => Ok(()),
    };
    let _ = fs::remove_file(&breaker);
    moved
}

fn is_of_elsewhere(env: &Env, path: &Path) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    Holder::parse(&text).is_some_and(|holder| holder.host != env.host())
}

/// Writes the text of a lock again and again, so that its time says that its holder lives; ends with the sender.
fn beat(mut file: File, text: String) -> io::Result<mpsc::Sender<()>> {
    let (sender, ends) = mpsc::channel::<()>();
    start_thread(move || {
        while ends.recv_timeout(BEAT) == Err(mpsc::RecvTimeoutError::Timeout) {
            // One that can't be written now is written the next time.
            let written = file.rewind().and_then(|()| file.write_all(text.as_bytes()));
            let _ = written.and_then(|()| file.sync_data());
        }
    })?;
    Ok(sender)
}

/// Describes the holder of a lock, for a message.
pub(super) fn holder(path: &Path) -> Option<String> {
    let holder = Holder::parse(&fs::read_to_string(path).ok()?)?;
    let age = age(path).unwrap_or_default().as_secs();
    let host = holder.host.split(' ').next().unwrap_or_default();
    Some(format!(
        "process {} on host {host}, for {age} s",
        holder.process
    ))
}

fn age(path: &Path) -> Option<Duration> {
    let modified = fs::symlink_metadata(path).and_then(|meta| meta.modified());
    Some(modified.ok()?.elapsed().unwrap_or_default())
}

fn make(env: &Env, path: &Path, permissions: Permissions) -> io::Result<Option<LockFile>> {
    let text = Holder::this(env).text();
    let mut file = match permissions.create_new_own(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(None),
        made => made?,
    };
    let written = file.write_all(text.as_bytes());
    match written.and_then(|()| beat(file, text.clone())) {
        Ok(beat) => Ok(Some(LockFile {
            path: path.to_owned(),
            _beat: beat,
            text,
        })),
        Err(error) => {
            // It names no one, or no one says that its holder lives, and would be waited for.
            let _ = fs::remove_file(path);
            Err(error)
        }
    }
}

/// Returns true if a lock was left by someone who is gone.
fn is_left(env: &Env, path: &Path) -> bool {
    let Some(age) = age(path) else { return false };
    let text = fs::read_to_string(path).unwrap_or_default();
    match Holder::parse(&text) {
        Some(holder) => holder.is_gone(env, age),
        // Its maker is about to write its name, or was killed before that.
        None => age > ABANDONED,
    }
}

/// Removes a lock that was left; false where someone else is at it.
///
/// Between a look and the removal another may have removed it and made one of their own. So only who has made the
/// breaker removes, and looks once more before that.
fn remove_left(env: &Env, path: &Path, permissions: Permissions) -> io::Result<bool> {
    let breaker = path.with_file_name(BREAKER);
    match permissions.create_new_own(&breaker) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if age(&breaker).is_some_and(|age| age > ABANDONED) {
                let _ = fs::remove_file(&breaker);
            }
            return Ok(false);
        }
        made => made?,
    };
    // No longer left: someone was faster. Who gets the lock then is decided where it is made.
    let removed = !is_left(env, path) || fs::remove_file(path).is_ok();
    let _ = fs::remove_file(&breaker);
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(path: &Path) -> bool {
        let lock = LockFile::attempt(&Env::of_process(), path, Permissions::OWN).unwrap();
        let is_taken = lock.is_some();
        drop(lock);
        if is_taken {
            is_removed(path);
        }
        is_taken
    }

    /// Waits until a file is gone: a system may keep the name of one that a thread still has open.
    fn is_removed(path: &Path) {
        while path.exists() {
            std::thread::yield_now();
        }
    }

    fn make_old(path: &Path) {
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(crate::env::file_time() - SILENT * 2)
            .unwrap();
    }

    #[test]
    fn a_holder_elsewhere_is_put_aside_only_after_a_long_silence() {
        let folder = tempfile::tempdir().unwrap();
        let (path, aside) = (folder.path().join(HOLDER), folder.path().join("aside"));
        let put_aside = || {
            set_aside_abandoned(&Env::of_process(), &path, &aside, Permissions::OWN).unwrap();
            aside.exists()
        };
        let elsewhere = Holder {
            host: "elsewhere".to_owned(),
            ..Holder::this(&Env::of_process())
        };
        for (holder, old, expected) in [
            (&Holder::this(&Env::of_process()), true, false),
            (&elsewhere, false, false),
            (&elsewhere, true, true),
        ] {
            fs::write(&path, holder.text()).unwrap();
            if old {
                make_old(&path);
            }
            assert_eq!(
                StandIn::at(&Env::of_process(), &path).is_abandoned,
                expected
            );
            assert_eq!(put_aside(), expected, "{holder:?} {old}");
        }
        assert!(!path.exists() && !path.with_file_name(BREAKER).exists());
    }

    #[test]
    fn a_living_holder_gives_signs_of_life() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(HOLDER);
        let held = LockFile::attempt(&Env::of_process(), &path, Permissions::OWN).unwrap();
        make_old(&path);
        while age(&path).unwrap() > SILENT {
            std::thread::sleep(BEAT);
        }
        drop(held);
        is_removed(&path);
    }

    #[test]
    fn a_holder_that_is_gone_is_replaced_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(HOLDER);
        let held = LockFile::attempt(&Env::of_process(), &path, Permissions::OWN).unwrap();
        assert!(held.is_some() && !attempt(&path));
        drop(held);
        is_removed(&path);
        let this = Holder::this(&Env::of_process());
        let gone = Holder {
            process: 0x3fff_fff0,
            ..this.clone()
        };
        let reused = Holder {
            start: "1".to_owned(),
            ..this.clone()
        };
        let elsewhere = Holder {
            host: "elsewhere".to_owned(),
            ..gone.clone()
        };
        let rebooted = Holder {
            boot: "before".to_owned(),
            ..this.clone()
        };
        for (holder, replaced) in [
            (&gone, platform::has_ended(gone.process)),
            (&reused, platform::process_start(this.process).is_some()),
            (&elsewhere, false),
            (&rebooted, false),
            (&this, false),
        ] {
            fs::write(&path, holder.text()).unwrap();
            assert_eq!(attempt(&path), replaced, "{holder:?}");
        }
        for text in [rebooted.text(), String::new()] {
            fs::write(&path, text).unwrap();
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(crate::env::file_time() - ABANDONED * 2)
                .unwrap();
            drop(file);
            assert!(attempt(&path));
        }
        fs::write(&path, elsewhere.text()).unwrap();
        assert!(holder(&path).unwrap().contains("on host elsewhere"));
        assert!(!path.with_file_name(BREAKER).exists());
    }
}
