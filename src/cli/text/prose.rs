//! Texts of issues: drawn as Markdown on a terminal, and wrapped at words; as they stand in a pipe.

use unicode_width::UnicodeWidthStr;

use crate::cli::ui::Ui;
use crate::model::prose::{TextBlock, parse};
use crate::text::line::{Line, Look, Span, line};
use crate::text::prose::{Paint, WIDEST, drawn};

impl Paint for Ui {
    fn is_coloured(&self) -> bool {
        Self::is_coloured(self)
    }

    fn shown(&self, text: &str) -> String {
        Self::shown(self, text)
    }

    fn linked<'t>(&self, span: Span<'t>, address: &str) -> Span<'t> {
        Self::linked(self, span, address)
    }

    fn mentions<'t>(&self, look: &Look, text: &str, to: &mut Vec<Span<'t>>) {
        Self::mentions(self, look, text, to);
    }
}

/// Prints a text of an issue, each line behind an indent.
pub(in crate::cli) fn prose(ui: &mut Ui, text: &str, indent: &str) {
    if ui.width().is_some() {
        return print(ui, text, indent, indent, None);
    }
    let text = indented(text.trim_end(), indent);
    ui.line(&format!("{indent}{text}"));
}

/// Prints a line behind an indent; on a terminal it goes on in the next one, further in, where it is full.
pub(in crate::cli) fn wrapped(ui: &mut Ui, indent: &str, line: &Line) {
    let Some(width) = ui.width() else {
        return ui.line(&line![indent, line.clone()]);
    };
    for line in crate::text::prose::wrapped(ui, indent, line, width) {
        ui.line(&line);
    }
}

/// Returns a text with an indent before all lines but the first.
fn indented(text: &str, indent: &str) -> String {
    text.replace('\n', &format!("\n{indent}"))
}

/// Prints a text behind a mark, with a remark at its end. Further lines are indented, so that none of them passes for another.
pub(in crate::cli) fn remarked(ui: &mut Ui, mark: &str, text: &str, remark: Span<'_>) {
    let indent = " ".repeat(mark.width().min(2));
    if ui.width().is_some() {
        return print(ui, text, mark, &indent, Some(remark));
    }
    let text = indented(text, &indent);
    ui.line(&line![mark, text, " ", remark]);
}

/// Prints Markdown between a margin of the first line, and of further ones, and a remark.
fn print(ui: &mut Ui, text: &str, first: &str, rest: &str, remark: Option<Span<'_>>) {
    let width = ui.width().unwrap_or(WIDEST).min(WIDEST);
    let blocks = parse(text);
    let mut lines = drawn(ui, &blocks, first, rest, width);
    if lines.is_empty() {
        lines.push(line![first]);
    }
    if let Some(remark) = remark {
        let is_sentence = matches!(blocks.last(), Some(TextBlock::Paragraph(_)));
        let room = if is_sentence { width } else { 0 };
        append_remark(&mut lines, remark, rest, room);
    }
    // Its width is known here alone: lines that are made elsewhere are cut, and a text must not be.
    for line in lines {
        ui.line(&line.trim_end());
    }
}

/// Appends a remark to the last line where that has room for it, else as a line of its own.
fn append_remark(lines: &mut Vec<Line>, remark: Span<'_>, indent: &str, room: usize) {
    let needs = remark.text().width() + 1;
    match lines.last_mut() {
        Some(last) if last.width() + needs <= room => last.push(line![" ", remark]),
        _ => lines.push(line![indent, remark]),
    }
}
