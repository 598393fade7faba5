//! Writers beside each other, and the oracle: every change says a word that no other says, and what was
//! answered has to be found in the export.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::Dice;
use crate::support::World;

/// Writers of one repository.
pub struct Fleet {
    env: Vec<(String, String)>,
    folder: PathBuf,
    seed: u64,
    answered: Mutex<BTreeSet<String>>,
    took: Mutex<Vec<Duration>>,
    killed: Mutex<usize>,
    failed: Mutex<Vec<String>>,
    stop: AtomicBool,
}

/// How a writer ended.
enum End {
    Answered(String),
    Killed,
    Failed(String),
}

impl Fleet {
    pub fn new(world: &World, folder: &str, seed: u64) -> Self {
        let template = world.command(folder, "true", &[]);
        let text = |value: &std::ffi::OsStr| value.to_str().unwrap().to_owned();
        let env = template
            .get_envs()
            .filter_map(|(key, value)| Some((text(key), text(value?))))
            .collect();
        let (answered, took, killed, failed, stop) = Default::default();
        Self {
            env,
            folder: world.path(folder),
            seed,
            answered,
            took,
            killed,
            failed,
            stop,
        }
    }

    /// Lets some writers work: each creates an issue, then notes something there, and again.
    ///
    /// `kill` says after which time to kill a writer, if it is to be.
    pub fn work(
        &self,
        writers: u64,
        changes: u64,
        kill: impl Fn(&mut Dice) -> Option<Duration> + Sync,
    ) {
        std::thread::scope(|scope| {
            for writer in 0..writers {
                let kill = &kill;
                scope.spawn(move || {
                    let mut dice = Dice::new(self.seed ^ (writer << 32) ^ 1);
                    let mut issue = None;
                    for n in 0..changes {
                        if self.stop.load(Ordering::Relaxed) {
                            return;
                        }
                        issue = self.change(
                            &format!("{}w{writer}n{n}x", self.seed),
                            issue,
                            kill(&mut dice),
                        );
                    }
                });
            }
        });
    }

    /// One change, which says a word; returns the issue that the next may note something in.
    fn change(&self, word: &str, issue: Option<String>, kill: Option<Duration>) -> Option<String> {
        let args = match &issue {
            None => vec!["create", "-q", word],
            Some(id) => vec!["note", id, "-q", "--finding", word],
        };
        let start = Instant::now();
        match self.run(word, &args, kill) {
            End::Answered(id) => {
                self.took.lock().unwrap().push(start.elapsed());
                self.answered.lock().unwrap().insert(word.to_owned());
                if issue.is_none() { Some(id) } else { None }
            }
            End::Killed => {
                *self.killed.lock().unwrap() += 1;
                issue
            }
            End::Failed(said) => {
                self.failed.lock().unwrap().push(said);
                issue
            }
        }
    }

    fn run(&self, seed: &str, args: &[&str], kill: Option<Duration>) -> End {
        let mut command = Command::new(crate::support::binary());
        command
            .args(args)
            .current_dir(&self.folder)
            .env_clear()
            .envs(self.env.iter().cloned());
        command
            .env("GIT_BEADS_SEED", seed)
            .env_remove("GIT_BEADS_NOW");
        let piped = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let Ok(mut child) = piped.spawn() else {
            return End::Failed("it does not start".to_owned());
        };
        if let Some(after) = kill {
            std::thread::sleep(after);
            // It may be at its end already.
            let _ = child.kill();
        }
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        match output.status.code() {
            // One that was killed after it had answered has answered.
            Some(0) => End::Answered(said),
            None if !said.is_empty() => End::Answered(said),
            None => End::Killed,
            Some(code) => End::Failed(format!(
                "{code}: {}",
                String::from_utf8_lossy(&output.stderr)
            )),
        }
    }

    /// Lets all writers end after the change they are at.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub fn answered(&self) -> usize {
        self.answered.lock().unwrap().len()
    }

    /// What was answered so far.
    pub fn words(&self) -> BTreeSet<String> {
        self.answered.lock().unwrap().clone()
    }

    pub fn killed(&self) -> usize {
        *self.killed.lock().unwrap()
    }

    /// What writers failed with.
    pub fn failed(&self) -> Vec<String> {
        self.failed.lock().unwrap().clone()
    }

    /// How long all but one in a hundred answers took at most, and half of them.
    pub fn latency(&self) -> (Duration, Duration) {
        let mut took = self.took.lock().unwrap().clone();
        took.sort();
        (took[took.len() * 99 / 100], took[took.len() / 2])
    }

    /// Asserts that all that was answered is there.
    #[track_caller]
    pub fn all_kept(&self, world: &World, folder: &str) {
        Self::kept(&self.words(), world, folder);
    }

    /// Asserts that these words are there.
    #[track_caller]
    pub fn kept(answered: &BTreeSet<String>, world: &World, folder: &str) {
        let export = world.bd_in(folder, &["export"]).ok();
        let words: BTreeSet<&str> = export.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        let lost: Vec<&String> = answered
            .iter()
            .filter(|word| !words.contains(word.as_str()))
            .collect();
        assert!(lost.is_empty(), "answered and lost: {lost:?}");
    }
}
