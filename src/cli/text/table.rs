//! Tables of figures.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::cli::ui::Ui;
use crate::ops::shared::usage::Usage;
use crate::text::line::line;
use crate::text::style::BOLD;
use crate::text::width::{fit, pad};

/// Prints a table: the first column to the left, figures to the right; in a pipe single-spaced.
pub(in crate::cli) fn table<const N: usize>(
    ui: &mut Ui,
    head: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) {
    let width = ui.width();
    let name = |text: &str| {
        // What is in front of a name puts it below another one.
        let indent = text.len() - text.trim_start_matches(' ').len();
        let text = format!("{}{}", &text[..indent], ui.one_line(text));
        width.map_or_else(
            || text.trim_start().to_owned(),
            |width| fit(&text, width / 2),
        )
    };
    let mut rows: Vec<[String; N]> = rows.collect();
    rows.iter_mut().for_each(|row| row[0] = name(&row[0]));
    let head = head.map(str::to_owned);
    let all = || std::iter::once(&head).chain(&rows);
    let widest: Vec<usize> = (0..N)
        .map(|column| all().map(|row| row[column].width()).max().unwrap_or(0))
        .collect();
    // For a program nothing is padded.
    let lines: Vec<String> = all()
        .map(|row| match width {
            None => row.join(" "),
            Some(_) => {
                let mut line = pad(&row[0], widest[0]);
                for (cell, widest) in row.iter().zip(&widest).skip(1) {
                    line.push_str(&format!("  {cell:>widest$}"));
                }
                line
            }
        })
        .collect();
    for (n, line) in lines.into_iter().enumerate() {
        let style = if n == 0 { BOLD } else { Style::new() };
        ui.row(&line![ui.paint(style, line)]);
    }
}

/// Prints names with the issues that have them.
pub(in crate::cli) fn usage_table(ui: &mut Ui, what: &str, usages: &[Usage]) {
    let head = [what, "open", "total"];
    table(ui, head, usages.iter().map(cells));
}

fn cells(usage: &Usage) -> [String; 3] {
    let [open, total] = [usage.open, usage.total].map(|n| n.to_string());
    [usage.name.clone(), open, total]
}

/// Returns the names alone, for programs.
pub(in crate::cli) fn usage_names(usages: &[Usage]) -> Vec<String> {
    usages.iter().map(|usage| usage.name.clone()).collect()
}
