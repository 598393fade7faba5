//! `serve` at one size and over many repositories, and its page in Chromium.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::kit::{self, BINARY, World, idle, most_memory, quiet, row};

/// What the page may take, by what the script says that it has measured.
const MOST: [(&str, &str); 4] = [
    ("the first board", "300"),
    ("a click on a row", "50"),
    ("`j` and `k`", "50"),
    ("a change", "100"),
];

/// A server that runs until this is dropped.
struct Serving {
    child: Child,
    address: String,
    /// From its start until it has said that it listens.
    took: Duration,
}

impl Serving {
    fn start(folder: &Path, state: &Path, config: Option<&Path>) -> Self {
        let mut command = quiet(folder, BINARY, &["serve"]);
        command.stdout(Stdio::piped());
        // Of its own, and without what other programs have remembered.
        command
            .env("XDG_RUNTIME_DIR", state)
            .env("XDG_STATE_HOME", state);
        if let Some(config) = config {
            command.env("GIT_CONFIG_GLOBAL", config);
        }
        let begun = Instant::now();
        let mut child = command.spawn().unwrap();
        let mut address = String::new();
        let mut said = BufReader::new(child.stdout.as_mut().unwrap());
        said.read_line(&mut address).unwrap();
        Self {
            child,
            address: address.trim_end().to_owned(),
            took: begun.elapsed(),
        }
    }

    /// Begins to listen as a page does.
    fn listen(&self) -> TcpStream {
        let (base, key) = self.address.split_once("/#k=").unwrap();
        let host = base.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        let head = format!(
            "POST /api/live HTTP/1.1\r\nHost: {host}\r\nOrigin: {base}\r\nBeads-Key: {key}\r\n\
             Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut begin = [0; 12];
        stream.read_exact(&mut begin).unwrap();
        assert_eq!(&begin, b"HTTP/1.1 200");
        stream
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Measures a repository of one size.
pub(crate) fn measure(world: &World) {
    let state = world.folder.path();
    let starts: Vec<Duration> = (0..kit::rounds(50))
        .map(|_| Serving::start(&world.repo, state, None).took)
        .collect();
    row("`serve`, until it listens", &starts, "10");
    let serving = Serving::start(&world.repo, state, None);
    match clients() {
        Some(clients) => in_browser(world, &serving, &clients),
        None => println!(
            "\nnot run: the page, without node, chromium and playwright-core in GIT_BEADS_CLIENTS"
        ),
    }
    println!(
        "\nmemory of `serve` at most {:.1} MB of 40",
        most_memory(serving.child.id())
    );
}

/// Measures what a server over many repositories costs with a page, while nothing happens.
pub(crate) fn over_many(here: &Path, config: &Path) {
    let serving = Serving::start(here, here, Some(config));
    let page = serving.listen();
    idle(serving.child.id(), "`serve` with a page, idle for a minute");
    drop(page);
    println!(
        "\nmemory of `serve` at most {:.1} MB of 40",
        most_memory(serving.child.id())
    );
}

/// Returns the folder of the driver of Chromium, where all that it needs is here.
fn clients() -> Option<String> {
    let clients = std::env::var("GIT_BEADS_CLIENTS").ok()?;
    let driver = Path::new(&clients).join("node_modules/playwright-core");
    let path = std::env::var_os("PATH")?;
    let has = |name| std::env::split_paths(&path).any(|folder| folder.join(name).exists());
    (driver.is_dir() && has("node") && has("chromium")).then_some(clients)
}

fn in_browser(world: &World, serving: &Serving, clients: &str) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/serve/speed.mjs");
    let repo = world.repo.file_name().unwrap();
    let said = Command::new("node")
        .args([script, clients, &serving.address])
        .arg(repo)
        .arg(BINARY)
        .arg(&world.repo)
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(said.status.success(), "the page was not measured");
    for line in String::from_utf8(said.stdout).unwrap().lines() {
        let (what, times) = line.split_once('|').unwrap();
        let times = times.split(' ').map(|time| time.parse::<f64>().unwrap());
        let times: Vec<Duration> = times
            .map(|time| Duration::from_secs_f64(time / 1000.0))
            .collect();
        let most = MOST.iter().find(|(begin, _)| what.starts_with(begin));
        row(what, &times, most.map_or("", |(_, most)| *most));
    }
}
