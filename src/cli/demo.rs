//! `demo`: the main verbs on a small real-looking project, in a repository that is thrown away.

use std::cell::RefCell;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;

use super::invoke;
use super::render::BOLD;
use super::ui::Ui;
use crate::ops::{Code, Error, Result};
use crate::store::git;

const SAMPLE: &str = include_str!("demo/sample.jsonl");
const PLAN: &str = include_str!("demo/plan.md");

/// What a command printed.
#[derive(Clone, Default)]
pub(super) struct Buffer(Rc<RefCell<Vec<u8>>>);

impl Buffer {
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.borrow()).into_owned()
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Walks through the verbs, each command with its answer.
///
/// # Errors
/// No git, no room, or a command that fails.
pub(super) fn demo(ui: &mut Ui, keep: bool) -> Result<()> {
    let failed = |error: std::io::Error| {
        Error::new(
            Code::Io,
            format!("can't make a throwaway repository: {error}"),
        )
    };
    let folder = tempfile::Builder::new()
        .prefix("git-beads-demo-")
        .tempdir()
        .map_err(failed)?;
    let path = folder.path().to_owned();
    let (project, colleague) = (path.join("project"), path.join("colleague"));
    git::init_demo(&path)?;
    for (name, text) in [("issues.jsonl", SAMPLE), ("plan.md", PLAN)] {
        std::fs::write(project.join(name), text).map_err(failed)?;
    }
    walk(ui, &project)?;
    let hub = path.join("hub.git").display().to_string();
    step(
        ui,
        &project,
        "Share it: any git remote is the server.",
        &["sync"],
    )?;
    step(
        ui,
        &path,
        "A colleague joins ...",
        &["clone", &hub, "colleague"],
    )?;
    step(ui, &colleague, "... and goes on.", &["ready", "-n", "2"])?;
    if keep {
        let kept = folder.keep();
        ui.line(&format!("the repository is kept in {}", kept.display()));
    }
    Ok(())
}

fn walk(ui: &mut Ui, path: &Path) -> Result<()> {
    let file = |name: &str| path.join(name).display().to_string();
    let (issues, plan) = (file("issues.jsonl"), file("plan.md"));
    let steps: [(&str, &[&str]); 9] = [
        (
            "Take over the issues of another tracker.",
            &["init", "--prefix", "app", "--import", &issues],
        ),
        ("What can I work on?", &["ready"]),
        ("Take the most urgent.", &["start", "app-7c2d"]),
        (
            "Remember what you learn.",
            &[
                "note",
                "app-7c2d",
                "--finding",
                "only requests with a body over 64 KB time out",
                "--decision",
                "stream the body: buffering it doubles the memory",
            ],
        ),
        (
            "Split an epic into work.",
            &["split", "app-3f9k", "-F", &plan],
        ),
        (
            "Finish it.",
            &["done", "app-7c2d", "-r", "the proxy streams bodies now"],
        ),
        ("What waits, and for what?", &["blocked"]),
        ("Find it again.", &["search", "body memory"]),
        ("Where does everything stand?", &["status"]),
    ];
    for (why, args) in steps {
        step(ui, path, why, args)?;
    }
    Ok(())
}

fn step(ui: &mut Ui, path: &Path, why: &str, args: &[&str]) -> Result<()> {
    let directory = path.display().to_string();
    let mut line = vec!["git-beads", "-C", &directory, "--actor", "demo"];
    line.extend(args);
    let answer = invoke(&line, false)?
        .replace(&format!("{directory}/"), "")
        .replace(&directory, "demo");
    let shown: Vec<String> = args
        .iter()
        .map(|arg| quoted(&arg.replace(&format!("{directory}/"), "")))
        .collect();
    ui.line(&format!("# {why}"));
    let command = ui.paint(BOLD, &format!("$ git beads {}", shown.join(" ")));
    ui.line(&command);
    ui.line(answer.trim_end());
    ui.line("");
    Ok(())
}

fn quoted(arg: &str) -> String {
    if arg.contains(' ') {
        format!("\"{arg}\"")
    } else {
        arg.to_owned()
    }
}
