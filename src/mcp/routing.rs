//! The repository of a call. It is determined on every call, and there is no fallback.
//!
//! A client may start the server anywhere: in `/`, at home, in a worktree that it leaves later. So
//! the most explicit naming of a repository counts, and where two guesses disagree nothing is
//! written.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::Value;

use super::file_uri;
use super::tools::names::SET_CONTEXT;
use super::workspaces::Workspaces;
use crate::env::{Env, canonicalize};
use crate::ops::{self, Code, Command, Error, ExitClass, Hint, Located, Location, Result};

#[derive(Debug)]
pub(super) struct Router {
    pub(super) env: Env,
    pub(super) repo: Option<PathBuf>,
    /// `--root`: the only folders that may be named, with `--multi-repo`.
    pub(super) roots: Vec<PathBuf>,
    /// True if a call may name its repository.
    pub(super) multi: bool,
    /// True if writes are refused until a repository was named.
    pub(super) strict: bool,
    pub(super) actor: Option<String>,
    /// Value of `--lease TIME` in minutes, if given.
    pub(super) lease: Option<u32>,
    /// The repositories that `set_context` chose, and for whom.
    pub(super) chosen: Workspaces,
    /// The folders that the client works in, where it was asked.
    pub(super) client_roots: Mutex<Vec<PathBuf>>,
    /// The git directory of the repository that the first request found.
    pub(super) home: OnceLock<PathBuf>,
}

#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) env: Env,
    pub(super) dir: PathBuf,
    /// Source of the choice, as `where_am_i` shows it.
    pub(super) found_by: &'static str,
    /// True if it was named and not guessed.
    named: bool,
    /// The other repository that could be meant.
    pub(super) rival: Option<PathBuf>,
}

struct LocatedGuess {
    dir: PathBuf,
    /// The directory that all worktrees of the repository share.
    common: PathBuf,
    found_by: &'static str,
}

impl Router {
    /// Returns whether answers say which repository they are about.
    pub(super) fn says_repo(&self, route: &Route) -> bool {
        self.multi || self.strict || !route.is_obvious()
    }

    /// Finds the repository of a caller's call, which may name one.
    pub(super) fn route(&self, asked: Option<&str>, caller: &[String]) -> Result<Route> {
        // The most explicit first: this call, this session, this server, this environment; then guesses.
        if let Some(asked) = asked {
            return Ok(Route::named(
                &self.env,
                self.admit(asked)?,
                "workspace_root",
            ));
        }
        match self.chosen.of(caller) {
            Some(dir) => Ok(Route::named(&self.env, dir, SET_CONTEXT)),
            None => self.first(),
        }
    }

    /// Finds the repository of the calls before any has chosen one.
    pub(super) fn first(&self) -> Result<Route> {
        let named = |dir, found_by| Route::named(&self.env, dir, found_by);
        if let Some(dir) = &self.repo {
            return Ok(named(dir.clone(), "--repo"));
        }
        if let Some(dir) = folder_of(&self.env, "GIT_BEADS_REPO") {
            return Ok(named(dir, "GIT_BEADS_REPO"));
        }
        if let Some((dir, name)) = beads_variable(&self.env) {
            return Ok(named(dir, name));
        }
        let route = self.guess()?;
        // The roots hold for a guess too: the server may have been started outside of them.
        if self.multi
            && let Ok(located) = locate(&self.env, &route.dir)
        {
            self.check_place(&located)?;
        }
        Ok(route)
    }

    /// Guesses the repository around the current directory, else the client's project, else its roots.
    fn guess(&self) -> Result<Route> {
        let here = self.env.current_dir();
        let project = folder_of(&self.env, PROJECT);
        if project.is_none() && self.roots_of_client().is_empty() {
            return Ok(self.guessed(here.map_err(no_directory)?, HERE, None));
        }
        let here_and_project = [(here.ok(), HERE), (project.as_deref(), PROJECT)];
        let mut found = Vec::new();
        for (dir, found_by) in here_and_project {
            found.extend(dir.and_then(|dir| self.located(dir, found_by)));
        }
        // The server was started outside of any repository.
        if found.is_empty() {
            let roots = self.roots_of_client().clone();
            found.extend(roots.iter().filter_map(|dir| self.located(dir, ROOTS)));
        }
        let Some((first, others)) = found.split_first() else {
            return Ok(self.guessed(here.map_err(no_directory)?, HERE, None));
        };
        // Reads go to the first; `check_write` refuses to write to either.
        let rival = others.iter().find(|it| it.common != first.common);
        let rival = rival.map(|it| it.dir.clone());
        Ok(self.guessed(&first.dir, first.found_by, rival))
    }

    fn guessed(&self, dir: &Path, found_by: &'static str, rival: Option<PathBuf>) -> Route {
        Route {
            env: self.env.clone(),
            dir: dir.to_owned(),
            found_by,
            named: false,
            rival,
        }
    }

    fn located(&self, dir: &Path, found_by: &'static str) -> Option<LocatedGuess> {
        let common = locate(&self.env, dir).ok()?.common;
        let dir = dir.to_owned();
        Some(LocatedGuess {
            dir,
            common,
            found_by,
        })
    }

    /// Returns true if no repository is named, and none is where the server was started.
    pub(super) fn is_outside(&self) -> bool {
        match self.first() {
            Ok(route) => route.found_by == HERE && locate(&self.env, &route.dir).is_err(),
            Err(_) => true,
        }
    }

    pub(super) fn set_client_roots(&self, roots: Vec<PathBuf>) {
        *self.roots_of_client() = roots;
    }

    fn roots_of_client(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.client_roots
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers the repository that was found first: its folder can go while a worktree of it stays.
    pub(super) fn note_home(&self, route: &Route) {
        if let Ok(located) = route.locate() {
            let _ = self.home.set(located.common);
        }
    }

    /// Checks a directory that `set_context` names, and remembers it for the calls of this caller that follow.
    pub(super) fn admit_context(&self, asked: &str) -> Result<Route> {
        let dir = Self::folder(asked)?;
        if self.multi {
            self.check_root(&dir)?;
        }
        let located = self.named(&dir)?;
        if self.multi {
            self.check_place(&located)?;
        }
        Ok(Route::named(&self.env, dir, "workspace_root"))
    }

    /// Checks a directory that a call names for itself.
    fn admit(&self, asked: &str) -> Result<PathBuf> {
        if self.multi {
            return Ok(self.admit_context(asked)?.dir);
        }
        let dir = Self::folder(asked)?;
        let located = self.named(&dir)?;
        let first = self.first().ok();
        let guesses = first
            .iter()
            .flat_map(|first| [Some(&first.dir), first.rival.as_ref()]);
        let guesses = guesses
            .flatten()
            .filter_map(|dir| locate(&self.env, dir).ok());
        let is_near =
            |known: Located| known.common == located.common || ops::is_submodule(&known, &located);
        let is_known =
            self.chosen.knows(&located.common) || self.home.get() == Some(&located.common);
        if is_known || guesses.into_iter().any(is_near) {
            return Ok(dir);
        }
        let message = format!(
            "{} is neither the repository of this server nor a worktree or submodule of it, and was not chosen before",
            dir.display()
        );
        Err(Error::new(Code::OutsideRoots, message)
            .hinted(Hint::call(SET_CONTEXT, choosing(&dir)))
            .also(serving(&dir)))
    }

    /// Returns the repository of a folder that a call names.
    /// Errors: there is none, which the call can put right.
    fn named(&self, dir: &Path) -> Result<Located> {
        locate(&self.env, dir).map_err(|error| match error.is(Code::NotARepository) {
            true => Error::not_found(error.message)
                .hinted(Hint::text("name an existing folder inside the repository")),
            false => error,
        })
    }

    /// Returns the folder that a client names, by its real path.
    fn folder(asked: &str) -> Result<PathBuf> {
        let shown: String = asked.chars().take(200).collect();
        let dir = file_uri::folder(asked);
        if !dir.is_absolute() {
            let message = format!(
                "workspace_root must be an absolute path or a file:// address, not `{shown}`"
            );
            return Err(Error::invalid(message).hinted(Hint::text(
                "name the folder of the repository, such as /home/me/project",
            )));
        }
        // Resolved before it is held against the roots, so that no link leads out of them.
        canonicalize(&dir).map_err(|error| {
            Error::not_found(format!("workspace_root {shown} can't be opened: {error}"))
                .hinted(Hint::text("name an existing folder inside the repository"))
        })
    }

    /// Returns the repositories among the allowed folders by the names that a context may use: the
    /// last part of the path where that is unique.
    pub(super) fn workspaces(&self) -> Vec<(String, &PathBuf)> {
        let last = |root: &PathBuf| Some(root.file_name()?.to_string_lossy().into_owned());
        let mut repositories: Vec<&PathBuf> = self.roots.iter().collect();
        repositories.retain(|root| root.join(".git").exists());
        let name = |root: &PathBuf| {
            let short = last(root).filter(|name| name != "default");
            let mut named = repositories.iter().filter(|other| last(other) == short);
            // Two folders of one name are distinguished by their paths.
            let is_alone = named.next().is_some() && named.next().is_none();
            let short = short.filter(|_| is_alone);
            short.unwrap_or_else(|| root.display().to_string())
        };
        let named = repositories.iter().map(|root| (name(root), *root));
        named.collect()
    }

    /// Returns the folder of such a name, or the one that is named by its path.
    pub(super) fn workspace(&self, id: &str) -> Option<String> {
        let named = self.workspaces().into_iter().find(|(name, _)| name == id);
        let named = named.map(|(_, root)| root.display().to_string());
        named.or_else(|| {
            let is_folder = file_uri::folder(id).is_absolute();
            is_folder.then(|| id.to_owned())
        })
    }

    /// Checks work tree and repository: a work tree in a root may belong to a repository outside of
    /// it.
    fn check_place(&self, located: &Located) -> Result<()> {
        // Both: a work tree inside of the roots may belong to a repository outside of them.
        self.check_root(&located.common)?;
        self.check_root(located.place())
    }

    fn check_root(&self, dir: &Path) -> Result<()> {
        if self.roots.iter().any(|root| dir.starts_with(root)) {
            return Ok(());
        }
        let roots: Vec<String> = self
            .roots
            .iter()
            .map(|root| root.display().to_string())
            .collect();
        let message = format!(
            "{} is outside the folders this server may use: {}",
            dir.display(),
            roots.join(", ")
        );
        Err(Error::new(Code::OutsideRoots, message).hinted(serving(dir)))
    }
}

fn no_directory(error: &std::io::Error) -> Error {
    let message = format!("the current directory can't be read: {error}");
    Error::new(Code::Io, message).hinted(Hint::text(SAY_WHERE))
}

fn choosing(dir: &Path) -> String {
    let root = Value::from(dir.display().to_string());
    format!("{SET_CONTEXT}(workspace_root={root})")
}

/// Returns the command of a server that may use a folder.
fn serving(dir: &Path) -> Command {
    let server = Command::of("mcp").flag("--multi-repo");
    server.flag("--root").path(dir)
}

/// Source of a route that nothing but the current directory names.
const HERE: &str = "current directory";
/// Those of the other guesses.
const PROJECT: &str = "CLAUDE_PROJECT_DIR";
const ROOTS: &str = "client roots";

const SAY_WHERE: &str =
    "start the server in the repository, or with --repo DIR, or set GIT_BEADS_REPO=DIR";

impl Route {
    pub(super) fn named(env: &Env, dir: PathBuf, found_by: &'static str) -> Self {
        Self {
            env: env.clone(),
            dir,
            found_by,
            named: true,
            rival: None,
        }
    }

    /// Errors: there is none; named with the variable that led there, if one did.
    pub(super) fn locate(&self) -> Result<Located> {
        let is_variable = self.found_by.starts_with(char::is_uppercase);
        locate(&self.env, &self.dir).map_err(|mut error| {
            if is_variable && error.is(Code::NotARepository) {
                error.message = format!("{} ({})", error.message, self.found_by);
            }
            error
        })
    }

    /// Returns whether it is the repository around the current directory, and no other could be meant.
    pub(super) fn is_obvious(&self) -> bool {
        !self.named && self.rival.is_none() && self.found_by == HERE
    }

    /// Refuses to write where the repository is not clear.
    pub(super) fn check_write(&self, router: &Router) -> Result<()> {
        if let Some(rival) = &self.rival {
            let (current, other) = (self.dir.display(), rival.display());
            let found_by = self.found_by;
            let rival_by = if found_by == HERE { PROJECT } else { found_by };
            let message = format!(
                "two repositories could be meant, so nothing is written: {current} ({found_by}) and {other} ({rival_by})"
            );
            return Err(Error::new(Code::UnclearContext, message)
                .hinted(Hint::call(
                    SET_CONTEXT,
                    format!("name one: {} or {}", choosing(&self.dir), choosing(rival)),
                ))
                .also(Hint::text("start the server with --repo DIR")));
        }
        if router.strict && !self.named {
            let message = "no workspace was named, and BEADS_REQUIRE_CONTEXT=1 asks for it before anything is written";
            return Err(Error::new(Code::UnclearContext, message)
                .hinted(Hint::call(SET_CONTEXT, choosing(&self.dir))));
        }
        Ok(())
    }
}

/// Returns the folder that a variable names, from where the server was started; none where it is empty.
fn folder_of(env: &Env, name: &str) -> Option<PathBuf> {
    let value = env.var_os(name).filter(|value| !value.is_empty())?;
    let dir = match value.to_str() {
        Some(text) => file_uri::folder(text),
        None => PathBuf::from(value),
    };
    Some(match env.current_dir() {
        Ok(here) => here.join(dir),
        Err(_) => dir,
    })
}

/// Returns the folder that a variable of `beads-mcp` names: the working directory, or the one around a database.
fn beads_variable(env: &Env) -> Option<(PathBuf, &'static str)> {
    if let Some(dir) = folder_of(env, "BEADS_WORKING_DIR") {
        return Some((dir, "BEADS_WORKING_DIR"));
    }
    let database = folder_of(env, "BEADS_DB")?;
    // There is no database here: the repository around the place where one would be is meant.
    let around = database.ancestors().skip(1).find(|dir| dir.is_dir());
    let around = around.map_or_else(|| database.clone(), Path::to_owned);
    Some((around, "BEADS_DB"))
}

pub(super) fn location(env: &Env, dir: &Path) -> Location {
    Location {
        env: env.clone(),
        dir: dir.to_owned(),
        explicit: true,
    }
}

pub(super) fn locate(env: &Env, dir: &Path) -> Result<Located> {
    ops::locate(&location(env, dir)).map_err(|error| {
        if error.class() != ExitClass::NotARepository {
            return error;
        }
        let message = format!("No git repository found from {}", dir.display());
        Error::new(Code::NotARepository, message)
            .hinted(Hint::text(SAY_WHERE))
            .also(Hint::call(
                SET_CONTEXT,
                format!("{SET_CONTEXT}(workspace_root=...) names one"),
            ))
    })
}
