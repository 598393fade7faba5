//! The place of a server: a port of this machine, and a file of the user's that says so to the next one.
//!
//! The port is another one each time: what other users have left at a known one in a browser, as a service worker, could read
//! the key of a later run.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use crate::env::{Env, secret};
use crate::files::replace;
use crate::ops::{Code, Command, Error, Result};
use crate::platform::{CreateMode as _, mode, other_owner};

/// Free ports that are tried: another program can have the IPv6 one of the same number.
const MOST_TRIED: usize = 20;
/// How the name of a file that leads to an address begins; the number of the process that has written it follows.
const OPENER: &str = "open-";
/// The age of one that a process has left behind which was killed.
const ABANDONED: Duration = Duration::from_secs(60);

/// The place of this server. The lock on its file is held as long as this lives.
pub(super) struct ServerPlace {
    file: File,
    pub(super) listeners: Vec<TcpListener>,
    pub(super) served: Served,
}

/// Where a server of this user is.
pub(super) struct Served {
    folder: PathBuf,
    pub(super) port: u16,
    pub(super) key: String,
}

/// What a search for a place has found.
pub(super) enum FoundPlace {
    Own(ServerPlace),
    /// Another server of this user, which serves the repository that was asked for.
    Other(Served),
}

/// What is said in the file of a place, whose name is the port.
#[derive(Deserialize)]
struct PlaceNote {
    key: String,
    repos: Vec<String>,
}

/// Takes a place: the port that is asked for, or any that is free.
/// Errors: there is none, or the folder of the user is another's.
pub(super) fn take(
    env: &Env,
    port: Option<u16>,
    here: Option<&str>,
    repos: &[String],
) -> Result<FoundPlace> {
    let folder = folder(env)?;
    let failed = |error| Error::io(&folder.display().to_string(), &error);
    // One at a time: a file that is not locked is that of a server that has gone.
    let turn = private(&folder.join("turn")).map_err(failed)?;
    turn.lock().map_err(failed)?;
    for (known, note) in running(&folder).map_err(failed)? {
        let is_meant = port.is_none_or(|port| port == known);
        if is_meant && here.is_none_or(|here| note.repos.iter().any(|repo| repo == here)) {
            let (port, key) = (known, note.key);
            return Ok(FoundPlace::Other(Served { folder, port, key }));
        }
    }
    let listeners = match port {
        Some(port) => listen(port),
        None => (0..MOST_TRIED).find_map(|_| listen(0)),
    };
    let Some((port, listeners)) = listeners else {
        let message = match port {
            Some(port) => format!("port {port} is taken"),
            None => "this machine has no free port".to_owned(),
        };
        return Err(Error::new(Code::Taken, message));
    };
    let key = secret();
    let note = json!({"key": key, "repos": repos}).to_string();
    let mut file = private(&folder.join(port.to_string())).map_err(failed)?;
    file.try_lock().map_err(|error| failed(error.into()))?;
    file.set_len(0).map_err(failed)?;
    file.write_all(note.as_bytes()).map_err(failed)?;
    Ok(FoundPlace::Own(ServerPlace {
        file,
        listeners,
        served: Served { folder, port, key },
    }))
}

impl Served {
    /// Returns the address, with the key behind the sign that no browser sends, and behind that what is shown first.
    pub(super) fn address(&self, first: &str) -> String {
        format!("http://127.0.0.1:{}/#k={}{first}", self.port, self.key)
    }

    /// Writes a file of this process that leads to the address, where one is wanted: on a command line the key would be seen
    /// by other users.
    /// Errors: it can't be written.
    pub(super) fn write_opener_if(
        &self,
        is_wanted: bool,
        address: &str,
    ) -> Result<Option<PathBuf>> {
        if !is_wanted {
            return Ok(None);
        }
        let name = format!("{OPENER}{}.html", std::process::id());
        let file = self.folder.join(name);
        let page = format!(
            "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
             <meta http-equiv=\"refresh\" content=\"0; url={0}\"><a href=\"{0}\">git beads</a>\n",
            address.replace('&', "&amp;")
        );
        // One that was left behind may have another mode.
        let _ = fs::remove_file(&file);
        let written = replace(&file, page.as_bytes(), 0o600);
        written.map_err(|error| Error::io(&file.display().to_string(), &error))?;
        Ok(Some(file))
    }
}

impl ServerPlace {
    /// Leaves the place: no other program is led here any more.
    pub(super) fn leave(&self) {
        // The file itself is removed by the next one; the key is of no use any more.
        let _ = self.file.set_len(0);
    }
}

impl Drop for ServerPlace {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Opens a file that no other user can read, and makes it where it is missing.
fn private(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true);
    options.create_mode(0o600);
    options.open(file)
}

/// Returns the servers of this user that run, by their ports, and removes what those have left that ended.
fn running(folder: &Path) -> io::Result<Vec<(u16, PlaceNote)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if name.starts_with(OPENER) && is_abandoned(&entry) {
            let _ = fs::remove_file(&path);
        }
        let Ok(port) = name.parse() else { continue };
        let mut file = private(&path)?;
        if file.try_lock().is_ok() {
            let _ = fs::remove_file(&path);
            continue;
        }
        let mut text = String::new();
        // Where a lock keeps others from reading, it is not found.
        let read = file.read_to_string(&mut text);
        let note = read.ok().and_then(|_| serde_json::from_str(&text).ok());
        found.extend(note.map(|note| (port, note)));
    }
    Ok(found)
}

fn is_abandoned(entry: &fs::DirEntry) -> bool {
    let changed = entry.metadata().and_then(|meta| meta.modified());
    changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > ABANDONED))
}

/// Returns a port and what listens there; none where another program does. A machine without IPv6 has one address.
fn listen(port: u16) -> Option<(u16, Vec<TcpListener>)> {
    let four = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok()?;
    let port = four.local_addr().ok()?.port();
    let mut all = vec![four];
    match TcpListener::bind((Ipv6Addr::LOCALHOST, port)) {
        Ok(six) => all.push(six),
        Err(error) if error.kind() == ErrorKind::AddrInUse => return None,
        Err(_) => {}
    }
    let is_ready = all.iter().all(|one| one.set_nonblocking(true).is_ok());
    is_ready.then_some((port, all))
}

/// Returns a folder that only this user can read, and makes it where it is missing.
/// Errors: there is no home, or the folder is not of this user alone.
fn folder(env: &Env) -> Result<PathBuf> {
    let named = |name| env.var_os(name).map(PathBuf::from);
    let named = named("XDG_RUNTIME_DIR").or_else(|| named("XDG_STATE_HOME"));
    let base = named.or_else(|| Some(env.home()?.join(".local/state")));
    let base = base.filter(|path| path.is_absolute());
    let base = base.ok_or_else(|| Error::invalid("you have no home folder"))?;
    // Of its own: other users may look into the one around it.
    let folder = base.join("git-beads").join("serve");
    let failed = |error| Error::io(&folder.display().to_string(), &error);
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    builder.create_mode(0o700).create(&folder).map_err(failed)?;
    // By their names, and not at the end of a link, which another user can make. Whoever can write in the one around it can put
    // another one in its place.
    for (folder, others) in [(base.join("git-beads"), 0o022), (folder.clone(), 0o077)] {
        let meta = fs::symlink_metadata(&folder).map_err(failed)?;
        let is_own = meta.is_dir() && other_owner(&meta).is_none();
        if !is_own || mode(&meta) & others != 0 {
            let shown = folder.display();
            let message = format!("{shown} has to be a folder of yours that no one else can use");
            let mend = Command::line("chmod 700").word(shown.to_string());
            return Err(Error::new(Code::Refused, message).hinted(mend));
        }
    }
    Ok(folder)
}
