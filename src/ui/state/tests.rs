//! The state under any keys, answers and sizes.

mod board;
mod first;
mod focus;
mod help;
mod output;
mod prompt;
mod scroll;

use std::collections::{BTreeMap, VecDeque};

use proptest::prelude::*;

use super::*;
use crate::desk::feed::{Fault, News, NewsAnswer, RepoWatch};
use crate::desk::own_keys::OwnKeys;
use crate::model::query::Grouping;
use crate::model::status::IN_PROGRESS;
use crate::ops::act::Acted;
use crate::ops::answer::{Detail, Summary};
use crate::ops::scene::board::{Board, BoardColumn, BoardRequest};
use crate::ops::scene::inbox::NextIssue;
use crate::ops::scene::issue::IssueScene;
use crate::ops::scene::named::NamedIssue;
use crate::ops::scene::rows::Column;
use crate::ops::scene::words::Words;
use crate::ops::shared::query::SavedQuery;
use crate::ui::Look;
use crate::ui::asks::{Answer, Ask, Links};
use crate::ui::draw::{LaidOut, draw};
use crate::ui::input::{Input, Mouse, MouseDoes};
use crate::ui::runs::Ran;

/// Repositories that answer, late and in the order of the questions.
struct Town {
    state: State,
    /// The issues of each repository, by their numbers.
    issues: Vec<Vec<u32>>,
    asked: VecDeque<(usize, Ask)>,
    up: u64,
}

#[derive(Clone, Debug)]
enum Happens {
    Key(&'static str),
    Answer,
    Adds(usize, u32),
    Removes(usize, usize),
    Resize(u16, u16),
    Later(u64),
    Paste(String),
    Mouse(MouseDoes, u16, u16),
}

const KEYS: &[&str] = &[
    "2",
    "2",
    "[",
    "H",
    "L",
    "m",
    "left",
    "V",
    "ctrl-a",
    "d",
    "D",
    "f",
    "i",
    "y",
    "Z",
    "A",
    "R",
    "Y",
    "X",
    "x",
    "s",
    "p",
    "#",
    "c",
    "n",
    "u",
    "U",
    "down",
    "1",
    "j",
    "j",
    "k",
    "G",
    "g",
    "ctrl-d",
    "ctrl-u",
    "1",
    "3",
    "]",
    "[",
    "4",
    "5",
    "6",
    ":",
    "=",
    "F",
    "T",
    "backtab",
    "tab",
    "0",
    "enter",
    "esc",
    "q",
    "tab",
    "l",
    "h",
    "/",
    "*",
    "v",
    "?",
    "a",
    "space",
    "backspace",
    "é",
];

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        6 => (0..KEYS.len()).prop_map(|n| Happens::Key(KEYS[n])),
        6 => Just(Happens::Answer),
        2 => (0..3usize, 0..400u32).prop_map(|(repo, n)| Happens::Adds(repo, n)),
        2 => (0..3usize, 0..400usize).prop_map(|(repo, n)| Happens::Removes(repo, n)),
        1 => (1..220u16, 1..60u16).prop_map(|(width, height)| Happens::Resize(width, height)),
        1 => (0..3_000u64).prop_map(Happens::Later),
        1 => any::<String>().prop_map(Happens::Paste),
        4 => (mouse_does(), 0..220u16, 0..60u16).prop_map(|(does, x, y)| Happens::Mouse(does, x, y)),
    ]
}

fn mouse_does() -> impl Strategy<Value = MouseDoes> {
    use MouseDoes::{Down, Drag, Press, Release, RightPress, Up};
    proptest::sample::select(vec![Press, Press, RightPress, Drag, Release, Up, Down])
}

fn uid(repo: usize, n: u32) -> Uid {
    format!("{:026}", u64::from(n) * 10 + repo as u64)
        .parse()
        .unwrap()
}

fn summary(repo: usize, n: u32) -> Summary {
    Summary {
        id: format!("r-x{n}x{repo}"),
        title: format!("title {n} of a length that is cut on a narrow terminal, 日本 👩\u{200d}💻"),
        uid: Some(uid(repo, n)),
        ..Summary::default()
    }
}

fn head(repo: usize, n: u32) -> Head {
    Head {
        summary: summary(repo, n),
        uid: uid(repo, n),
        column: Column::Ready,
        ..Head::default()
    }
}

/// Returns a board with the issues in four columns.
fn board(repo: usize, issues: &[u32], request: &BoardRequest) -> Board {
    let columns = (0..4).zip(["ready", IN_PROGRESS, "blocked", "done"]);
    let columns = columns.map(|(n, key)| {
        let of_it: Vec<u32> = issues.iter().copied().filter(|it| it % 4 == n).collect();
        BoardColumn {
            key: key.to_owned(),
            title: key.to_owned(),
            total: of_it.len() as u64,
            heads: of_it
                .iter()
                .take(request.most)
                .map(|n| head(repo, *n))
                .collect(),
            ways: BTreeMap::new(),
        }
    });
    Board {
        group: request.query.contains("group:").then_some(Grouping::Status),
        columns: columns.collect(),
        total: issues.len() as u64,
        ..Board::default()
    }
}

fn row(repo: usize) -> AskedRepo {
    AskedRepo {
        repo: format!("repo{repo}"),
        path: String::new(),
        error: Some("silent".to_owned()),
        hint: None,
    }
}

impl Town {
    fn new(all: bool, sizes: [u32; 3]) -> Self {
        let first = |n| FirstRepo {
            name: format!("repo{n}"),
            is_here: n == 1,
            silent: row(n),
        };
        Self {
            state: State::new((0..3).map(first).collect(), Party::default(), all, (80, 24)),
            issues: sizes.iter().map(|n| (0..*n).collect()).collect(),
            asked: VecDeque::new(),
            up: 0,
        }
    }

    fn answer(&mut self, repo: usize, ask: &Ask) -> std::result::Result<Answer, Box<Fault>> {
        let issues = &self.issues[repo];
        let found = |wanted: &Uid| issues.iter().find(|n| uid(repo, **n) == *wanted);
        let fault = Box::new(Fault {
            text: "gone".to_owned(),
            row: row(repo),
            has_no_store: false,
            is_gone: false,
        });
        match ask {
            Ask::Inbox => {
                let ready = issues.iter().take(5).map(|n| NextIssue {
                    repo: None,
                    unblocks: 0,
                    summary: summary(repo, *n),
                });
                Ok(Answer::Inbox(Box::new(Inbox {
                    ready: ready.collect(),
                    ..Inbox::default()
                })))
            }
            Ask::Rows(request) => {
                let kept = request
                    .keep
                    .and_then(|keep| issues.iter().position(|n| uid(repo, *n) == keep));
                let is_inside = |place: &usize| {
                    (request.offset..request.offset + request.count).contains(place)
                };
                let offset = match kept {
                    Some(place) if !is_inside(&place) => place.saturating_sub(request.count / 2),
                    _ => request.offset,
                };
                let window = issues.iter().skip(offset).take(request.count);
                let heads = window.map(|n| head(repo, *n));
                Ok(Answer::Rows(Box::new(Rows {
                    heads: heads.collect(),
                    offset,
                    total: issues.len(),
                    kept,
                    sort: None,
                    group: None,
                    all: issues.len() as u64,
                    hidden: 0,
                    warnings: Vec::new(),
                    seen: String::new(),
                })))
            }
            Ask::Board(request) => Ok(Answer::Board(board(repo, issues, request))),
            Ask::Issue(wanted) => found(wanted).map_or(Err(fault), |n| {
                Ok(Answer::Issue(Box::new(IssueScene {
                    issue: Detail {
                        summary: summary(repo, *n),
                        ..Detail::default()
                    },
                    lease: None,
                    texts: Vec::new(),
                    memory: Vec::new(),
                    operations: Vec::new(),
                    around: BTreeMap::new(),
                    names: BTreeMap::new(),
                    head: None,
                    cannot: BTreeMap::new(),
                    seen: String::new(),
                })))
            }),
            Ask::Change(_) | Ask::Act(_) | Ask::Write(_) => Err(fault),
            Ask::Links(_) => Ok(Answer::Links(Links::default())),
            Ask::OwnKeys => Ok(Answer::OwnKeys(OwnKeys::default())),
            Ask::Drafts => Ok(Answer::Drafts(Vec::new())),
            Ask::Keep(_) => Ok(Answer::Kept),
            Ask::Sync => Ok(Answer::Synced("origin: 1 sent, 0 received".to_owned())),
            Ask::Words => Ok(Answer::Words(Words::default())),
            Ask::Ids(words) => {
                let ids = issues.iter().map(|n| (summary(repo, *n).id, uid(repo, *n)));
                Ok(Answer::Ids(
                    ids.filter(|(id, _)| words.contains(id)).collect(),
                ))
            }
            Ask::Find(_) => Ok(Answer::Found(
                issues
                    .iter()
                    .take(3)
                    .map(|n| NamedIssue {
                        id: summary(repo, *n).id,
                        uid: uid(repo, *n),
                        title: summary(repo, *n).title,
                    })
                    .collect(),
            )),
            Ask::Saved => Ok(Answer::Saved(vec![SavedQuery {
                name: "one".to_owned(),
                query: "is:open".to_owned(),
            }])),
        }
    }

    /// Prints what is to be run: a line for each issue, and one below it.
    fn print(&mut self) {
        let Some(run) = self.state.run().cloned() else {
            return;
        };
        let ids: Vec<String> = self.issues[run.repo]
            .iter()
            .map(|n| summary(run.repo, *n).id)
            .collect();
        let lines = ids
            .iter()
            .flat_map(|id| [format!("{id} and {id}"), String::new()]);
        self.state.take_output(Ran {
            number: run.number,
            lines: lines.collect(),
            words: ids,
        });
    }

    fn answer_first(&mut self) {
        self.print();
        self.asked.extend(self.state.take_asks());
        if let Some((repo, ask)) = self.asked.pop_front() {
            let found = self.answer(repo, &ask);
            let news = News::Answer(Box::new(NewsAnswer {
                ask,
                common: Some(PathBuf::from(format!("/{repo}"))),
                watch: RepoWatch::default(),
                found,
            }));
            self.state.hear(repo, news);
        }
    }

    /// Answers until nothing is asked any more.
    fn settle(&mut self) {
        for _ in 0..200 {
            self.answer_first();
            self.asked.extend(self.state.take_asks());
            if self.asked.is_empty() && self.state.run().is_none() {
                return;
            }
        }
        panic!("it asks without an end: {:?}", self.asked);
    }

    fn happens(&mut self, what: Happens) {
        match what {
            Happens::Key(key) => self.state.input(Input::Key(key.to_owned())),
            Happens::Mouse(does, x, y) => self.state.input(Input::Mouse(Mouse { does, x, y })),
            Happens::Paste(text) => self.state.input(Input::Paste(text)),
            Happens::Answer => self.answer_first(),
            Happens::Adds(repo, n) => {
                let issues = &mut self.issues[repo];
                if let Err(place) = issues.binary_search(&n) {
                    issues.insert(place, n);
                    self.state.hear(repo, News::Moved);
                }
            }
            Happens::Removes(repo, n) => {
                if n < self.issues[repo].len() {
                    self.issues[repo].remove(n);
                    self.state.hear(repo, News::Moved);
                }
            }
            Happens::Resize(width, height) => self.state.resize((width, height)),
            Happens::Later(millis) => {
                self.up += millis;
                self.state.tick(self.up, self.up);
            }
        }
    }

    /// Returns the row that the picture shows as selected: what is turned round, else what has the mark.
    fn drawn(&mut self) -> Option<String> {
        let turned = self.turned();
        let cells = self.picture();
        let text_at = |at: ratatui::layout::Rect| {
            let row = (at.x..at.right()).map(|x| cells[(x, at.y)].symbol());
            row.collect::<String>()
        };
        let rows = self.state.areas.iter();
        let rows = rows.filter(|area| matches!(area.hit, Hit::Row(_)));
        let mut texts = rows.map(|area| text_at(area.at));
        turned.or_else(|| texts.find(|text| text.starts_with('>')))
    }

    /// Returns all lines of the picture.
    fn text_of_picture(&mut self) -> String {
        let cells = self.picture();
        let rows = cells.content.chunks(cells.area.width.into());
        let text = |row: &[ratatui::buffer::Cell]| {
            let symbols: String = row.iter().map(ratatui::buffer::Cell::symbol).collect();
            format!("{}\n", symbols.trim_end())
        };
        rows.map(text).collect()
    }

    fn picture(&mut self) -> ratatui::buffer::Buffer {
        let look = Look {
            is_coloured: true,
            is_utf8: true,
        };
        let drawn = draw(&self.state, look, &mut LaidOut::default());
        self.state.panel.top = drawn.panel_top;
        self.state.areas = drawn.areas;
        drawn.frame.cells
    }

    /// Returns what is turned round in the first such line of the picture.
    fn turned(&mut self) -> Option<String> {
        let cells = self.picture();
        let width = usize::from(cells.area.width);
        let rows = cells.content.chunks(width);
        let is_turned = |cell: &&ratatui::buffer::Cell| {
            let turned = ratatui::style::Modifier::REVERSED;
            cell.modifier.contains(turned)
        };
        let mut texts = rows.map(|row| {
            let turned = row.iter().filter(is_turned);
            turned
                .map(ratatui::buffer::Cell::symbol)
                .collect::<String>()
        });
        texts.find(|text| !text.is_empty())
    }
}

#[test]
fn a_list_on_a_high_terminal_comes_to_rest() {
    let mut town = Town::new(false, [0, 2_000, 0]);
    town.state.resize((80, 400));
    for key in [
        "3", "ctrl-d", "ctrl-d", "ctrl-d", "G", "ctrl-u", "ctrl-u", "ctrl-u",
    ] {
        town.state.input(Input::Key(key.to_owned()));
        // It asks for its rows once more and not again and again.
        town.settle();
        assert!(town.drawn().is_some(), "{key}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_selected_is_what_is_drawn(
        all: bool,
        sizes in [0..6u32, 0..400, 0..6],
        all_that in proptest::collection::vec(happens(), 0..60),
    ) {
        let mut town = Town::new(all, sizes);
        for what in all_that {
            town.happens(what);
            let selected = town.state.selected();
            let drawn = town.drawn();
            // What lies over the rows may lie over the one that is selected.
            let is_long = town.state.message.len() + 2 > town.state.size.0.into();
            let has_prompt = town.state.prompt.is_some() || is_long;
            if town.state.overlay.is_some() || has_prompt || town.state.size.0 < 40 {
                continue;
            }
            if let (Some(row), Some(selected)) = (&drawn, &selected) {
                let of = |n: &u32| uid(selected.repo, *n) == selected.uid;
                // One that was removed a moment ago is still drawn as it was.
                let n = (0..400).find(of).unwrap();
                let tail = format!("x{n}x{}", selected.repo);
                prop_assert!(row.contains(&tail), "{tail} is selected, and this is drawn: {row}");
            }
            let is_tiny = town.state.parts().is_tiny;
            let has_row = town.state.selected_in_rows() == selected;
            let is_over_rows = is_tiny || !town.state.has_two_panes();
            let has_panel = town.state.panel.is_open && (is_over_rows || !has_row);
            let is_covered = has_panel || is_tiny && town.state.prompt.is_some();
            prop_assert!(selected.is_none() || drawn.is_some() || is_covered);
        }
        town.settle();
        // Esc leads back from everything.
        for _ in 0..8 {
            town.state.input(Input::Key("esc".to_owned()));
        }
        town.settle();
        prop_assert!(town.state.overlay.is_none() && town.state.prompt.is_none());
        prop_assert!(town.state.screen == ScreenName::Inbox && !town.state.panel.is_open);
        town.state.input(Input::Key("q".to_owned()));
        prop_assert!(town.state.is_over);
    }

    #[test]
    fn what_is_selected_stays_whatever_comes_and_goes_around_it(
        to in 0..300usize,
        all_that in proptest::collection::vec(happens(), 0..40),
    ) {
        let mut town = Town::new(false, [0, 300, 0]);
        town.happens(Happens::Key("3"));
        town.settle();
        for _ in 0..to {
            town.happens(Happens::Key("j"));
            town.settle();
        }
        let selected = town.state.selected().unwrap();
        let mine = u32::try_from(to).unwrap();
        for what in all_that {
            match what {
                Happens::Adds(_, n) if n != mine => town.happens(Happens::Adds(1, n)),
                Happens::Removes(_, n) if town.issues[1].get(n) != Some(&mine) => {
                    town.happens(Happens::Removes(1, n));
                }
                Happens::Answer => town.happens(Happens::Answer),
                _ => continue,
            }
            prop_assert_eq!(town.state.selected(), Some(selected.clone()));
        }
        town.settle();
        prop_assert_eq!(town.state.selected(), Some(selected));
        let tail = format!("x{mine}x1");
        prop_assert!(town.drawn().unwrap().contains(&tail));
    }
}

#[test]
fn a_repository_that_says_nothing_is_a_row_until_it_does() {
    let mut town = Town::new(true, [1, 1, 1]);
    town.happens(Happens::Later(2_500));
    assert_eq!(
        town.state
            .repos
            .iter()
            .filter(|repo| repo.fault().is_some())
            .count(),
        3
    );
    town.settle();
    assert!(town.state.repos.iter().all(|repo| repo.fault().is_none()));
    assert_eq!(town.state.next_wake(), None, "nothing is waited for");
}

#[test]
fn the_first_frame_waits_for_all_or_a_tenth_of_a_second() {
    let mut town = Town::new(true, [1, 1, 1]);
    town.answer_first();
    assert!(!town.state.is_drawable());
    assert_eq!(town.state.next_wake(), Some(100));
    town.happens(Happens::Later(100));
    assert!(town.state.is_drawable());
}

#[test]
fn two_work_trees_of_one_repository_are_shown_once() {
    let mut town = Town::new(true, [1, 1, 1]);
    for repo in 0..3 {
        let news = News::Answer(Box::new(NewsAnswer {
            ask: Ask::Inbox,
            common: Some(PathBuf::from("/same")),
            watch: RepoWatch::default(),
            found: town.answer(repo, &Ask::Inbox),
        }));
        town.state.hear(repo, news);
    }
    assert_eq!(town.state.shown_repos().count(), 1);
}

#[test]
fn a_repository_that_hangs_holds_up_no_issue_of_another() {
    let mut town = Town::new(true, [1, 1, 1]);
    town.settle();
    town.happens(Happens::Resize(120, 40));
    let first = town.state.selected().unwrap();
    // What is asked of the first one is never answered.
    town.asked.extend(town.state.take_asks());
    town.asked.clear();
    town.happens(Happens::Key("j"));
    let next = town.state.selected().unwrap();
    assert_ne!(first.repo, next.repo);
    town.settle();
    assert!(town.state.panel_shown().is_some());
    town.happens(Happens::Later(2_500));
    let silent = |town: &Town| town.state.repos[first.repo].fault().is_some();
    assert!(silent(&town) && town.state.repos[next.repo].fault().is_none());
}

#[test]
fn a_fault_of_a_query_that_was_left_takes_no_rows_away() {
    let mut town = Town::new(false, [0, 3, 0]);
    town.settle();
    let left = RowsRequest {
        query: "label:left".to_owned(),
        ..RowsRequest::default()
    };
    town.happens(Happens::Key("3"));
    town.settle();
    assert_eq!(town.state.list_total(), 3);
    let news = News::Answer(Box::new(NewsAnswer {
        ask: Ask::Rows(left),
        common: None,
        watch: RepoWatch::default(),
        found: Err(Box::new(Fault {
            text: "not of this one".to_owned(),
            row: row(1),
            has_no_store: false,
            is_gone: false,
        })),
    }));
    town.state.hear(1, news);
    assert_eq!((town.state.list_total(), &*town.state.message), (3, ""));
}

/// Answers the act that was asked for as one that was done, of these issues.
fn do_act(town: &mut Town, heads: Vec<Head>) {
    town.asked.extend(town.state.take_asks());
    let is_act = |(_, ask): &(usize, Ask)| matches!(ask, Ask::Act(_));
    let at = town.asked.iter().position(is_act).unwrap();
    let (repo, ask) = town.asked.remove(at).unwrap();
    let acted = Acted {
        commit: Some("1a2b3c".to_owned()),
        said: "done".to_owned(),
        remarks: Vec::new(),
        heads,
        next: None,
    };
    let news = News::Answer(Box::new(NewsAnswer {
        ask,
        common: None,
        watch: RepoWatch::default(),
        found: Ok(Answer::Act(Box::new(acted))),
    }));
    town.state.hear(repo, news);
}

/// Returns the acts that were asked for, and answers nothing.
fn acts(town: &mut Town) -> Vec<serde_json::Value> {
    town.asked.extend(town.state.take_asks());
    let mut acts = Vec::new();
    for (_, ask) in &town.asked {
        if let Ask::Act(asked) = ask {
            acts.push(asked.act.clone());
        }
    }
    acts
}

#[test]
fn an_open_issue_stays_whatever_becomes_of_its_row() {
    let mut town = Town::new(false, [0, 3, 0]);
    town.settle();
    town.happens(Happens::Key("3"));
    town.settle();
    town.happens(Happens::Key("enter"));
    town.settle();
    let read = town.state.selected().unwrap();
    town.happens(Happens::Removes(1, 0));
    town.settle();
    assert_eq!(town.state.selected(), Some(read.clone()));
    town.happens(Happens::Key("esc"));
    assert_ne!(town.state.selected(), Some(read));
}

#[test]
fn a_row_that_came_by_itself_takes_no_act_for_a_moment() {
    let mut town = Town::new(false, [0, 3, 0]);
    town.settle();
    town.happens(Happens::Key("3"));
    town.settle();
    town.happens(Happens::Key("j"));
    town.settle();
    town.happens(Happens::Removes(1, 1));
    town.settle();
    town.happens(Happens::Key("Y"));
    assert_eq!(acts(&mut town), Vec::<serde_json::Value>::new());
    assert!(
        town.state.message.contains("has just taken the place"),
        "{}",
        town.state.message
    );
    town.happens(Happens::Later(600));
    town.happens(Happens::Key("p"));
    assert!(town.state.prompt.is_some());
}

#[test]
fn the_rest_of_a_sentence_behind_a_key_that_was_refused_is_no_keys() {
    let mut town = Town::new(false, [0, 3, 0]);
    town.settle();
    for key in ["A", "s", "s", "x"] {
        town.happens(Happens::Key(key));
    }
    assert!(town.state.prompt.is_none() && acts(&mut town).is_empty());
    town.happens(Happens::Later(400));
    town.happens(Happens::Key("s"));
    assert!(town.state.prompt.is_some());
}

#[test]
fn it_is_not_left_while_something_is_saved_unless_that_is_asked_for_twice() {
    let mut town = Town::new(false, [0, 3, 0]);
    town.settle();
    town.happens(Happens::Key("Y"));
    assert_eq!(acts(&mut town).len(), 1);
    town.happens(Happens::Key("q"));
    assert!(!town.state.is_over && town.state.message.contains("saving"));
    town.happens(Happens::Key("q"));
    assert!(town.state.is_over);
}
