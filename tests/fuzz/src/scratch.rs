//! A repository for one fuzz process, set back to the same state before each input.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use git_beads::env::Env;
use git_beads::store::{Location, Oid, REF};
use gix::objs::{Kind, Write as _};

/// Runs after which the objects that no longer matter are removed.
const SWEEP: usize = 500;

/// A bare environment: no configuration of the user, a clock that stands, numbers that repeat.
fn settle(home: &Path) {
    let fixed = [
        ("HOME", home.as_os_str()),
        ("XDG_CONFIG_HOME", home.as_os_str()),
        ("XDG_CACHE_HOME", home.as_os_str()),
        ("GIT_CEILING_DIRECTORIES", home.as_os_str()),
        ("GIT_CONFIG_NOSYSTEM", "1".as_ref()),
        ("GIT_BEADS_NOW", "1763637600000".as_ref()),
        ("GIT_BEADS_SEED", "fuzz".as_ref()),
        ("GIT_BEADS_ACTOR", "fuzz".as_ref()),
    ];
    for (name, value) in fixed {
        // Safe: a target calls this before it starts a thread.
        unsafe { std::env::set_var(name, value) };
    }
}

/// A repository with one ref.
pub struct Scratch {
    dir: PathBuf,
    repo: gix::Repository,
    kept: HashSet<PathBuf>,
    tip: String,
    runs: usize,
}

impl Scratch {
    /// Makes an empty repository in a folder of this process, and removes those of processes that have ended:
    /// a fuzzer ends without tidying up.
    pub fn new(target: &str) -> Self {
        let all = std::env::temp_dir().join("git-beads-fuzz");
        fs::create_dir_all(&all).expect("a folder for temporary files");
        for entry in fs::read_dir(&all).expect("it can be read").flatten() {
            let process = entry.file_name().to_string_lossy().rsplit('-').next().map(str::to_owned);
            if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let dir = all.join(format!("{target}-{}", std::process::id())).join("repo");
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).expect("a folder for the repository");
        settle(dir.parent().expect("it has one"));
        let repo = gix::init(&dir).expect("a repository");
        // The journal would remember what each input makes, and bring it back.
        let config = dir.join(".git/config");
        let text = fs::read_to_string(&config).expect("a configuration") + "[beads]\n\tdurability = git\n";
        fs::write(config, text).expect("a configuration");
        let dir = dir.canonicalize().expect("it is there");
        Self { dir, repo, kept: HashSet::new(), tip: String::new(), runs: 0 }
    }

    /// Where it lies.
    pub fn location(&self) -> Location {
        Location { dir: self.dir.clone(), explicit: true, env: Env::of_process() }
    }

    /// Writes an object, sound or not.
    pub fn object(&self, kind: Kind, bytes: &[u8]) -> gix::ObjectId {
        self.repo.objects.write_buf(kind, bytes).expect("an object")
    }

    /// What the ref's file holds.
    pub fn tip(&self) -> String {
        fs::read_to_string(self.git().join(REF)).unwrap_or_default().trim().to_owned()
    }

    /// Takes the present state for the one to go back to.
    pub fn keep(&mut self) {
        self.tip = self.tip();
        self.kept = self.objects().collect();
    }

    /// Goes back, and now and then removes the objects that came since.
    pub fn reset(&mut self) {
        if self.tip() != self.tip {
            fs::write(self.git().join(REF), format!("{}\n", self.tip)).expect("the ref");
            let _ = fs::remove_file(self.git().join("logs").join(REF));
        }
        self.runs += 1;
        if self.runs.is_multiple_of(SWEEP) {
            for path in self.objects().filter(|path| !self.kept.contains(path)).collect::<Vec<_>>() {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// The state to go back to.
    pub fn base(&self) -> Oid {
        Oid::parse(&self.tip).expect("`keep` came first")
    }

    fn git(&self) -> PathBuf {
        self.dir.join(".git")
    }

    fn objects(&self) -> impl Iterator<Item = PathBuf> + use<> {
        let folders = fs::read_dir(self.git().join("objects")).into_iter().flatten().flatten();
        let folders = folders.map(|entry| entry.path()).filter(|path| path.file_name().is_some_and(|n| n.len() == 2));
        folders.flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten()).map(|entry| entry.path())
    }
}
