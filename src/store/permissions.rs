//! The modes and the owner of all that the store creates, by `core.sharedRepository`; the only place of the store that
//! creates files and folders.
//!
//! Files that git knows get the modes that git gives them. Files below `.git/beads` begin closed to others, and are
//! opened by as much as the configuration shares.
//!
//! In a repository of another user nothing is created by reading. What the superuser writes there belongs to the owner
//! of the repository, who could not write any more otherwise.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

use tempfile::{NamedTempFile, TempDir};

use crate::platform::{self, CreateMode as _, Owner};

/// The configuration that says who shares a repository.
pub(super) const KEY: &str = "core.sharedRepository";
/// A file of our own that is not shared.
const OWN_FILE: u32 = 0o600;
/// A folder of our own that is not shared.
const OWN_FOLDER: u32 = 0o700;
/// Another folder, as far as the user's mask leaves that.
const ANY_FOLDER: u32 = 0o777;
/// Why nothing is created.
const DENIED: &str = "the repository belongs to another user, and this command only reads";

/// The modes that `core.sharedRepository` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    /// The bits that the user's mask leaves.
    Umask,
    /// At least these bits.
    AtLeast(u32),
    /// These bits, no matter what the mask is.
    Exactly(u32),
}

/// The user of this process, as the owner of the repository sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Maker {
    /// The owner, or one that the repository is shared with.
    Own,
    /// Another user.
    Guest,
    /// The superuser, in a repository of this user.
    Superuser(Owner),
}

/// What this process may create in a repository, with which modes and for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Permissions {
    sharing: Sharing,
    maker: Maker,
    may_create: bool,
}

impl Sharing {
    /// Reads a value of `core.sharedRepository` as git does; none for one that git refuses.
    pub(super) fn parse(value: &str) -> Option<Self> {
        const GROUP: Sharing = Sharing::AtLeast(0o660);
        const EVERYBODY: Sharing = Sharing::AtLeast(0o664);
        match value {
            "umask" => return Some(Self::Umask),
            "group" => return Some(GROUP),
            "all" | "world" | "everybody" => return Some(EVERYBODY),
            _ => {}
        }
        if let Ok(bits) = u32::from_str_radix(value, 8) {
            return match bits {
                0 => Some(Self::Umask),
                1 => Some(GROUP),
                2 => Some(EVERYBODY),
                bits => (bits & 0o600 == 0o600).then_some(Self::Exactly(bits & 0o666)),
            };
        }
        match value.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(GROUP),
            "" | "false" | "no" | "off" => Some(Self::Umask),
            _ => None,
        }
    }

    /// Returns the mode of a file or folder that was made with another one.
    fn of(self, mode: u32, is_folder: bool) -> u32 {
        let (Self::AtLeast(bits) | Self::Exactly(bits)) = self else {
            return mode;
        };
        let mut bits = bits;
        // A file that its owner may not write, such as an object, is not writable for others either.
        if mode & 0o200 == 0 {
            bits &= !0o222;
        }
        // Who may read something executable may run it.
        if mode & 0o100 != 0 {
            bits |= (bits & 0o444) >> 2;
        }
        let mut mode = match self {
            Self::Exactly(_) => mode & !0o777 | bits,
            _ => mode | bits,
        };
        if is_folder {
            mode |= (mode & 0o444) >> 2;
            // New files in it belong to the group of the folder, not to that of their maker.
            if platform::MARKS_GROUP && mode & 0o060 != 0 {
                mode |= 0o2000;
            }
        }
        mode
    }
}

impl Permissions {
    /// Those of the owner of a repository that is not shared.
    #[cfg(test)]
    pub(super) const OWN: Self = Self {
        sharing: Sharing::Umask,
        maker: Maker::Own,
        may_create: true,
    };

    /// Returns those of this process in a repository, by its git directory.
    pub(super) fn new(sharing: Sharing, common: &Path) -> Self {
        let found = fs::metadata(common).ok();
        let maker = match found.as_ref().and_then(platform::other_owner) {
            Some(owner) if platform::is_superuser() => Maker::Superuser(owner),
            Some(_) if sharing == Sharing::Umask => Maker::Guest,
            _ => Maker::Own,
        };
        Self {
            sharing,
            maker,
            may_create: true,
        }
    }

    /// Returns those of a command that only reads.
    pub(super) fn of_reader(self) -> Self {
        Self {
            may_create: self.maker == Maker::Own,
            ..self
        }
    }

    /// Returns whether nothing may be created here, because the repository belongs to another user and the command only
    /// reads: what it left would keep the owner from writing.
    pub(crate) fn leave_nothing(self) -> bool {
        !self.may_create
    }

    /// Fails where nothing may be created.
    pub(super) fn check(self) -> io::Result<()> {
        match self.may_create {
            true => Ok(()),
            false => Err(io::Error::new(ErrorKind::PermissionDenied, DENIED)),
        }
    }

    /// Returns whether the configuration shares the repository.
    pub(super) fn is_shared(self) -> bool {
        self.sharing != Sharing::Umask
    }

    /// Returns the bits that a file or folder below `.git/beads` may have.
    pub(super) fn of_own(self, is_folder: bool) -> u32 {
        let private = if is_folder { OWN_FOLDER } else { OWN_FILE };
        self.sharing.of(private, is_folder)
    }

    /// Gives a file or folder that was just created its owner, and the mode that the configuration asks for. Costs
    /// nothing where that is what it has.
    pub(crate) fn adjust(self, path: &Path) -> io::Result<()> {
        self.give(path);
        if !self.is_shared() {
            return Ok(());
        }
        match self.wanted(&fs::symlink_metadata(path)?) {
            Some(mode) => platform::set_mode(path, mode),
            None => Ok(()),
        }
    }

    /// Gives what was created to the owner of the repository. What can't be given, `doctor` names.
    fn give(self, path: &Path) {
        if let Some(owner) = self.owner_in(path.parent()) {
            let _ = platform::set_owner(path, owner);
        }
    }

    /// Returns the owner of the repository, to whom something in a folder is to be given: only where the folder is theirs.
    /// A link in the repository may lead to one of another user.
    fn owner_in(self, folder: Option<&Path>) -> Option<Owner> {
        let Maker::Superuser(owner) = self.maker else {
            return None;
        };
        let found = fs::metadata(folder?).ok()?;
        let holder = platform::owner(&found)?;
        (holder.user == owner.user).then_some(owner)
    }

    fn adjust_file(self, file: &File, folder: Option<&Path>) -> io::Result<()> {
        if let Some(owner) = self.owner_in(folder) {
            let _ = platform::set_owner_of(file, owner);
        }
        if !self.is_shared() {
            return Ok(());
        }
        match self.wanted(&file.metadata()?) {
            Some(mode) => platform::set_mode_of(file, mode),
            None => Ok(()),
        }
    }

    /// Returns the mode that something has to get; none where it has it.
    fn wanted(self, found: &fs::Metadata) -> Option<u32> {
        let mode = platform::mode(found);
        let wanted = self.sharing.of(mode, found.is_dir());
        (wanted != mode).then_some(wanted)
    }

    /// Makes a file that is not there yet.
    pub(super) fn create_new(self, path: &Path) -> io::Result<File> {
        self.check()?;
        // The umask applies to what is created, so the mode is set once more.
        let file = File::create_new(path)?;
        self.adjust_file(&file, path.parent())?;
        Ok(file)
    }

    /// Opens a file to append to, and makes it where it is not there.
    pub(super) fn append(self, path: &Path) -> io::Result<File> {
        self.check()?;
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        self.adjust_others_too(&file, path)?;
        Ok(file)
    }

    /// Makes a folder, and those that it is in.
    pub(super) fn folders(self, path: &Path) -> io::Result<()> {
        self.make_folders(path, ANY_FOLDER)
    }

    /// Makes a folder of our own, and those that it is in.
    pub(super) fn own_folder(self, path: &Path) -> io::Result<()> {
        self.make_folders(path, OWN_FOLDER)
    }

    fn make_folders(self, path: &Path, mode: u32) -> io::Result<()> {
        self.check()?;
        match DirBuilder::new().create_mode(mode).create(path) {
            Ok(()) => self.adjust(path),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.make_folders(path.parent().ok_or(error)?, mode)?;
                self.make_folders(path, mode)
            }
            // Another writer was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Begins a file with such a mode, which goes unless it is given a name.
    pub(super) fn scratch(
        self,
        prefix: &str,
        folder: &Path,
        mode: u32,
    ) -> io::Result<NamedTempFile> {
        self.check()?;
        let scratch = tempfile::Builder::new()
            .prefix(prefix)
            .create_mode(mode)
            .tempfile_in(folder)?;
        self.adjust_file(scratch.as_file(), Some(folder))?;
        Ok(scratch)
    }

    /// Begins a file below `.git/beads`, which goes unless it is given a name.
    pub(super) fn own_scratch(self, prefix: &str, folder: &Path) -> io::Result<NamedTempFile> {
        self.scratch(prefix, folder, OWN_FILE)
    }

    /// Makes a folder that goes with all in it.
    pub(super) fn scratch_folder(self, prefix: &str, folder: &Path) -> io::Result<TempDir> {
        self.check()?;
        let scratch = tempfile::Builder::new()
            .prefix(prefix)
            .create_mode(OWN_FOLDER)
            .tempdir_in(folder)?;
        self.adjust(scratch.path())?;
        Ok(scratch)
    }

    /// Opens a file of our own to read and write, and makes it where it is not there.
    pub(super) fn open_own(self, path: &Path) -> io::Result<File> {
        self.check()?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .create_mode(OWN_FILE)
            .open(path)?;
        self.adjust_others_too(&file, path)?;
        Ok(file)
    }

    /// Closes a file that was moved below `.git/beads`, as far as it is not shared.
    pub(super) fn close(self, path: &Path) -> io::Result<()> {
        self.give(path);
        self.unless_of_another(platform::set_mode(path, self.of_own(false)))
    }

    /// Adjusts a file that may be of another user, who then has given it its mode.
    fn adjust_others_too(self, file: &File, path: &Path) -> io::Result<()> {
        self.unless_of_another(self.adjust_file(file, path.parent()))
    }

    fn unless_of_another(self, done: io::Result<()>) -> io::Result<()> {
        match done {
            Err(error) if self.is_shared() && error.kind() == ErrorKind::PermissionDenied => Ok(()),
            done => done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Sharing, platform};

    #[test]
    fn values_are_read_as_git_reads_them() {
        let (group, all) = (Sharing::AtLeast(0o660), Sharing::AtLeast(0o664));
        for (value, expected) in [
            ("false", Some(Sharing::Umask)),
            ("umask", Some(Sharing::Umask)),
            ("0", Some(Sharing::Umask)),
            ("true", Some(group)),
            ("group", Some(group)),
            ("1", Some(group)),
            ("all", Some(all)),
            ("world", Some(all)),
            ("everybody", Some(all)),
            ("2", Some(all)),
            ("0640", Some(Sharing::Exactly(0o640))),
            ("0777", Some(Sharing::Exactly(0o666))),
            ("0440", None),
            ("some", None),
        ] {
            assert_eq!(Sharing::parse(value), expected, "{value}");
        }
    }

    #[test]
    fn modes_are_those_of_git() {
        // Elsewhere folders give their group to what is made in them, or there are no modes.
        if !platform::MARKS_GROUP {
            return;
        }
        for (value, mode, is_folder, expected) in [
            ("false", 0o755, true, 0o755),
            ("group", 0o755, true, 0o2775),
            ("group", 0o700, true, 0o2770),
            ("group", 0o444, false, 0o444),
            ("group", 0o600, false, 0o660),
            ("all", 0o700, true, 0o2775),
            ("0600", 0o755, true, 0o700),
            ("0640", 0o444, false, 0o440),
            ("0640", 0o755, true, 0o2750),
        ] {
            let sharing = Sharing::parse(value).unwrap();
            let found = sharing.of(mode, is_folder);
            assert_eq!(found, expected, "{value} {mode:o}: {found:o}");
        }
    }
}
