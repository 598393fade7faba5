//! `git beads serve`: the issues of all repositories in a browser of this machine, live.
//!
//! One thread has the connections and never asks the disk; the other, the desk, hands what is asked to the threads of the
//! repositories, and tells all pages what has moved.

mod ask;
mod desk;
mod gate;
mod http;
mod place;

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::oneshot;

use self::ask::Call;
use self::desk::Desk;
use self::gate::Gate;
use self::http::{Server, Streams};
use self::place::{FoundPlace, Served, take};
use crate::desk::feed::Feed;
use crate::desk::keys::key_table;
use crate::desk::places::{none_listed, places};
use crate::env::{Env, start_thread};
use crate::ops::{Error, Location, Result, Tracker, end_children, global_values, leave_signals};
use crate::page::shell;
use crate::platform::{Wake, Waker};
use crate::text::address::{ascii, component};

/// The time for the last words to the pages.
const FAREWELL: Duration = Duration::from_millis(200);
/// The time for which the file lies there that leads to the address.
const OPENER_LIVES: Duration = Duration::from_secs(10);

/// How the server begins.
pub(crate) struct ServeStart {
    pub(crate) env: Env,
    /// The place that the user stands in.
    pub(crate) here: Location,
    pub(crate) port: Option<u16>,
    /// The time without a page after which it ends.
    pub(crate) idle: Option<Duration>,
    /// Writes a file that leads to the address.
    pub(crate) opens: bool,
    /// What the page begins with, as its address has it: behind the repository, or with `/` all of it.
    pub(crate) place: Option<String>,
    /// Nothing can be changed.
    pub(crate) is_read_only: bool,
}

/// What a user is told once it serves.
pub(crate) struct Begun {
    pub(crate) address: String,
    pub(crate) opener: Option<PathBuf>,
}

/// The way from the connections to the desk.
struct DeskDoor {
    calls: Sender<Call>,
    waker: Waker,
}

impl DeskDoor {
    fn call(&self, call: Call) {
        // The desk ends last.
        let _ = self.calls.send(call);
        self.waker.wake();
    }
}

/// Serves until the user ends it, or no page has been there for a time. `say` is called once, as soon as it serves, or where
/// another server of the user has this repository already.
/// Errors: there is no repository, or no port.
pub(crate) fn run(
    start: &ServeStart,
    open: impl Fn(&Location) -> Result<Tracker> + Send + Sync + 'static,
    say: impl FnOnce(&Begun),
) -> Result<()> {
    start.env.stay();
    let (places, _) = places(&start.env, &start.here)?;
    if places.is_empty() {
        return Err(none_listed());
    }
    let origins = origins(&start.env)?;
    let paths: Vec<String> = places.iter().map(|place| place.asked(None).path).collect();
    let here = places.iter().position(|place| place.is_here);
    let name = here.map_or("", |n| &places[n].name);
    let first = start
        .place
        .as_deref()
        .map_or_else(String::new, |it| whole(it, name));
    let here = here.map(|n| paths[n].as_str());
    let mut own = match take(&start.env, start.port, here, &paths)? {
        FoundPlace::Own(own) => own,
        FoundPlace::Other(served) => return show_again(start, &served, &first, say),
    };
    let failed = |error| Error::io("can't begin to serve", &error);
    leave_signals();
    let wake = Wake::begin().map_err(failed)?;
    let waker = || wake.waker().map_err(failed);
    let feed = Feed::start(&places, waker()?, open).map_err(failed)?;
    let (sender, calls) = channel();
    let door = DeskDoor {
        calls: sender,
        waker: waker()?,
    };
    let streams = Arc::new(Streams::default());
    let gate = Gate::new(
        own.served.port,
        &own.served.key,
        &origins,
        start.is_read_only,
    );
    let settings = json!({"keys": key_table(), "read_only": start.is_read_only});
    let server = Server::new(gate, &shell(&settings.to_string()), door, streams.clone());
    let listeners = std::mem::take(&mut own.listeners);
    let (end, ended) = oneshot::channel();
    let thread = begin(Arc::new(server), listeners, ended).map_err(failed)?;
    let address = own.served.address(&first);
    let opener = own.served.write_opener_if(start.opens, &address)?;
    say(&Begun {
        address,
        opener: opener.clone(),
    });
    let mut desk = Desk {
        env: start.env.clone(),
        idle: start.idle,
        places,
        feed,
        wake,
        calls,
        streams,
        opener,
    };
    desk.run();
    // Before the last words: who begins meanwhile takes a place of its own.
    own.leave();
    end_children();
    let _ = end.send(());
    let _ = thread.join();
    Ok(())
}

/// Returns where the page begins, as a part of an address that means the same in a file of HTML.
fn whole(place: &str, repo: &str) -> String {
    let whole = match place.starts_with('/') {
        true => place.to_owned(),
        false => format!("/{}/{place}", component(repo)),
    };
    let mut safe = ascii(&whole);
    for (sign, code) in [("\"", "%22"), ("'", "%27"), ("<", "%3C"), (">", "%3E")] {
        safe = safe.replace(sign, code);
    }
    safe
}

/// Says where it is served already, and waits until the browser has had the time to be led there.
fn show_again(
    start: &ServeStart,
    served: &Served,
    first: &str,
    say: impl FnOnce(&Begun),
) -> Result<()> {
    leave_signals();
    let wake = Wake::begin();
    let mut wake = wake.map_err(|error| Error::io("can't wait here", &error))?;
    let address = served.address(first);
    let opener = served.write_opener_if(start.opens, &address)?;
    say(&Begun {
        address,
        opener: opener.clone(),
    });
    let Some(opener) = opener else { return Ok(()) };
    let since = Instant::now();
    while !wake.is_ending() && since.elapsed() < OPENER_LIVES {
        let left = OPENER_LIVES.saturating_sub(since.elapsed());
        wake.pause(Some(left), false);
    }
    // One that is gone is what is wanted.
    let _ = std::fs::remove_file(opener);
    Ok(())
}

/// Starts the thread of the connections, which ends some time after it is told to.
fn begin(
    server: Arc<Server>,
    listeners: Vec<TcpListener>,
    ended: oneshot::Receiver<()>,
) -> std::io::Result<JoinHandle<()>> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build()?;
    start_thread(move || {
        runtime.block_on(async move {
            for listener in listeners {
                if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
                    tokio::spawn(server.clone().accept(listener));
                }
            }
            tokio::spawn(server.beat());
            let _ = ended.await;
            // What is on its way still goes out.
            tokio::time::sleep(FAREWELL).await;
        });
    })
}

/// Returns the origins that the user admits beside those of this machine.
/// Errors: one that is none.
fn origins(env: &Env) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for set in global_values(env, &["beads.serveOrigin"])? {
        let scheme = set.value.split_once("://");
        let is_plain = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-' | '.' | ':' | '[' | ']');
        let is_host = |host: &str| !host.is_empty() && host.chars().all(is_plain);
        if !scheme.is_some_and(|(name, host)| ["http", "https"].contains(&name) && is_host(host)) {
            let what = "is no origin such as https://beads.example";
            let message = format!("beads.serveOrigin: `{}` {what}", set.value);
            return Err(Error::invalid(message));
        }
        found.push(set.value);
    }
    Ok(found)
}

/// Returns an error as the command line writes it with `--json`.
fn failure(error: &Error) -> String {
    let hint = error.hint();
    let (code, message) = (error.code.as_str(), &error.message);
    json!({"v": 1, "kind": "error", "code": code, "message": message, "hint": hint}).to_string()
}
