//! The programs that a world sees: the one under test, git, what every system has, and what a test borrows by name.
//! Nothing else of the search path outside, so no answer depends on what is installed there.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use super::{World, binary, missing};

/// Git, and what its scripts, our hooks and the scripts of the tests run.
const BASE: [&str; 58] = [
    "awk", "basename", "bash", "cat", "chmod", "chown", "cmp", "cp", "cut", "date", "dd", "diff",
    "dirname", "env", "expr", "false", "find", "git", "grep", "gzip", "head", "hostname", "id",
    "kill", "ln", "ls", "mkdir", "mkfifo", "mktemp", "mount", "mv", "nice", "od", "printf", "ps",
    "pwd", "readlink", "rm", "rmdir", "sed", "seq", "sh", "sleep", "sort", "stat", "sync", "tail",
    "tee", "timeout", "touch", "tr", "true", "truncate", "umount", "uname", "uniq", "wc", "xargs",
];

/// Where a system keeps its own programs.
const SYSTEM: [&str; 4] = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/// Programs that another one runs.
const PARTS: [(&str, &[&str]); 1] = [(
    "man",
    &[
        "col", "eqn", "groff", "grotty", "nroff", "preconv", "tbl", "troff",
    ],
)];

/// Kilobytes that all tests together never need, of memory and of the file system in it.
const ROOM: u64 = 6_000_000;

/// Returns the folder in which worlds are made: `TMPDIR`, or else in memory where there is room. Tests make thousands of
/// files, for which a disk takes twice the time. Tests of disks make their own.
pub fn place() -> &'static Path {
    static PLACE: LazyLock<PathBuf> = LazyLock::new(|| {
        if std::env::var_os("TMPDIR").is_none() && is_roomy().unwrap_or(false) {
            PathBuf::from(MEMORY)
        } else {
            std::env::temp_dir()
        }
    });
    &PLACE
}

/// The file system that Linux keeps in memory.
const MEMORY: &str = "/dev/shm";

/// Returns whether there is room in memory, and programs run from there.
fn is_roomy() -> Option<bool> {
    let number = |text: &str| {
        text.split_whitespace()
            .find_map(|word| word.parse::<u64>().ok())
    };
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let memory = number(info.lines().find(|line| line.starts_with("MemAvailable"))?)?;
    let mounts = std::fs::read_to_string("/proc/mounts").ok()?;
    let at = format!(" {MEMORY} ");
    let runs = !mounts
        .lines()
        .find(|line| line.contains(&at))?
        .contains("noexec");
    let mut df = Command::new(find_in_system("df")?);
    let asked = df.args(["--output=avail", "-k", MEMORY]).output().ok()?;
    let free = number(std::str::from_utf8(&asked.stdout).ok()?)?;
    Some(runs && memory.min(free) >= ROOM)
}

/// Returns a program on the search path outside.
pub fn find(name: &str) -> Option<PathBuf> {
    let outside = std::env::var_os("PATH").unwrap_or_default();
    in_folders(std::env::split_paths(&outside), name)
}

/// Returns a program on the search path outside, or where a system keeps its own: daemons are seldom on the path.
pub fn find_in_system(name: &str) -> Option<PathBuf> {
    find(name).or_else(|| in_folders(SYSTEM.iter().map(PathBuf::from), name))
}

fn in_folders(mut folders: impl Iterator<Item = PathBuf>, name: &str) -> Option<PathBuf> {
    folders.find_map(|folder| {
        let path = folder.join(name);
        let runs = path
            .metadata()
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0);
        (folder.is_absolute() && runs).then_some(path)
    })
}

/// Returns the path of git.
pub fn git() -> &'static Path {
    static PATH: LazyLock<PathBuf> = LazyLock::new(|| find_in_system("git").unwrap());
    &PATH
}

/// Returns the folder of git and of what every system has.
pub fn base() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let found = |name: &&'static str| Some((*name, find_in_system(name)?));
        linked("base", &BASE.iter().filter_map(found).collect::<Vec<_>>())
    });
    &FOLDER
}

/// Returns the folder that holds the program under test and nothing else.
pub fn ours() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> =
        LazyLock::new(|| linked("ours", &[("git-beads", PathBuf::from(binary()))]));
    &FOLDER
}

/// Returns the python outside: the program itself, since what is on the path may be a script that needs its own environment.
pub fn python() -> Option<&'static Path> {
    static PYTHON: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        let ask = ["-c", "import pty, sys; print(sys.executable)"];
        let asked = Command::new(find("python3")?).args(ask).output().ok()?;
        let text = String::from_utf8(asked.stdout).ok()?;
        asked.status.success().then(|| PathBuf::from(text.trim()))
    });
    let found = PYTHON.as_deref();
    if found.is_none() {
        missing("python3 with its pty module");
    }
    found
}

/// Copies a program. By a process of its own: another one that this process starts meanwhile would have the copy open to
/// write until it has become its program, and so long nobody can run it.
pub fn copy_program(program: impl AsRef<Path>, to: impl AsRef<Path>) {
    let mut copy = Command::new(find_in_system("cp").unwrap());
    let copied = copy.arg(program.as_ref()).arg(to.as_ref()).status();
    assert!(copied.is_ok_and(|status| status.success()));
}

/// Makes a folder of links. It is named by them, made elsewhere and then renamed: processes that run at the same time, and
/// runs with another search path, never see a part of one.
fn linked(kind: &str, links: &[(&str, PathBuf)]) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    links.hash(&mut hasher);
    let root = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = root.join(format!("{kind}-{:016x}", hasher.finish()));
    if !folder.is_dir() {
        std::fs::create_dir_all(root).unwrap();
        let made = tempfile::tempdir_in(root).unwrap();
        for (name, program) in links {
            symlink(program, made.path().join(name)).unwrap();
        }
        std::fs::set_permissions(made.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let renamed = std::fs::rename(made.path(), &folder);
        assert!(renamed.is_ok() || folder.is_dir(), "{renamed:?}");
    }
    folder
}

impl World {
    /// Returns the `PATH` of the commands of this world, with or without the program under test.
    pub fn search_path(&self, with_ours: bool) -> String {
        let ours = with_ours.then(|| ours().to_owned());
        // Also while nothing is lent yet: a path that is set now finds what is lent later.
        let lent = Some(self.path("tools"));
        let folders = ours.into_iter().chain(lent).chain([base().to_owned()]);
        let path = std::env::join_paths(folders).unwrap();
        path.into_string().unwrap()
    }

    /// Puts a tool of the system outside on the search path of this world; where there is none the test is skipped.
    pub fn lend(&self, name: &str) -> bool {
        let found = match name {
            "python3" => python().map(Path::to_owned),
            _ => find(name),
        };
        let Some(program) = found else {
            return missing(name);
        };
        std::fs::create_dir_all(self.path("tools")).unwrap();
        if name == "man" {
            self.lend_man(&program);
        } else {
            self.link_tool(name, &program);
        }
        for (_, parts) in PARTS.iter().filter(|(whole, _)| *whole == name) {
            for part in *parts {
                let _ = find(part).map(|program| self.link_tool(part, &program));
            }
        }
        true
    }

    /// Writes a `man` that reads no configuration of the system: that would add folders to every search.
    fn lend_man(&self, program: &Path) {
        let script = format!(
            "#!/bin/sh\nexec '{}' -C /dev/null \"$@\"\n",
            program.display()
        );
        self.executable("tools/man", script);
    }

    fn link_tool(&self, name: &str, program: &Path) {
        let link = self.path("tools").join(name);
        if !link.is_symlink() {
            symlink(program, link).unwrap();
        }
    }
}
