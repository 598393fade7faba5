//! Tables in texts.

use super::{Drawing, Margin, joined, words};
use crate::model::prose::Cell;
use crate::text::line::{Line, Look, line};
use crate::text::style::BOLD;
use unicode_width::UnicodeWidthStr;

/// Columns between those of a table.
const GAP: usize = 2;

impl Drawing<'_> {
    /// Draws rows in columns, or where they are too wide one cell a line.
    pub(super) fn table(&mut self, rows: &[Vec<Cell>], margin: &mut Margin) {
        let Some((head, rows)) = rows.split_first() else {
            return;
        };
        let plain = Look::default();
        let bold = self.with(&plain, BOLD);
        let cells = |row: &[Cell], look| row.iter().map(|cell| self.cell(cell, look)).collect();
        let head: Vec<Line> = cells(head, &bold);
        let rows: Vec<Vec<Line>> = rows.iter().map(|row| cells(row, &plain)).collect();
        let widths = widths(&head, &rows);
        let all = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        if all + margin.rest.width() > self.width {
            return self.records(&head, &rows, margin);
        }
        let rule = widths.iter().map(|width| line!["─".repeat(*width)]);
        let rule: Vec<_> = rule.collect();
        for row in [&head, &rule].into_iter().chain(&rows) {
            let begin = margin.take();
            self.lines.push(spaced(begin, row, &widths));
        }
    }

    /// Draws each row as lines, one for each cell with the name of its column.
    fn records(&mut self, head: &[Line], rows: &[Vec<Line>], margin: &mut Margin) {
        if rows.is_empty() {
            head.iter().for_each(|name| self.wrap_line(name, margin));
        }
        for (n, row) in rows.iter().enumerate() {
            if n > 0 {
                self.empty_line(margin);
            }
            for (name, cell) in head.iter().zip(row) {
                let line = line![name.clone(), ": ", cell.clone()];
                self.wrap_line(&line, &mut margin.behind("", "  "));
            }
        }
    }

    fn wrap_line(&mut self, line: &Line, margin: &mut Margin) {
        self.wrap(&joined(words(line.spans().collect())), margin);
    }

    fn cell(&self, cell: &Cell, look: &Look) -> Line {
        let mut parts = Vec::new();
        self.flatten(cell, look, &mut parts);
        // What would end the line or move its columns is a space.
        let line = Line::join(parts, "");
        line.mapped(|text| text.replace(['\n', '\r', '\t'], " "))
    }
}

/// Returns the widths of the columns.
fn widths(head: &[Line], rows: &[Vec<Line>]) -> Vec<usize> {
    let mut widths: Vec<usize> = head.iter().map(Line::width).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.width().max(*width);
        }
    }
    widths
}

/// Returns cells as a line, each with the spaces that fill its column.
fn spaced(begin: String, row: &[Line], widths: &[usize]) -> Line {
    let mut line = line![begin];
    for (cell, width) in row.iter().zip(widths) {
        line.push(cell.clone());
        line.push(" ".repeat(width - cell.width() + GAP));
    }
    line
}
