//! What a command sees of the process, the user and the machine that it runs for, as one value: variables, current directory,
//! clock, randomness, standard streams.
//!
//! [`Env::of_process`] alone reads the process; `main` calls it, and everything else receives the value. What takes longer is
//! read when it is first asked for. Tests make their own, or set variables for the real program: `GIT_BEADS_NOW` (milliseconds;
//! with a sign, so far from the real time) stands for the clock, `GIT_BEADS_SEED` for randomness, and `GIT_BEADS_BOOT` for the
//! id of the boot.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use crate::platform::{self, Process};
use streams::Streams;

pub(crate) use crate::platform::{HAS_DRIVES, canonicalize, user_id};

pub use streams::Captured;

pub(crate) mod agent;
pub(crate) mod sandbox;
mod streams;
pub(crate) mod time_zone;

/// What a command sees of the process, the user and the machine. Copies share one value.
#[derive(Clone, Debug)]
pub struct Env(Arc<Surroundings>);

#[derive(Debug)]
struct Surroundings {
    variables: Variables,
    dir: io::Result<PathBuf>,
    /// This program's own file; none where the library runs inside of another program.
    program: OnceLock<Option<PathBuf>>,
    streams: Streams,
    /// The name and address of the user, where git's configuration of the machine and the user is left out.
    identity: Option<User>,
    /// The number of random numbers that were drawn.
    drawn: AtomicU64,
    stays: AtomicBool,
    ancestors: OnceLock<Vec<Process>>,
}

/// The variables. Those of a process stay as they are for as long as it runs; a copy would take 2,000 instructions for each.
#[derive(Debug)]
enum Variables {
    OfProcess,
    Given(BTreeMap<OsString, OsString>),
}

impl Variables {
    #[expect(clippy::disallowed_methods, reason = "the sanctioned place")]
    fn get(&self, name: &str) -> Option<OsString> {
        match self {
            Self::OfProcess => std::env::var_os(name),
            Self::Given(given) => given.get(OsStr::new(name)).cloned(),
        }
    }
}

/// The user of a sealed environment.
#[derive(Clone, Debug)]
pub struct User {
    /// Git's `user.name`.
    pub name: String,
    /// Git's `user.email`.
    pub email: String,
}

/// The environment of a command that runs inside of another program, and of the git that it starts.
#[derive(Clone, Debug)]
pub struct Sealed {
    /// All variables.
    pub variables: BTreeMap<OsString, OsString>,
    /// The current directory.
    pub dir: PathBuf,
    /// The program that is started for work in the background.
    pub program: PathBuf,
    /// The user: no configuration outside of the repository says who that is.
    pub identity: User,
    /// The contents of standard input.
    pub input: Vec<u8>,
}

impl Env {
    /// Returns the environment of this process, as it is now.
    #[expect(clippy::disallowed_methods, reason = "the sanctioned place")]
    pub fn of_process() -> Self {
        Self(Arc::new(Surroundings {
            variables: Variables::OfProcess,
            dir: std::env::current_dir(),
            program: OnceLock::new(),
            streams: Streams::OfProcess,
            identity: None,
            drawn: AtomicU64::new(0),
            stays: AtomicBool::new(false),
            ancestors: OnceLock::new(),
        }))
    }

    /// Returns an environment in which nothing of this process or its user is seen, without a terminal.
    pub fn sealed(from: Sealed) -> Self {
        Self(Arc::new(Surroundings {
            variables: Variables::Given(from.variables),
            dir: Ok(from.dir),
            program: OnceLock::from(Some(from.program)),
            streams: Streams::in_memory(from.input),
            identity: Some(from.identity),
            drawn: AtomicU64::new(0),
            stays: AtomicBool::new(false),
            // Those of the program around it say nothing of it.
            ancestors: OnceLock::from(Vec::new()),
        }))
    }

    /// Returns the user of a sealed environment; none where git's configuration says who that is.
    pub(crate) fn identity(&self) -> Option<&User> {
        self.0.identity.as_ref()
    }

    /// Says that this process stays for long: what it opens from now on, with this environment or a copy of it, takes little
    /// memory.
    pub fn stay(&self) {
        self.0.stays.store(true, Ordering::Relaxed);
    }

    /// Returns whether this process stays for long.
    pub(crate) fn stays(&self) -> bool {
        self.0.stays.load(Ordering::Relaxed)
    }

    /// Returns true if nothing of this process and its user is seen.
    pub(crate) fn is_sealed(&self) -> bool {
        self.0.identity.is_some()
    }

    /// Returns a variable that is set, not empty, and UTF-8.
    pub fn var(&self, name: &str) -> Option<String> {
        let value = self.0.variables.get(name)?.into_string().ok()?;
        (!value.is_empty()).then_some(value)
    }

    /// Returns a variable as the system has it.
    pub(crate) fn var_os(&self, name: &str) -> Option<OsString> {
        self.0.variables.get(name)
    }

    /// Returns the absolute paths of a list such as `PATH`.
    pub(crate) fn paths(&self, name: &str) -> Vec<PathBuf> {
        let list = self.var_os(name).unwrap_or_default();
        std::env::split_paths(&list)
            .filter(|path| path.is_absolute())
            .collect()
    }

    /// Returns the current directory; an error where it was removed or may not be read.
    pub(crate) fn current_dir(&self) -> Result<&Path, &io::Error> {
        self.0.dir.as_deref()
    }

    /// Leaves the folder in which this process was started, which a process that runs for long would outlive: from one
    /// that is gone neither it nor git opens anything. [`Env::current_dir`] stays what it was.
    pub(crate) fn leave_current_dir(&self) {
        if matches!(self.0.variables, Variables::OfProcess) {
            // Where that is refused, it stays where it is.
            let _ = std::env::set_current_dir("/");
        }
    }

    /// Returns the user's cache directory for this program.
    pub(crate) fn cache_dir(&self) -> Option<PathBuf> {
        let named = platform::CACHE_VARIABLES
            .iter()
            .filter_map(|name| self.var_os(name).map(PathBuf::from))
            .find(|path| path.is_absolute());
        named
            .or_else(|| Some(self.home()?.join(".cache")))
            .map(|base| base.join("git-beads"))
    }

    /// Returns the folder for files that are of use for a short time.
    pub(crate) fn temporary_folder(&self) -> PathBuf {
        let named = self.var_os("TMPDIR").filter(|path| !path.is_empty());
        named.map_or_else(std::env::temp_dir, PathBuf::from)
    }

    /// Returns the user's folder.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        let mut names = platform::HOME_VARIABLES.iter();
        names.find_map(|name| self.var_os(name)).map(PathBuf::from)
    }

    /// Returns the time in milliseconds since 1970.
    #[expect(clippy::disallowed_methods, reason = "the sanctioned place")]
    pub(crate) fn now(&self) -> u64 {
        let test = self.var("GIT_BEADS_NOW").unwrap_or_default();
        if let (false, Ok(fixed)) = (test.starts_with(['+', '-']), test.parse()) {
            return fixed;
        }
        let elapsed = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let real = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        real.saturating_add_signed(test.parse().unwrap_or(0))
    }

    /// Returns 80 or more random bits; a reproducible sequence under a seed.
    pub(crate) fn random(&self) -> u128 {
        match self.var("GIT_BEADS_SEED") {
            None => ulid::Ulid::generate().0,
            Some(seed) => {
                let n = self.0.drawn.fetch_add(1, Ordering::Relaxed);
                let hash = Sha256::digest(format!("{seed}/{n}"));
                hash[..16]
                    .iter()
                    .fold(0, |bits, byte| (bits << 8) | u128::from(*byte))
            }
        }
    }

    /// Returns this program's own file; none where the library runs inside of another program. The file can have another name
    /// than the one by which it was run, as at the end of a link.
    pub(crate) fn program(&self) -> Option<&Path> {
        self.0.program.get_or_init(own_file).as_deref()
    }

    /// Returns a program that sees this environment.
    #[expect(clippy::disallowed_methods, reason = "the sanctioned place")]
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let Variables::Given(variables) = &self.0.variables else {
            return Command::new(program);
        };
        // By its path: to search for it the process would be forked, which takes long where that is large.
        let mut name = program.as_ref().to_owned();
        name.push(std::env::consts::EXE_SUFFIX);
        let mut found = self.paths("PATH").into_iter().map(|path| path.join(&name));
        let found = found.find(|path| path.is_file());
        let found = found.as_deref().map(Path::as_os_str);
        let mut command = Command::new(found.unwrap_or(program.as_ref()));
        command.env_clear().envs(variables);
        command
    }

    /// Returns the name of this host with that of the container, as each counts its processes by itself.
    pub(crate) fn host(&self) -> String {
        let (name, container) = (self.machine(), platform::process_namespace());
        format!("{name} {container}").trim_end().to_owned()
    }

    /// Returns the name of this host.
    pub(crate) fn machine(&self) -> String {
        match platform::host_name() {
            name if !name.is_empty() => name,
            _ => self
                .var(platform::HOST_VARIABLE)
                .unwrap_or_else(|| "unknown".to_owned()),
        }
    }

    /// Returns the id of the present boot of this machine; empty where the system does not say.
    pub(crate) fn boot_id(&self) -> String {
        match self.var("GIT_BEADS_BOOT") {
            Some(fixed) => fixed.trim().to_owned(),
            None => platform::boot_id(),
        }
    }

    /// Returns the processes that have led to this one, the nearest first. Read once: a server outlives calls, not them.
    fn ancestors(&self) -> &[Process] {
        self.0.ancestors.get_or_init(platform::ancestors)
    }
}

/// Returns the present as the time of a file, in whole seconds.
#[expect(clippy::disallowed_methods, reason = "the sanctioned place")]
pub(crate) fn file_time() -> SystemTime {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    UNIX_EPOCH + Duration::from_secs(seconds)
}

/// Returns a text of 256 random bits and more that no one can guess; never twice the same, whatever the seed.
pub(crate) fn secret() -> String {
    [(); 4]
        .map(|()| format!("{:020x}", ulid::Ulid::generate().random()))
        .concat()
}

/// Returns the name of the file of this program.
pub(crate) fn program_name() -> String {
    format!("{}{}", env!("CARGO_PKG_NAME"), std::env::consts::EXE_SUFFIX)
}

fn own_file() -> Option<PathBuf> {
    let is_named = |path: &Path| {
        path.file_stem()
            .is_some_and(|name| name == env!("CARGO_PKG_NAME"))
    };
    let file = std::env::current_exe().ok()?;
    let run_as = std::env::args_os().next().map(PathBuf::from);
    (is_named(&file) || run_as.is_some_and(|path| is_named(&path))).then_some(file)
}

/// Starts a thread.
/// Errors: The system has none left, at which `std::thread::spawn` panics.
pub(crate) fn start_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<std::thread::JoinHandle<T>> {
    std::thread::Builder::new().spawn(work)
}
