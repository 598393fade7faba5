//! Frames on the terminal: only what differs from the last one is written, all of it at once.
//!
//! Terminals disagree on how wide some clusters are. So behind each of more than one scalar or of two columns the cursor is moved to
//! where it has to be, and a row that had one is erased before it is drawn anew: a glyph may look wrong, nothing after it moves.

use std::io;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::queue;
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, SetTitle,
};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

use crate::platform::write_output;

/// The terminal's picture.
pub(super) struct Screen {
    last: Buffer,
    /// True if nothing is known of what is on the terminal.
    is_unknown: bool,
}

/// A picture to be shown.
pub(super) struct Frame {
    pub(super) cells: Buffer,
    /// The place of the cursor; it is hidden without one.
    pub(super) cursor: Option<(u16, u16)>,
}

impl Screen {
    pub(super) fn new() -> Self {
        Self {
            last: Buffer::empty(Rect::default()),
            is_unknown: true,
        }
    }

    /// Forgets what is on the terminal: the next frame is drawn whole.
    pub(super) fn forget(&mut self) {
        self.is_unknown = true;
    }

    /// Sets the title of the window.
    pub(super) fn title(title: &str) -> io::Result<()> {
        let mut out = Vec::new();
        queue!(out, SetTitle(title))?;
        write_output(&out)
    }

    /// Lets the terminal copy a text to the clipboard of its user.
    pub(super) fn copy(text: &str) -> io::Result<()> {
        let text = BASE64_STANDARD.encode(text);
        write_output(format!("\x1b]52;c;{text}\x07").as_bytes())
    }

    /// Shows a frame.
    pub(super) fn show(&mut self, frame: Frame) -> io::Result<()> {
        let mut out = Vec::new();
        queue!(out, BeginSynchronizedUpdate, Hide)?;
        let is_whole = self.is_unknown || self.last.area != frame.cells.area;
        if is_whole {
            queue!(out, MoveTo(0, 0), Clear(ClearType::All))?;
            self.last = Buffer::empty(frame.cells.area);
        }
        let width = usize::from(frame.cells.area.width).max(1);
        let rows = self
            .last
            .content
            .chunks(width)
            .zip(frame.cells.content.chunks(width));
        let mut pen = Pen::default();
        for (y, (old, new)) in (0..).zip(rows) {
            draw_row(&mut out, &mut pen, y, old, new)?;
        }
        pen.set(&mut out, &Cell::default());
        if let Some((x, y)) = frame.cursor {
            queue!(out, MoveTo(x, y), Show)?;
        }
        queue!(out, EndSynchronizedUpdate)?;
        self.last = frame.cells;
        self.is_unknown = false;
        write_output(&out)
    }
}

/// Returns whether terminals may disagree on the columns of a cell.
fn is_uncertain(cell: &Cell) -> bool {
    let symbol = cell.symbol();
    symbol.chars().nth(1).is_some() || symbol.width() != 1
}

fn draw_row(
    out: &mut Vec<u8>,
    pen: &mut Pen,
    y: u16,
    old: &[Cell],
    new: &[Cell],
) -> io::Result<()> {
    if old == new {
        return Ok(());
    }
    let is_anew = old.iter().any(is_uncertain);
    if is_anew {
        pen.set(out, &Cell::default());
        queue!(out, MoveTo(0, y), Clear(ClearType::CurrentLine))?;
    }
    // The column of the cursor, where that is known.
    let mut cursor = None;
    let mut next = 0;
    for (x, cell) in new.iter().enumerate() {
        // The second column of a cluster belongs to it.
        if x < next {
            continue;
        }
        let columns = cell.symbol().width().max(1);
        next = x + columns;
        let before = if is_anew { &Cell::default() } else { &old[x] };
        if before == cell {
            continue;
        }
        if cursor != Some(x) {
            queue!(out, MoveTo(u16::try_from(x).unwrap_or(u16::MAX), y))?;
        }
        pen.set(out, cell);
        out.extend(cell.symbol().as_bytes());
        cursor = (!is_uncertain(cell)).then_some(next);
    }
    Ok(())
}

/// The colours and attributes that the terminal writes with.
#[derive(Default)]
struct Pen {
    colour: Color,
    ground: Color,
    attributes: Modifier,
}

/// The attributes, with the number that turns each on.
const ATTRIBUTES: [(Modifier, &str); 6] = [
    (Modifier::BOLD, ";1"),
    (Modifier::DIM, ";2"),
    (Modifier::ITALIC, ";3"),
    (Modifier::UNDERLINED, ";4"),
    (Modifier::REVERSED, ";7"),
    (Modifier::CROSSED_OUT, ";9"),
];

impl Pen {
    /// Changes to those of a cell.
    fn set(&mut self, out: &mut Vec<u8>, cell: &Cell) {
        if (self.colour, self.ground, self.attributes) == (cell.fg, cell.bg, cell.modifier) {
            return;
        }
        (self.colour, self.ground, self.attributes) = (cell.fg, cell.bg, cell.modifier);
        let mut text = "\x1b[0".to_owned();
        for (attribute, number) in ATTRIBUTES {
            if cell.modifier.contains(attribute) {
                text.push_str(number);
            }
        }
        if let Some(number) = number(cell.fg) {
            text.push_str(&format!(";{}", 30 + number));
        }
        text.push('m');
        out.extend(text.as_bytes());
    }
}

/// Returns the number of a colour of the terminal's own; the face uses no others, and no grounds.
fn number(colour: Color) -> Option<u8> {
    match colour {
        Color::Red => Some(1),
        Color::Green => Some(2),
        Color::Yellow => Some(3),
        Color::Blue => Some(4),
        Color::Magenta => Some(5),
        Color::Cyan => Some(6),
        _ => None,
    }
}
