//! `ui` on a terminal of 200 columns and 50 rows, at one size and over many repositories.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::kit::{self, BINARY, World, done, median, quiet, ratio, timed};
use crate::kit::{idle, most_memory, row};
use crate::page;

/// Ends a frame.
const END: &[u8] = b"\x1b[?2026l";
/// The time after which a frame does not come.
const LIMIT: Duration = Duration::from_secs(20);
/// Programs that write beside it, each ten times a second.
const WRITERS: usize = 8;
/// The terminal.
const ROWS: NonZero<u16> = NonZero::new(50).unwrap();
const COLUMNS: NonZero<u16> = NonZero::new(200).unwrap();
/// Repositories of the last table, and the issues of each.
const REPOS: usize = 50;
const ISSUES: usize = 300;

/// A program on a terminal.
struct Terminal {
    child: Child,
    master: File,
    output: Receiver<(Instant, Vec<u8>)>,
    picture: vt100::Parser,
    begun: Instant,
    bytes: Vec<u8>,
}

impl Terminal {
    fn start(folder: &Path, args: &[&str], config: Option<&Path>) -> Self {
        let master =
            openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let size = Winsize {
            ws_row: ROWS.get(),
            ws_col: COLUMNS.get(),
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&master, size).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let mut options = File::options();
        let slave = options.read(true).write(true);
        let slave = slave.open(name.to_str().unwrap()).unwrap();
        let mut command = Command::new(BINARY);
        command.args(args).current_dir(folder);
        command.env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
        if let Some(config) = config {
            command.env("GIT_CONFIG_GLOBAL", config);
        }
        command.env_remove("CI");
        command
            .stdin(Stdio::from(slave.try_clone().unwrap()))
            .stdout(Stdio::from(slave.try_clone().unwrap()))
            .stderr(Stdio::from(slave))
            .process_group(0);
        let begun = Instant::now();
        let child = command.spawn().unwrap();
        // It keeps the terminal open, which this process must not.
        drop(command);
        let master = File::from(master);
        let mut reader = master.try_clone().unwrap();
        let (sender, output) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 65536];
            while let Ok(n) = reader.read(&mut bytes) {
                if n == 0 || sender.send((Instant::now(), bytes[..n].to_vec())).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            master,
            output,
            picture: vt100::Parser::new(ROWS, COLUMNS, 0),
            begun,
            bytes: Vec::new(),
        }
    }

    fn keys(&mut self, keys: &str) -> Instant {
        let now = Instant::now();
        self.master.write_all(keys.as_bytes()).unwrap();
        now
    }

    /// Waits for a frame that is as it is wanted; returns when the last byte of it came.
    fn until(&mut self, what: &str, is_wanted: impl Fn(&vt100::Screen) -> bool) -> Instant {
        let end = Instant::now() + LIMIT;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Ok((at, bytes)) = self.output.recv_timeout(left) else {
                panic!(
                    "never seen: {what} {:?}\n{}",
                    self.picture.screen().cursor_position(),
                    self.picture.screen().contents()
                );
            };
            self.bytes.extend(&bytes);
            while let Some(found) = self.bytes.windows(END.len()).position(|it| it == END) {
                let frame: Vec<u8> = self.bytes.drain(..found + END.len()).collect();
                self.picture.process(&frame);
                if is_wanted(self.picture.screen()) {
                    return at;
                }
            }
        }
    }

    fn until_text(&mut self, text: &str) -> Instant {
        self.until(text, |screen| screen.contents().contains(text))
    }

    /// Leaves it; returns the most memory that it held, in megabytes.
    fn leave(mut self) -> f64 {
        let peak = most_memory(self.child.id());
        self.keys("Q");
        assert!(self.child.wait().unwrap().success());
        peak
    }
}

/// Measures one size, and many repositories.
pub(crate) fn measure(size: usize) {
    let (world, _) = World::with_issues(size);
    done(&mut world.beads(&["status"]));
    println!("\n## {size} issues, 200x50; milliseconds\n");
    println!("| what | half | 99 % | at most |\n|---|---|---|---|");
    first_frames(&world.repo, &["ui"], None, "NEEDS YOU", "20");
    let statuses: Vec<Duration> = (0..kit::rounds(50))
        .map(|_| timed(&mut world.beads(&["status"])))
        .collect();
    row("`status`, to compare", &statuses, "");
    let mut terminal = Terminal::start(&world.repo, &["ui"], None);
    terminal.until_text("NEEDS YOU");
    terminal.keys("3");
    fifth_row(&mut terminal);
    // What is known of the issue beside the rows has come.
    thread::sleep(Duration::from_millis(300));
    keys(&mut terminal, "a key");
    acts(&mut terminal);
    changes(&mut terminal, &world);
    let is_over = Arc::<AtomicBool>::default();
    let writers: Vec<_> = (0..WRITERS)
        .map(|n| writer(&world, n, is_over.clone()))
        .collect();
    keys(
        &mut terminal,
        "a key, 8 programs writing ten times a second",
    );
    is_over.store(true, Ordering::SeqCst);
    let written: usize = writers.into_iter().map(|it| it.join().unwrap()).sum();
    idle(terminal.child.id(), "idle for a minute");
    println!(
        "\n{written} writes beside; memory at most {:.1} MB of 24",
        terminal.leave()
    );
    println!("\n## The page of `serve`; milliseconds\n");
    println!("| what | half | 99 % | at most |\n|---|---|---|---|");
    page::measure(&world);
    over_many();
}

/// Starts it again and again, until a text is on the screen.
fn first_frames(folder: &Path, args: &[&str], config: Option<&Path>, text: &str, most: &str) {
    let mut times = Vec::new();
    for _ in 0..kit::rounds(50) {
        let mut terminal = Terminal::start(folder, args, config);
        let begun = terminal.begun;
        times.push(terminal.until_text(text) - begun);
        terminal.leave();
    }
    row(
        &format!("`{}`, until it shows all", args.join(" ")),
        &times,
        most,
    );
}

/// Selects the fifth row of the list.
fn fifth_row(terminal: &mut Terminal) {
    terminal.keys("gg");
    terminal.until("the first row", |screen| {
        screen.contents().contains("is:open") && screen.cursor_position().0 == 3
    });
    terminal.keys("jjjj");
    terminal.until("the fifth row", |screen| screen.cursor_position().0 == 7);
}

/// Moves up and down; what others write moves the selection to no other line.
fn keys(terminal: &mut Terminal, what: &str) {
    let mut times = Vec::new();
    let mut line = terminal.picture.screen().cursor_position().0;
    for n in 0..1000 {
        let key = if n % 2 == 0 { "j" } else { "k" };
        let at = terminal.keys(key);
        line = if n % 2 == 0 { line + 1 } else { line - 1 };
        let drawn = terminal.until("a row", |screen| screen.cursor_position().0 == line);
        times.push(drawn - at);
    }
    row(what, &times, "16");
}

fn acts(terminal: &mut Terminal) {
    let mut times = Vec::new();
    for n in 0..100 {
        let priority = (n % 4 + 1).to_string();
        terminal.keys("p");
        terminal.until_text("priority of");
        let at = terminal.keys(&priority);
        let said = format!(": priority {priority}");
        times.push(terminal.until_text(&said) - at);
    }
    row("an act, durable and on the screen", &times, "50");
}

/// Changes the title of the selected issue from outside.
fn changes(terminal: &mut Terminal, world: &World) {
    terminal.keys("\r");
    let id = terminal.picture.screen().contents();
    let id = id
        .lines()
        .find_map(|line| line.split_once('>')?.1.split_whitespace().next());
    let id = id.unwrap().to_owned();
    let mut times = Vec::new();
    for n in 0..100_u8 {
        let title = String::from(char::from(b'a' + n % 26)).repeat(12);
        let at = Instant::now();
        done(&mut world.beads(&["update", &id, "--title", &title]));
        times.push(terminal.until_text(&title) - at);
    }
    terminal.keys("\x1b");
    terminal.until("the rows", |screen| screen.cursor_position().1 == 0);
    row("a change of another program, from its start", &times, "100");
}

/// Writes beside it until that is over; returns how often.
fn writer(world: &World, n: usize, is_over: Arc<AtomicBool>) -> thread::JoinHandle<usize> {
    let repo = world.repo.clone();
    let ids: Vec<String> = (0..50)
        .map(|round| world.id(n * 50 + round).to_owned())
        .collect();
    thread::spawn(move || {
        let mut count = 0;
        while !is_over.load(Ordering::SeqCst) {
            let at = Instant::now();
            let text = format!("written {count} times");
            done(&mut quiet(
                &repo,
                BINARY,
                &["update", &ids[count % 50], "-d", &text],
            ));
            count += 1;
            thread::sleep(Duration::from_millis(100).saturating_sub(at.elapsed()));
        }
        count
    })
}

/// Measures many repositories.
fn over_many() {
    let worlds: Vec<World> = (0..REPOS).map(|_| World::with_issues(ISSUES).0).collect();
    let config = worlds[0].folder.path().join("config");
    let mut list = String::from("[beads]\n");
    for world in &worlds {
        list.push_str(&format!("\trepository = {}\n", world.repo.display()));
    }
    std::fs::write(&config, list).unwrap();
    let here = worlds[0].folder.path();
    println!("\n## {REPOS} repositories of {ISSUES} issues, 200x50; milliseconds\n");
    println!("| what | half | 99 % | at most |\n|---|---|---|---|");
    let asked = quiet(here, BINARY, &["inbox", "--repos", "--json"])
        .env("GIT_CONFIG_GLOBAL", &config)
        .stdout(Stdio::piped())
        .output();
    let asked: serde_json::Value = serde_json::from_slice(&asked.unwrap().stdout).unwrap();
    let needs = asked["needs"].as_array().unwrap().len();
    let all = format!("NEEDS YOU {needs}");
    first_frames(here, &["ui", "--all"], Some(&config), &all, "100");
    for json in [&[][..], &["--json"]] {
        let (mut one, mut all) = (Vec::new(), Vec::new());
        for _ in 0..kit::rounds(40) {
            one.push(timed(worlds[0].beads(&["inbox"]).args(json)));
            let mut inbox = quiet(here, BINARY, &["inbox", "--repos"]);
            all.push(timed(inbox.args(json).env("GIT_CONFIG_GLOBAL", &config)));
        }
        let times = format!(
            "{:.0} times `inbox` in one",
            ratio(median(all.clone()), median(one))
        );
        row(
            &format!("`inbox --repos {}`, {times}", json.concat()),
            &all,
            "100",
        );
    }
    let mut terminal = Terminal::start(here, &["ui", "--all"], Some(&config));
    terminal.until_text(&all);
    idle(terminal.child.id(), "idle for a minute");
    println!("\nmemory at most {:.1} MB of 40", terminal.leave());
    page::over_many(here, &config);
}
