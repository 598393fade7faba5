//! Changes in folders, as Linux reports them by inotify.

use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::fs::statfs;

/// File systems whose changes all come from this machine, so that the kernel reports each one. Others, such as NFS, 9p or
/// FUSE, are changed elsewhere too, and have to be looked at. Numbers are those of the kernel's `magic.h`, `zfs` and `bcachefs`.
const LOCAL: [u32; 9] = [
    0x0000_ef53, // ext2, ext3, ext4
    0x5846_5342, // xfs
    0x9123_683e, // btrfs
    0x0102_1994, // tmpfs
    0x8584_58f6, // ramfs
    0xf2f5_2010, // f2fs
    0x794c_7630, // overlayfs
    0x2fc1_2fc1, // zfs
    0xca45_1a4e, // bcachefs
];

/// The events of a folder in which a file is replaced, written in its place or removed, and those of the folder itself.
const CHANGES: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// The folders that are watched.
pub(super) struct FolderWatch {
    /// None where the system has none left.
    inotify: Option<OwnedFd>,
    /// The watched folders by number, and whether the system reports all changes there.
    watched: HashMap<i32, bool>,
    sees_all: bool,
}

impl FolderWatch {
    pub(super) fn new() -> Self {
        let flags = CreateFlags::NONBLOCK | CreateFlags::CLOEXEC;
        Self {
            inotify: inotify::init(flags).ok(),
            watched: HashMap::new(),
            sees_all: false,
        }
    }

    /// Watches folders in the place of those before. Of one that is not there, the folder is watched in which it will be.
    pub(super) fn watch(&mut self, folders: &[PathBuf]) {
        let Some(inotify) = &self.inotify else { return };
        self.sees_all = true;
        let mut now = HashMap::new();
        for folder in folders {
            let (mut there, mut missing) = (folder.as_path(), None::<&Path>);
            let number = loop {
                // The number is the same as before where it is watched already. One that was removed and created
                // again has another.
                match (inotify::add_watch(inotify, there, CHANGES), there.parent()) {
                    // It was created before its parent was watched, which did not report it.
                    (Ok(_), _) if missing.is_some_and(Path::exists) => {
                        (there, missing) = (folder, None);
                    }
                    (Ok(number), _) => break Some(number),
                    (Err(rustix::io::Errno::NOENT), Some(parent)) => {
                        (there, missing) = (parent, Some(there));
                    }
                    (Err(_), _) => break None,
                }
            };
            let known = number.and_then(|number| self.watched.get(&number).copied());
            let sees_all = known.unwrap_or_else(|| number.is_some() && is_local(there));
            self.sees_all &= sees_all;
            now.extend(number.map(|number| (number, sees_all)));
        }
        for number in self.watched.keys() {
            if !now.contains_key(number) {
                // It fails for one that the kernel has given up itself.
                let _ = inotify::remove_watch(inotify, *number);
            }
        }
        self.watched = now;
    }

    /// Returns whether each change in the folders is reported.
    pub(super) fn sees_all(&self) -> bool {
        self.sees_all
    }

    /// Returns the descriptor that can be read after a change.
    pub(super) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.inotify.as_ref().map(AsFd::as_fd)
    }

    /// Takes the changes that were reported, and returns whether there were any: what they are is seen by who looks.
    pub(super) fn take_changes(&self) -> bool {
        let Some(inotify) = &self.inotify else {
            return false;
        };
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut are_any = false;
        while rustix::io::read(inotify, &mut buffer).is_ok_and(|(read, _)| !read.is_empty()) {
            are_any = true;
        }
        are_any
    }
}

/// Returns whether all changes in folders are reported; it asks their disks.
pub(crate) fn are_reported(folders: &[PathBuf]) -> bool {
    let is_there = |folder: &&Path| folder.exists();
    let mut there = folders
        .iter()
        .map(|folder| folder.ancestors().find(is_there));
    there.all(|folder| folder.is_some_and(is_local))
}

fn is_local(folder: &Path) -> bool {
    // The kernel's numbers have 32 bits; the type that holds them is another on each machine.
    statfs(folder).is_ok_and(|of| LOCAL.contains(&(of.f_type as u32)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_folder_that_comes_goes_and_comes_again_is_watched() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("refs/beads");
        let mut watch = FolderWatch::new();
        let mut look = || {
            watch.watch(std::slice::from_ref(&folder));
            watch.take_changes()
        };
        look();
        for _ in 0..3 {
            fs::create_dir(root.path().join("refs")).unwrap();
            assert!(look());
            fs::create_dir(&folder).unwrap();
            assert!(look());
            fs::write(folder.join("main"), "1").unwrap();
            assert!(look());
            look();
            assert!(!look());
            fs::remove_dir_all(root.path().join("refs")).unwrap();
            assert!(look());
            look();
        }
    }

    #[test]
    fn what_may_change_elsewhere_has_to_be_looked_at() {
        let mut watch = FolderWatch::new();
        let folder = tempfile::tempdir().unwrap();
        watch.watch(&[folder.path().to_owned()]);
        let is_local_here = watch.sees_all();
        watch.watch(&[folder.path().to_owned(), PathBuf::from("/proc")]);
        assert!(!watch.sees_all());
        watch.watch(&[folder.path().to_owned()]);
        assert_eq!(watch.sees_all(), is_local_here);
        assert!(is_local_here || !is_local(folder.path()));
    }
}
