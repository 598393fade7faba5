//! Issues shaped like those of real files: sizes of texts, dependencies, epics, labels, memory.

use std::io::Write;
use std::path::Path;

const WORDS: [&str; 48] = [
    "cache", "index", "daemon", "merge", "branch", "commit", "tree", "blob", "parser", "token",
    "router", "agent", "context", "query", "ready", "blocked", "schema", "export", "import",
    "push", "fetch", "hook", "ledger", "replica", "clock", "stamp", "cursor", "packet", "buffer",
    "thread", "socket", "signal", "worker", "queue", "retry", "backoff", "timeout", "lock",
    "lease", "fence", "shard", "bucket", "digest", "cipher", "nonce", "vector", "tensor", "kernel",
];

/// A small generator that gives the same file for the same size.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap()
    }

    fn words(&mut self, n: usize) -> String {
        (0..n)
            .map(|_| WORDS[self.below(WORDS.len())])
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// Writes `size` issues and returns the ids of those that are open.
pub(crate) fn write(file: &Path, size: usize) -> Vec<String> {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut out = std::io::BufWriter::new(std::fs::File::create(file).unwrap());
    let id = |i: usize| format!("bd-{}", base36(i as u64 * 7919 + 50_000));
    let mut open = Vec::new();
    for i in 0..size {
        let day = 1 + i * 27 / size;
        let time = format!(
            "2026-01-{day:02}T{:02}:{:02}:{:02}Z",
            i / 3600 % 24,
            i / 60 % 60,
            i % 60
        );
        let kind = [
            "task", "task", "task", "bug", "bug", "feature", "feature", "chore", "task",
        ][random.below(9)];
        let epic = i % 40 == 0;
        let mut record = serde_json::json!({
            "id": id(i), "title": format!("{}{}", random.words(6), if i % 100 == 7 { " zanzibar" } else { "" }),
            "description": random.words(60), "status": "open", "priority": random.below(5),
            "issue_type": if epic { "epic" } else { kind }, "created_at": time, "created_by": "bench", "updated_at": time,
        });
        // The files of real projects: three in five closed or more, one in a hundred in progress or fewer.
        match random.below(100) {
            0..=59 => {
                record["status"] = "closed".into();
                record["closed_at"] = time.as_str().into();
                record["close_reason"] = "done".into();
            }
            60 => record["status"] = "in_progress".into(),
            _ => open.push(id(i)),
        }
        if random.below(3) == 0 {
            let label = ["backend", "frontend", "docs", "perf"][random.below(4)];
            record["labels"] = serde_json::json!([label]);
        }
        let edges = edges(&mut random, i, &id, &time, epic);
        if !edges.is_empty() {
            record["dependencies"] = edges.into();
        }
        if random.below(20) == 0 {
            let text = random.words(30);
            record["comments"] = serde_json::json!([{"id": i, "issue_id": id(i), "author": "bench", "text": text, "created_at": time}]);
        }
        writeln!(out, "{record}").unwrap();
    }
    out.flush().unwrap();
    open
}

fn edges(
    random: &mut Random,
    i: usize,
    id: &dyn Fn(usize) -> String,
    time: &str,
    epic: bool,
) -> Vec<serde_json::Value> {
    let mut targets = std::collections::BTreeMap::new();
    if !epic && random.below(2) == 0 {
        targets.insert(id(i / 40 * 40), "parent-child");
    }
    for _ in 0..[0, 0, 1, 1, 2][random.below(5)] {
        if i > 0 {
            let near = i - 1 - random.below(i.min(200));
            targets.entry(id(near)).or_insert(if random.below(10) < 7 {
                "blocks"
            } else {
                "related"
            });
        }
    }
    let edge = |(to, kind): (String, &str)| serde_json::json!({"issue_id": id(i), "depends_on_id": to, "type": kind, "created_at": time, "created_by": "bench"});
    targets.into_iter().map(edge).collect()
}

fn base36(mut n: u64) -> String {
    let mut digits = Vec::new();
    while n > 0 {
        digits.push(char::from_digit(u32::try_from(n % 36).unwrap(), 36).unwrap());
        n /= 36;
    }
    digits.iter().rev().collect()
}
