//! The modes of all that the store creates, by `core.sharedRepository`; the only place of the store that creates files
//! and folders.
//!
//! Files that git knows get the modes that git gives them. Files below `.git/beads` begin closed to others, and are
//! opened by as much as the configuration shares.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

use tempfile::{NamedTempFile, TempDir};

use crate::platform::{self, CreateMode as _};

/// The configuration that says who shares a repository.
pub(super) const KEY: &str = "core.sharedRepository";
/// A file of our own that is not shared.
const OWN_FILE: u32 = 0o600;
/// A folder of our own that is not shared.
const OWN_FOLDER: u32 = 0o700;

/// The modes that `core.sharedRepository` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permissions {
    /// The bits that the user's mask leaves.
    Umask,
    /// At least these bits.
    AtLeast(u32),
    /// These bits, no matter what the mask is.
    Exactly(u32),
}

impl Permissions {
    /// Reads a value of `core.sharedRepository` as git does; none for one that git refuses.
    pub(super) fn parse(value: &str) -> Option<Self> {
        const GROUP: Permissions = Permissions::AtLeast(0o660);
        const EVERYBODY: Permissions = Permissions::AtLeast(0o664);
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

    /// Returns the bits that a file or folder below `.git/beads` may have.
    pub(super) fn of_own(self, is_folder: bool) -> u32 {
        let private = if is_folder { OWN_FOLDER } else { OWN_FILE };
        self.of(private, is_folder)
    }

    /// Gives a file or folder of our own the mode that the configuration asks for. Costs nothing where it is not
    /// shared.
    pub(crate) fn adjust(self, path: &Path) -> io::Result<()> {
        if self == Self::Umask {
            return Ok(());
        }
        match self.wanted(&fs::symlink_metadata(path)?) {
            Some(mode) => platform::set_mode(path, mode),
            None => Ok(()),
        }
    }

    fn adjust_file(self, file: &File) -> io::Result<()> {
        if self == Self::Umask {
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
        let wanted = self.of(mode, found.is_dir());
        (wanted != mode).then_some(wanted)
    }

    /// Makes a file that is not there yet.
    pub(super) fn create_new(self, path: &Path) -> io::Result<File> {
        // The umask applies to what is created, so the mode is set once more.
        let file = File::create_new(path)?;
        self.adjust_file(&file)?;
        Ok(file)
    }

    /// Opens a file to append to, and makes it where it is not there.
    pub(super) fn append(self, path: &Path) -> io::Result<File> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        self.adjust_others_too(&file)?;
        Ok(file)
    }

    /// Makes a folder, and those that it is in.
    pub(super) fn folders(self, path: &Path) -> io::Result<()> {
        match fs::create_dir(path) {
            Ok(()) => self.adjust(path),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.folders(path.parent().ok_or(error)?)?;
                self.folders(path)
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
        let scratch = tempfile::Builder::new()
            .prefix(prefix)
            .create_mode(mode)
            .tempfile_in(folder)?;
        self.adjust_file(scratch.as_file())?;
        Ok(scratch)
    }

    /// Begins a file below `.git/beads`, which goes unless it is given a name.
    pub(super) fn own_scratch(self, prefix: &str, folder: &Path) -> io::Result<NamedTempFile> {
        self.scratch(prefix, folder, OWN_FILE)
    }

    /// Makes a folder that goes with all in it.
    pub(super) fn scratch_folder(self, prefix: &str, folder: &Path) -> io::Result<TempDir> {
        let scratch = tempfile::Builder::new()
            .prefix(prefix)
            .create_mode(OWN_FOLDER)
            .tempdir_in(folder)?;
        self.adjust(scratch.path())?;
        Ok(scratch)
    }

    /// Makes a folder of our own.
    pub(super) fn own_folder(self, path: &Path) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        let builder = builder.recursive(true).create_mode(OWN_FOLDER);
        builder.create(path)?;
        self.adjust(path)
    }

    /// Opens a file of our own to read and write, and makes it where it is not there.
    pub(super) fn open_own(self, path: &Path) -> io::Result<File> {
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .create_mode(OWN_FILE)
            .open(path)?;
        self.adjust_others_too(&file)?;
        Ok(file)
    }

    /// Makes a file of our own that is not there yet.
    pub(super) fn create_new_own(self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let file = options
            .create_new(true)
            .write(true)
            .create_mode(OWN_FILE)
            .open(path)?;
        self.adjust_file(&file)?;
        Ok(file)
    }

    /// Closes a file that was moved below `.git/beads`, as far as it is not shared.
    pub(super) fn close(self, path: &Path) -> io::Result<()> {
        self.unless_of_another(platform::set_mode(path, self.of_own(false)))
    }

    /// Adjusts a file that may be of another user, who then has given it its mode.
    fn adjust_others_too(self, file: &File) -> io::Result<()> {
        self.unless_of_another(self.adjust_file(file))
    }

    fn unless_of_another(self, done: io::Result<()>) -> io::Result<()> {
        match done {
            Err(error) if self != Self::Umask && error.kind() == ErrorKind::PermissionDenied => {
                Ok(())
            }
            done => done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Permissions;

    #[test]
    fn values_are_read_as_git_reads_them() {
        let (group, all) = (Permissions::AtLeast(0o660), Permissions::AtLeast(0o664));
        for (value, expected) in [
            ("false", Some(Permissions::Umask)),
            ("umask", Some(Permissions::Umask)),
            ("0", Some(Permissions::Umask)),
            ("true", Some(group)),
            ("group", Some(group)),
            ("1", Some(group)),
            ("all", Some(all)),
            ("world", Some(all)),
            ("everybody", Some(all)),
            ("2", Some(all)),
            ("0640", Some(Permissions::Exactly(0o640))),
            ("0777", Some(Permissions::Exactly(0o666))),
            ("0440", None),
            ("some", None),
        ] {
            assert_eq!(Permissions::parse(value), expected, "{value}");
        }
    }

    #[test]
    fn modes_are_those_of_git() {
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
            let permissions = Permissions::parse(value).unwrap();
            let found = permissions.of(mode, is_folder);
            assert_eq!(found, expected, "{value} {mode:o}: {found:o}");
        }
    }
}
