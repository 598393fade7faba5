//! Taking over a file of issues, for `import` and `init`.

use super::text::{count, next};
use super::ui::progress::Meter;
use super::ui::{Ui, talk};
use super::verb::{Cli, Exit};
use crate::ops::verbs::import::{ImportOptions, Imported, Input, import};
use crate::ops::{Command, Result};

/// So many lines that were skipped are named.
const MOST_SHOWN: usize = 10;

/// Imports an input and prints what came of it; 1 where lines of it were not taken.
pub(super) fn import_file(cli: &mut Cli, input: Input, options: &ImportOptions) -> Result<Exit> {
    let mut meter = Meter::new(cli.env(), "importing");
    let name = input.name.clone();
    let answer = import(cli.tracker()?, input, options, &mut |done, total| {
        meter.step(done, total);
    })?;
    // Dropping it wipes its line, before anything else is printed.
    drop(meter);
    for error in answer.errors.iter().take(MOST_SHOWN) {
        let text = format!("{name}: {}: {}", error.place(), error.message);
        talk(cli.env(), "error", &text);
    }
    let more = answer.errors.len().saturating_sub(MOST_SHOWN);
    if more > 0 {
        let lines = count(more, "more line was", "more lines were");
        talk(
            cli.env(),
            "error",
            &format!("{name}: {lines} skipped; --json names all"),
        );
    }
    if !answer.errors.is_empty() {
        talk(
            cli.env(),
            "hint",
            "fix these lines and import the file again; issues that were imported stay as they are",
        );
    }
    remarks(cli, &name, &answer);
    let partial = !answer.errors.is_empty();
    cli.answer(answer, |_| Vec::new(), imported);
    Ok(Exit::one_if(partial))
}

/// Says what the file has that was not taken, and what it has not.
fn remarks(cli: &Cli, name: &str, answer: &Imported) {
    let left = &answer.not_newer;
    if !left.is_empty() && !cli.ui.quiet {
        let lines = count(
            left.len(),
            "line differs from what is here and is not newer",
            "lines differ from what is here and are not newer",
        );
        let more = if left.len() > MOST_SHOWN {
            ", ... (--json names all)"
        } else {
            ""
        };
        let ids = left[..left.len().min(MOST_SHOWN)].join(", ");
        talk(
            cli.env(),
            "warning",
            &format!("{name}: {lines}: {ids}{more}"),
        );
        let command = Command::of("import")
            .placeholder("FILE")
            .flag("--overwrite");
        talk(
            cli.env(),
            "hint",
            &format!("{command} takes them as the file has them"),
        );
    }
    if !answer.conflicts.is_empty() {
        let issues = count(answer.conflicts.len(), "issue", "issues");
        let shown = answer.conflicts.iter().take(MOST_SHOWN);
        let ids = Vec::from_iter(shown.map(String::as_str)).join(", ");
        let source = answer.source.unwrap_or_default();
        let text = format!(
            "{name}: {issues} changed both here and in {source}, whose value is taken: {ids}"
        );
        talk(cli.env(), "warning", &text);
        talk(cli.env(), "hint", &Command::of("conflicts").to_string());
    }
    if !answer.left_out.is_empty() && !cli.ui.quiet {
        let parts = answer.left_out.iter().take(MOST_SHOWN);
        let mut parts: Vec<String> = parts.map(|(what, n)| format!("{what} ({n})")).collect();
        if answer.left_out.len() > MOST_SHOWN {
            parts.push("... (--json names all)".to_owned());
        }
        let text = format!("{name}: not taken: {}", parts.join(", "));
        talk(cli.env(), "note", &text);
    }
    if answer.without_links > 0 {
        let issues = count(answer.without_links, "issue", "issues");
        let text =
            format!("{name}: {issues} may have links, labels or comments that are not in the file");
        talk(cli.env(), "warning", &text);
        talk(
            cli.env(),
            "hint",
            "import what `bd export` writes, or the folder that has dependencies.jsonl and labels.jsonl too",
        );
    }
}

fn imported(ui: &mut Ui, imported: &Imported) {
    if let Some(source) = imported.source {
        ui.line(&format!("issues of {source}"));
    }
    let mut parts = vec![
        format!("{} created", imported.created),
        format!("{} updated", imported.updated),
        format!("{} unchanged", imported.unchanged),
    ];
    let more = [
        (imported.not_newer.len(), "not newer", "not newer"),
        (imported.older, "older than here", "older than here"),
        (imported.memory, "memory entry", "memory entries"),
        (
            imported.duplicates,
            "older duplicate line",
            "older duplicate lines",
        ),
        (imported.errors.len(), "line skipped", "lines skipped"),
    ];
    parts.extend(
        more.into_iter()
            .filter(|(n, ..)| *n > 0)
            .map(|(n, one, many)| count(n, one, many)),
    );
    ui.line(&parts.join(", "));
    if imported.created + imported.updated + imported.unchanged > 0 {
        next(ui, Command::of("ready"));
    }
}
