//! `demo`: the main verbs on a small real-looking project, in a repository that is thrown away.

use std::path::Path;

use clap::Args;

use crate::cli::argv::Program;
use crate::cli::man::files::are_found;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, NoAnswer, Verb};
use crate::ops::verbs::demo::repositories;
use crate::ops::{Code, Command, Error, Result};
use crate::text::line::line;
use crate::text::style::BOLD;

const SAMPLE: &str = include_str!("../demo/sample.jsonl");
const PLAN: &str = include_str!("../demo/plan.md");

#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    /// Keep the repository and print its path
    #[arg(long)]
    keep: bool,
}

impl Verb for DemoArgs {
    const NAME: &'static str = "demo";
    const ABOUT: &'static str = "Show the main verbs in a temporary repository";
    const GROUP: Group = Group::Other;
    const EXAMPLES: &'static str = r"In a temporary folder, which is removed at the end:

$ git beads demo
";
    type Answer = NoAnswer;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let folder = tempfile::Builder::new()
            .prefix("git-beads-demo-")
            .tempdir_in(cli.env().temporary_folder())
            .map_err(|error| failed(&error))?;
        let path = folder.path().to_owned();
        repositories(cli.env(), &path)?;
        let (project, colleague) = (path.join("project"), path.join("colleague"));
        for (name, text) in [("issues.jsonl", SAMPLE), ("plan.md", PLAN)] {
            std::fs::write(project.join(name), text).map_err(|error| failed(&error))?;
        }
        walk(cli, &project)?;
        let hub = path.join("hub.git").display().to_string();
        let why = "Share it: any git remote is the server.";
        step(cli, &project, why, &["sync"])?;
        let why = "A colleague joins ...";
        step(cli, &path, why, &["clone", &hub, "colleague"])?;
        step(cli, &colleague, "... and continues.", &["ready", "-n", "2"])?;
        let ui = &mut cli.ui;
        ui.line("# Now in your own repository: cd YOUR-REPOSITORY && git beads init");
        if !are_found(&ui.env) {
            ui.line("# Manual pages, for `git beads --help`: git beads man");
        }
        if self.keep {
            let kept = folder.keep();
            cli.ui
                .line(&format!("the repository is in {}", kept.display()));
        }
        Ok(Exit::OK)
    }
}

fn failed(error: &std::io::Error) -> Error {
    let message = format!("can't create a temporary repository: {error}");
    Error::new(Code::Io, message)
}

fn walk(cli: &mut Cli, path: &Path) -> Result<()> {
    let file = |name: &str| path.join(name).display().to_string();
    let (issues, plan) = (file("issues.jsonl"), file("plan.md"));
    let steps: [(&str, &[&str]); 9] = [
        (
            "Import issues from another tracker.",
            &["init", "--prefix", "app", "--import", &issues],
        ),
        ("What can I work on?", &["ready"]),
        ("Start the most urgent one.", &["start", "app-7c2d"]),
        (
            "Record what you learn.",
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
        ("What is blocked, and by what?", &["blocked"]),
        ("Find it again.", &["search", "body memory"]),
        ("Show the status.", &["status"]),
    ];
    for (why, args) in steps {
        step(cli, path, why, args)?;
    }
    Ok(())
}

fn step(cli: &mut Cli, path: &Path, why: &str, args: &[&str]) -> Result<()> {
    let directory = path.display().to_string();
    let mut line = vec![
        "git-beads",
        "-C",
        &directory,
        "--actor",
        "demo",
        "--color=never",
    ];
    line.extend(args);
    // The commands in the answer are written as the one above it is.
    let led = Command::line("git beads -C").word(&directory);
    let led = format!("{} ", led.flag("--actor").word("demo"));
    let answer = invoke(cli, &line)?
        .replace(&led, "git beads ")
        .replace(&format!("{directory}/"), "")
        .replace(&directory, "demo");
    let shown: Vec<String> = args
        .iter()
        .map(|arg| quoted(&arg.replace(&format!("{directory}/"), "")))
        .collect();
    let ui = &mut cli.ui;
    ui.line(&format!("# {why}"));
    let command = ui.paint(BOLD, format!("$ {}", Command::of_line(&shown)));
    ui.line(&line![command]);
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

/// Runs a command line and returns what it printed.
fn invoke(cli: &Cli, args: &[&str]) -> Result<String> {
    let words: Vec<_> = args.iter().skip(1).map(Into::into).collect();
    let line = Program::new(cli.verbs).parse(&words);
    let line = line.map_err(|error| Error::new(Code::Usage, error.to_string()))?;
    let Some((verb, matches)) = line.verb else {
        unreachable!("each step names its verb");
    };
    let (ui, buffer) = Ui::to_buffer(cli.env(), &line.globals);
    let mut within = Cli::new(line.globals, cli.verbs, ui);
    let outcome = (verb.run)(matches, &mut within);
    within.finish_within(outcome)?;
    Ok(buffer.text())
}
