//! The MCP server: how fast it is up, how fast it answers, what it holds in memory.
//!
//! See `benches/README.md` for the command. What counts is the ratio to a process in the same run.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench is no part of the program"
)]

mod data;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const CLIENTS: usize = 8;
const BINARY: &str = env!("CARGO_BIN_EXE_git-beads");

/// A session with a server.
struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    /// Starts a server and waits until it has greeted.
    fn new(repo: &Path) -> Self {
        let mut command = Command::new(BINARY);
        command
            .arg("mcp")
            .current_dir(repo)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (
            child.stdin.take().unwrap(),
            BufReader::new(child.stdout.take().unwrap()),
        );
        let mut session = Self {
            child,
            input,
            output,
        };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}});
        assert!(session.rpc("initialize", &hello)["result"].is_object());
        session
    }

    fn rpc(&mut self, method: &str, params: &Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.input
            .write_all(format!("{request}\n").as_bytes())
            .unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Duration {
        let start = Instant::now();
        let answer = self.rpc("tools/call", &json!({"name": tool, "arguments": arguments}));
        let time = start.elapsed();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        time
    }

    /// Resident memory, now and at its peak, in kilobytes.
    fn memory(&self) -> (u64, u64) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let field = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace().nth(1).unwrap().parse().unwrap()
        };
        (field("VmRSS:"), field("VmHWM:"))
    }

    fn end(mut self) {
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
    }
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn run(repo: &Path, program: &str, args: &[&str]) {
    let status = Command::new(program)
        .args(args)
        .current_dir(repo)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{program} {args:?}");
}

fn millis(mut times: Vec<Duration>, share: f64) -> f64 {
    times.sort_unstable();
    let at = ((times.len() - 1) as f64 * share) as usize;
    times[at].as_secs_f64() * 1000.0
}

fn main() {
    let size = std::env::args()
        .skip(1)
        .find_map(|arg| arg.parse().ok())
        .unwrap_or(10_000);
    let folder = tempfile::Builder::new()
        .prefix("git-beads-bench-")
        .tempdir()
        .unwrap();
    let (repo, file) = (
        folder.path().join("repo"),
        folder.path().join("issues.jsonl"),
    );
    let ids = data::write(&file, size);
    std::fs::create_dir(&repo).unwrap();
    for args in [
        &["init", "-q"][..],
        &["config", "user.name", "bench"],
        &["config", "user.email", "bench@localhost"],
        &["config", "beads.durability", "git"],
        &["config", "gc.auto", "0"],
    ] {
        run(&repo, "git", args);
    }
    run(&repo, BINARY, &["init", "--import", file.to_str().unwrap()]);
    println!("{size} issues");

    let (mut version, mut greeting) = (Vec::new(), Vec::new());
    for _ in 0..60 {
        version.push(timed(|| run(&repo, "git", &["--version"])));
        let start = Instant::now();
        let session = Session::new(&repo);
        greeting.push(start.elapsed());
        session.end();
    }
    let (version, greeting) = (millis(version, 0.5), millis(greeting, 0.5));
    println!(
        "spawn to initialize       {greeting:>8.2} ms   {:.2} x git --version (target 3)",
        greeting / version
    );

    let mut session = Session::new(&repo);
    for (name, tool, arguments) in [
        ("task_status()", "task_status", json!({})),
        (
            "task_status(id)",
            "task_status",
            json!({"id": ids[ids.len() / 2], "view": "meta", "memory_limit": 5}),
        ),
        ("task_list()", "task_list", json!({})),
    ] {
        let times: Vec<Duration> = (0..1000).map(|_| session.call(tool, &arguments)).collect();
        let (half, most) = (millis(times.clone(), 0.5), millis(times, 0.99));
        println!("1,000 {name:<20} {half:>7.3} ms p50, {most:.3} ms p99");
    }
    let (mut calls, mut processes) = (Vec::new(), Vec::new());
    for round in 0..150 {
        let id = &ids[(round * 7919) % ids.len()];
        calls.push(session.call(
            "task_progress",
            &json!({"id": id, "findings": [format!("call {round}")]}),
        ));
        let text = format!("process {round}");
        processes.push(timed(|| {
            run(&repo, BINARY, &["note", id, "--finding", &text]);
        }));
    }
    let (call, process) = (millis(calls, 0.5), millis(processes, 0.5));
    println!(
        "task_progress             {call:>8.2} ms   {:.2} x the process (target 0.4)",
        call / process
    );
    let (now, peak) = session.memory();
    println!(
        "resident memory           {:>8.1} MB   peak {:.1} MB (target 20)",
        now as f64 / 1024.0,
        peak as f64 / 1024.0
    );
    session.end();
    crowd(&repo, &ids, false);
    crowd(&repo, &ids, true);
}

/// Eight clients at once, each with a server of its own on the same repository, who never pause; perhaps one more writes.
fn crowd(repo: &Path, ids: &[String], writes: bool) {
    let reading = std::sync::atomic::AtomicUsize::new(CLIENTS);
    let mut times = Vec::new();
    std::thread::scope(|scope| {
        let reader = |client: usize| {
            let (mut session, mut times) = (Session::new(repo), Vec::new());
            for round in 0..500 {
                let id = &ids[(client * 104_729 + round * 7919) % ids.len()];
                times.push(match round % 3 {
                    0 => session.call("task_list", &json!({})),
                    1 => session.call("task_status", &json!({})),
                    _ => session.call("task_status", &json!({"id": id})),
                });
            }
            reading.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
            session.end();
            times
        };
        let readers: Vec<_> = (0..CLIENTS)
            .map(|client| scope.spawn(move || reader(client)))
            .collect();
        if writes {
            let (half, most) = write_while(repo, ids, &reading);
            println!("a write beside {CLIENTS} clients  {half:>8.2} ms p50, {most:.2} ms p99");
        }
        times.extend(
            readers
                .into_iter()
                .flat_map(|reader| reader.join().unwrap()),
        );
    });
    let (half, most) = (millis(times.clone(), 0.5), millis(times, 0.99));
    let target = if writes {
        "while one writes"
    } else {
        "(target 5)"
    };
    println!("a read of {CLIENTS} clients       {half:>8.2} ms p50, {most:.2} ms p99 {target}");
}

/// Writes fifty times a second at most until nobody reads any more: the middle of the times, and the 99th in a hundred.
fn write_while(
    repo: &Path,
    ids: &[String],
    reading: &std::sync::atomic::AtomicUsize,
) -> (f64, f64) {
    let (mut writer, mut times) = (Session::new(repo), Vec::new());
    while reading.load(std::sync::atomic::Ordering::Relaxed) > 0 {
        let id = &ids[(times.len() * 7919) % ids.len()];
        times.push(writer.call(
            "task_progress",
            &json!({"id": id, "findings": [format!("beside {}", times.len())]}),
        ));
        std::thread::sleep(Duration::from_millis(20));
    }
    writer.end();
    (millis(times.clone(), 0.5), millis(times, 0.99))
}
