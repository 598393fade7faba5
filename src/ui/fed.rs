//! The face without a terminal, for the fuzz targets: what is typed goes in as bytes, and what it asks is answered at once.

use super::asks::Ask;
use super::draw::{LaidOut, draw};
use super::input::InputReader;
use super::runs::Ran;
use super::state::{FirstRepo, State};
use super::{Input, Look};
use crate::desk::feed::{Fault, News, NewsAnswer, Question as _, RepoWatch};
use crate::model::Party;
use crate::ops::Tracker;
use crate::ops::scene::inbox::AskedRepo;

/// Questions that may follow one thing that was typed.
const MOST_ASKS: usize = 200;
/// Milliseconds between two things that are typed: as fast as a person types, or slowly.
const PAUSES: [u64; 2] = [50, 5_000];

/// A face over one repository.
pub struct FedFace<'t> {
    tracker: &'t Tracker,
    state: State,
    reader: InputReader,
    laid_out: LaidOut,
    up: u64,
}

impl<'t> FedFace<'t> {
    /// Begins on a terminal of a size.
    pub fn new(tracker: &'t Tracker, size: (u16, u16)) -> Self {
        let first = FirstRepo {
            name: "repo".to_owned(),
            is_here: true,
            silent: row(None),
        };
        let mut face = Self {
            tracker,
            state: State::new(vec![first], Party::default(), false, size),
            reader: InputReader::default(),
            laid_out: LaidOut::default(),
            up: 0,
        };
        face.state.verbs = vec!["list", "show"];
        face.answer();
        face
    }

    /// Takes bytes of a terminal; returns the picture after each key.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut inputs = self.reader.read(bytes);
        inputs.extend(self.reader.end());
        inputs.into_iter().map(|input| self.take(input)).collect()
    }

    fn take(&mut self, input: Input) -> String {
        self.up += PAUSES[usize::from(input == Input::Key("esc".to_owned()))];
        let now = self.tracker.env().now() + self.up;
        self.state.tick(now, self.up);
        self.state.input(input);
        // What only a terminal has.
        self.state.wants_suspend = false;
        (self.state.lent, self.state.copied) = (None, None);
        self.answer();
        let look = Look {
            is_coloured: true,
            is_utf8: true,
        };
        let drawn = draw(&self.state, look, &mut self.laid_out);
        self.state.panel.top = drawn.panel_top;
        self.state.set_areas(drawn.areas);
        let cells = drawn.frame.cells.content.iter();
        cells.map(ratatui::buffer::Cell::symbol).collect()
    }

    fn answer(&mut self) {
        for _ in 0..MOST_ASKS {
            if let Some(run) = self.state.run() {
                let (number, words) = (run.number, run.words.clone());
                let lines = words.clone();
                self.state.take_output(Ran {
                    number,
                    lines,
                    words,
                });
            }
            let asks: Vec<(usize, Ask)> = self.state.take_asks().collect();
            if asks.is_empty() && self.state.run().is_none() {
                return;
            }
            for (repo, ask) in asks {
                let fault = |error: crate::ops::Error| {
                    Box::new(Fault {
                        text: error.message.clone(),
                        row: row(Some(error.message)),
                        has_no_store: false,
                        is_gone: false,
                    })
                };
                let (found, is_act) = (ask.answer(self.tracker), ask.is_act());
                let answer = NewsAnswer {
                    ask,
                    common: None,
                    watch: RepoWatch::default(),
                    found: found.map_err(fault),
                };
                self.state.hear(repo, News::Answer(Box::new(answer)));
                if is_act {
                    self.state.hear(repo, News::Moved);
                }
            }
        }
        panic!("it asks without an end");
    }
}

fn row(error: Option<String>) -> AskedRepo {
    AskedRepo {
        repo: "repo".to_owned(),
        path: String::new(),
        error,
        hint: None,
    }
}
