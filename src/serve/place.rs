//! The place of a server: a port of this machine, and a file of the user's that says so to the next one.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::env::{Env, secret};
use crate::files::replace;
use crate::ops::{Code, Command, Error, Result};
use crate::platform::{CreateMode as _, mode, other_owner, owner};

/// The first of the ports that a user may get, and how many there are.
const FIRST_PORT: u16 = 20_000;
const PORTS: u16 = 10_000;
/// Ports that are tried.
const MOST_TRIED: u16 = 21;

/// The place of this server. The lock on its file is held as long as this lives.
pub(super) struct ServerPlace {
    file: File,
    folder: PathBuf,
    pub(super) port: u16,
    pub(super) key: String,
    pub(super) listeners: Vec<TcpListener>,
}

/// What a search for a place has found.
pub(super) enum FoundPlace {
    Own(ServerPlace),
    /// The address of another server of this user, which serves the repository that was asked for.
    Other(String),
}

/// What is said in the file of a place.
struct PlaceNote {
    port: u16,
    key: String,
    repos: Vec<String>,
}

/// Takes a place: the port that is asked for, or the first free one of this user.
/// Errors: none is free, or the folder of the user is another's.
pub(super) fn take(
    env: &Env,
    port: Option<u16>,
    here: Option<&str>,
    repos: &[String],
) -> Result<FoundPlace> {
    let folder = folder(env)?;
    let ports = match port {
        Some(port) => port..=port,
        None => {
            let first = first_port(&folder);
            first..=first + (MOST_TRIED - 1)
        }
    };
    let (first, last) = (*ports.start(), *ports.end());
    for port in ports {
        let file = folder.join(port.to_string());
        let failed = |error| Error::io(&file.display().to_string(), &error);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true);
        options.create_mode(0o600);
        let mut file = options.open(&file).map_err(failed)?;
        if file.try_lock().is_err() {
            let note = read(&mut file);
            let serves =
                |note: &PlaceNote| here.is_none_or(|here| note.repos.iter().any(|it| it == here));
            if let Some(note) = note.filter(serves) {
                return Ok(FoundPlace::Other(address(note.port, &note.key)));
            }
            continue;
        }
        if let Some(listeners) = listen(port) {
            let key = secret();
            let note = [
                &[
                    std::process::id().to_string(),
                    port.to_string(),
                    key.clone(),
                ],
                repos,
            ]
            .concat();
            file.set_len(0).map_err(failed)?;
            file.write_all(note.join("\n").as_bytes()).map_err(failed)?;
            return Ok(FoundPlace::Own(ServerPlace {
                file,
                folder,
                port,
                key,
                listeners,
            }));
        }
    }
    let message = match first == last {
        true => format!("port {first} is taken"),
        false => format!("the ports {first} to {last} are taken; `--port` names another"),
    };
    Err(Error::new(Code::Taken, message))
}

impl ServerPlace {
    /// Returns the address, with the key behind the sign that no browser sends.
    pub(super) fn address(&self) -> String {
        address(self.port, &self.key)
    }

    /// Writes a file that leads to the address: on a command line the key would be seen by other users.
    /// Errors: it can't be written.
    pub(super) fn write_opener(&self) -> Result<PathBuf> {
        let file = self.folder.join(format!("open-{}.html", self.port));
        let page = format!(
            "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
             <meta http-equiv=\"refresh\" content=\"0; url={0}\"><a href=\"{0}\">git beads</a>\n",
            self.address()
        );
        // One that was left behind may have another mode.
        let _ = fs::remove_file(&file);
        let written = replace(&file, page.as_bytes(), 0o600);
        written.map_err(|error| Error::io(&file.display().to_string(), &error))?;
        Ok(file)
    }
}

impl Drop for ServerPlace {
    fn drop(&mut self) {
        // The file stays, as another one may wait for its lock; the key is of no use any more.
        let _ = self.file.set_len(0);
    }
}

fn address(port: u16, key: &str) -> String {
    format!("http://127.0.0.1:{port}/#k={key}")
}

fn read(file: &mut File) -> Option<PlaceNote> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    let mut lines = text.lines().skip(1).map(str::to_owned);
    Some(PlaceNote {
        port: lines.next()?.parse().ok()?,
        key: lines.next()?,
        repos: lines.collect(),
    })
}

/// Returns what listens on a port of this machine; none where another program does. One that has no IPv6 has one address.
fn listen(port: u16) -> Option<Vec<TcpListener>> {
    let four = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok()?;
    let mut all = vec![four];
    match TcpListener::bind((Ipv6Addr::LOCALHOST, port)) {
        Ok(six) => all.push(six),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => return None,
        Err(_) => {}
    }
    let is_ready = all.iter().all(|one| one.set_nonblocking(true).is_ok());
    is_ready.then_some(all)
}

/// Returns the first port of the user, by the owner of a folder of theirs.
fn first_port(folder: &Path) -> u16 {
    let user = fs::metadata(folder).ok().and_then(|meta| owner(&meta));
    let hash = Sha256::digest(user.map_or(0, |owner| owner.user).to_be_bytes());
    FIRST_PORT + u16::from_be_bytes([hash[0], hash[1]]) % PORTS
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
