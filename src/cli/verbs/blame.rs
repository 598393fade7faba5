//! `blame`: who set each field of an issue, and when.

use clap::Args;
use unicode_width::UnicodeWidthStr;

use crate::cli::options::ids::IdOption;
use crate::cli::text::diff::{name, short, show_cut, spaced, text_of, when};
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::blame::{Blame, FieldOrigin, blame};
use crate::text::line::{Line, line};
use crate::text::style::{BOLD, DIM, YELLOW};
use crate::text::width::{fit, pad};

#[derive(Debug, Args)]
pub(super) struct BlameArgs {
    #[command(flatten)]
    issue: IdOption,
}

impl Verb for BlameArgs {
    const NAME: &'static str = "blame";
    const ABOUT: &'static str = "Show who set each field of an issue, and when";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"Who set what, and in which operation:

$ git beads blame bd-a1b2
";
    type Answer = Blame;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = blame(cli.tracker()?, &self.issue.id)?;
        cli.page();
        cli.answer(answer, commits, text);
        Ok(Exit::OK)
    }
}

fn commits(blame: &Blame) -> Vec<String> {
    let commits = blame.fields.iter().filter_map(|field| field.commit.clone());
    commits.collect()
}

/// Prints commit, person and time before each value, as `git blame` does.
fn text(ui: &mut Ui, blame: &Blame) {
    let heading = line![
        ui.paint(BOLD, &blame.id),
        " ",
        ui.paint(BOLD, ui.one_line(&blame.title)),
    ];
    ui.row(&heading);
    let rows: Vec<[String; 4]> = blame.fields.iter().map(|field| cells(ui, field)).collect();
    let widest = |column: usize| {
        let widths = rows
            .iter()
            .map(|row| UnicodeWidthStr::width(row[column].as_str()));
        widths.max().unwrap_or(0)
    };
    let widths = ui.width().map(|_| [widest(0), widest(1), widest(2), 0]);
    for (row, field) in rows.iter().zip(&blame.fields) {
        let cell = |column: usize| {
            widths.map_or_else(
                || row[column].clone(),
                |widths| pad(&row[column], widths[column]),
            )
        };
        let (commit, who) = (line![ui.paint(YELLOW, cell(0))], line![cell(2)]);
        let when = if row[1].is_empty() {
            Line::default()
        } else {
            line![ui.paint(DIM, cell(1))]
        };
        let why = taken_back(field);
        let used =
            widths.map(|widths| widths.iter().sum::<usize>() + 5 + field.field.len() + why.len());
        let value = match (ui.width(), used) {
            (Some(width), Some(used)) => fit(&row[3], width.saturating_sub(used).max(20)),
            _ => row[3].clone(),
        };
        let value = line![ui.one_line(&field.field), ": ", value, ui.paint(DIM, why),];
        ui.row(&spaced([commit, when, who, value]));
    }
    show_cut(ui, &blame.cut);
}

/// Returns a note on the operations that were taken back, or brought back, by the undo that set a field.
fn taken_back(field: &FieldOrigin) -> String {
    let (what, commits) = if field.redid.is_empty() {
        ("undid", &field.undid)
    } else {
        ("redid", &field.redid)
    };
    match commits.as_slice() {
        [] => String::new(),
        [one] => format!(" ({what} {})", short(one)),
        several => format!(" ({what} {} operations)", several.len()),
    }
}

fn cells(ui: &Ui, field: &FieldOrigin) -> [String; 4] {
    let commit = field.commit.as_deref().map_or("-", short);
    let text = text_of(ui, &field.field, &field.value);
    let mut lines = text.trim().lines();
    let first = ui.one_line(lines.next().unwrap_or_default());
    let more = lines.count();
    let value = if more > 0 {
        format!("{first} ... {more} more lines")
    } else {
        first
    };
    [
        commit.to_owned(),
        when(ui, &field.at),
        name(ui, &field.party().to_string()),
        value,
    ]
}
