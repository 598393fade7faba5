//! `serve`: what may ask, where it listens, and the page in a real headless Chromium.

mod acts;
mod gate;
mod jobs;
mod live;
mod place;
mod scenes;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::support::{World, binary};

/// A server that runs until this is dropped.
pub(super) struct Serving {
    child: Child,
    pub(super) address: String,
    pub(super) port: u16,
    pub(super) key: String,
}

/// What was answered.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Answered {
    fn of(text: &str) -> Option<Self> {
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some(Self {
            status,
            head: head.to_lowercase(),
            body: body.to_owned(),
        })
    }
}

impl Serving {
    /// Starts one in a folder, and waits until it serves.
    #[track_caller]
    pub(super) fn start(world: &World, folder: &str, args: &[&str]) -> Self {
        let mut command = world.command(folder, binary(), &[&["serve"], args].concat());
        // The time goes on for as long as it runs.
        command.env_remove("GIT_BEADS_NOW");
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let mut lines = BufReader::new(child.stdout.as_mut().unwrap());
        lines.read_line(&mut address).unwrap();
        let address = address.trim_end().to_owned();
        if address.is_empty() {
            let mut said = String::new();
            child
                .stderr
                .as_mut()
                .unwrap()
                .read_to_string(&mut said)
                .unwrap();
            panic!("it does not serve: {said}");
        }
        let (place, key) = address.split_once("/#k=").unwrap();
        Self {
            port: place.rsplit(':').next().unwrap().parse().unwrap(),
            key: key.to_owned(),
            address,
            child,
        }
    }

    /// Sends bytes, and returns all answers until the server closes the connection.
    pub(super) fn send(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        // It may answer and close before it has read all.
        let _ = stream.write_all(bytes);
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Posts JSON as the page does, and returns all that is answered.
    pub(super) fn send_json(&self, path: &str, body: &str) -> String {
        let (port, key, length) = (self.port, &self.key, body.len());
        self.send(
            format!(
                "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nBeads-Key: {key}\r\n\
                 Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            )
            .as_bytes(),
        )
    }

    /// Posts JSON, and returns the answer.
    #[track_caller]
    pub(super) fn post(&self, path: &str, body: &str) -> Answered {
        let text = self.send_json(path, body);
        Answered::of(&text).unwrap_or_else(|| panic!("{text}"))
    }

    /// The name of its file that leads a browser to the address.
    pub(super) fn opener(&self) -> String {
        format!("open-{}.html", self.child.id())
    }

    pub(super) fn signal(&self, world: &World, name: &str) {
        let number = self.child.id().to_string();
        let command = world.command(".", "kill", &["-s", name, &number]);
        world.run(command, None).ok();
    }

    /// Waits for its end, and returns its exit code.
    pub(super) fn ended(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
