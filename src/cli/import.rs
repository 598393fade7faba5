//! Taking over a file of issues, for `import` and `init`.

use std::fs::File;

use super::text::{count, next};
use super::ui::progress::Meter;
use super::ui::{Ui, talk};
use super::verb::{Cli, Exit};
use crate::ops::verbs::import::{Imported, import};
use crate::ops::{Command, Result};

/// So many lines that were skipped are named.
const MOST_SHOWN: usize = 10;

/// Imports a file and prints what came of it; 1 where lines of it were not taken.
pub(super) fn import_file(cli: &mut Cli, name: &str, file: File) -> Result<Exit> {
    let mut meter = Meter::new(cli.env(), "importing");
    let answer = import(cli.tracker()?, name, file, &mut |done, total| {
        meter.step(done, total);
    })?;
    // Dropping it wipes its line, before anything else is printed.
    drop(meter);
    for error in answer.errors.iter().take(MOST_SHOWN) {
        talk(
            cli.env(),
            "error",
            &format!("{name}: line {}: {}", error.line, error.message),
        );
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
    let partial = !answer.errors.is_empty();
    cli.answer(answer, |_| Vec::new(), imported);
    Ok(Exit::one_if(partial))
}

fn imported(ui: &mut Ui, imported: &Imported) {
    let mut parts = vec![
        format!("{} created", imported.created),
        format!("{} updated", imported.updated),
        format!("{} unchanged", imported.unchanged),
    ];
    let more = [
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
