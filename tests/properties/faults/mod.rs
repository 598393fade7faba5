//! What the store survives: faults are injected while a fleet of writers works, and an oracle of all that was
//! answered says what had to be there afterwards.
//!
//! A plain run, which sets none of the variables, is the short part of each: of a sweep one point in sixteen, of a list a
//! few cases. `GIT_BEADS_SAMPLE=8` tries one point in eight, and all cases of what is no sweep. `GIT_BEADS_SOAK=1` runs the
//! long part; with `UPDATE_DOCS=1` each test writes its row of the table in `docs/reliability.md`. Every test prints its
//! seed, and the command that repeats it.

mod clock;
mod copies;
mod crowd;
mod edits;
mod fleet;
mod gc;
mod kill;
mod others;
mod power;
mod race;
mod stops;

use std::path::Path;
use std::sync::Mutex;

use crate::support::number;

/// Whether the long part runs.
pub fn soaking() -> bool {
    std::env::var_os("GIT_BEADS_SOAK").is_some()
}

/// The seed of a test, and how to repeat it.
pub fn seed(test: &str) -> u64 {
    let seed = number("GIT_BEADS_CASES_SEED").unwrap_or(0x5eed);
    let soak = if soaking() { "GIT_BEADS_SOAK=1 " } else { "" };
    eprintln!("seed {seed}: {soak}GIT_BEADS_CASES_SEED={seed} cargo test --locked -- {test}");
    seed
}

/// Returns true for a run that asks for no sample, as `cargo test` of the README: it has all laws, each with few cases.
pub fn is_plain() -> bool {
    number("GIT_BEADS_SAMPLE").is_none() && !soaking()
}

/// Returns the first of two sizes in a plain run.
pub fn plain_or<T>(plain: T, otherwise: T) -> T {
    if is_plain() { plain } else { otherwise }
}

/// Returns of how many points of a sweep one is tried.
pub fn sample() -> usize {
    if soaking() {
        return 1;
    }
    let wanted = number("GIT_BEADS_SAMPLE").unwrap_or(16);
    usize::try_from(wanted.max(1)).unwrap()
}

/// Returns true for the points of a sweep that are in the sample, which moves with the seed.
pub fn sampled(point: usize) -> bool {
    is_one_in(point, sample())
}

/// Returns true for the cases of a list that are in the sample: of a few dozens one in eight in a plain run, and no less
/// than one in four in any other.
pub fn is_in_part(case: usize) -> bool {
    is_one_in(case, sample().min(plain_or(8, 4)))
}

/// Returns true for the cases of a list that are tried: one in so many in a plain run, all of them in any other.
pub fn is_tried(case: usize, share: usize) -> bool {
    is_one_in(case, plain_or(share, 1))
}

fn is_one_in(case: usize, share: usize) -> bool {
    let first = number("GIT_BEADS_CASES_SEED").unwrap_or(0);
    let case = (case as u64).wrapping_add(first);
    case.is_multiple_of(share as u64)
}

/// A sequence of numbers that a seed fixes.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }
}

/// Says what a test has measured, and writes it into its row of the document where that is asked for.
pub fn report(row: &str, figures: &str) {
    static DOCUMENT: Mutex<()> = Mutex::new(());
    eprintln!("{row}: {figures}");
    if !soaking() || std::env::var_os("UPDATE_DOCS").is_none() {
        return;
    }
    let _one_at_a_time = DOCUMENT.lock().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reliability.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let head = format!("| {row} |");
    assert!(
        text.contains(&head),
        "docs/reliability.md has no row `{row}`"
    );
    let lines = text.lines().map(|line| match line.strip_prefix(&head) {
        Some(rest) => format!(
            "{head}{} | {figures} |\n",
            rest.split('|').next().unwrap().trim_end()
        ),
        None => format!("{line}\n"),
    });
    std::fs::write(&path, lines.collect::<String>()).unwrap();
}
