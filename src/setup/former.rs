//! Files that earlier versions wrote and this one does not: workflows of hosts, and the snapshot file. They are only taken out.

use super::agents::{Config, Content};
use super::target_file::WorkTree;
use super::{Action, Change, Setup, SetupFile, SetupRequest, SetupState, check_cloud, run};
use crate::ops::{Command, Error, Hint, Result};
use crate::store::Store;
use crate::store::door::older::{PATH, remove_file};
use crate::store::user_file::sha1_of_blob;

/// The name of the snapshot file among the things that could be set up.
const SNAPSHOT: &str = "snapshot";

/// Workflows, by the name under which they could be set up, with the SHA-1 of each text of theirs as a blob of git.
static WORKFLOWS: [(&str, Config); 4] = [
    (
        "ci github",
        workflow(
            &[".github/workflows/git-beads.yml"],
            &[
                "b921e215d17c9519a87ad830956e0a9e68d144b8",
                "40879c72ee54c10ebf9b73d19c097305f7981d57",
                "dd2e0800428c02e2285e8332db0fa72e9e0e2da5",
                "b7a47a57cbb95fb251834c73ffafd2dd4d8fd573",
            ],
        ),
    ),
    (
        "ci gitlab",
        workflow(
            &[".gitlab/git-beads.yml"],
            &[
                "e4f35782b2842b8cb033e3a662a262a5133d72a9",
                "9a70b4757ef6d5dd63232f8adee0530a5abffde8",
                "09fd44ae9975fa849d97afd508cb6d0559d5ff0e",
                "b4b96f949ebba5e0c262fabec1a7336f15660fdb",
            ],
        ),
    ),
    (
        "ci forgejo",
        workflow(
            &[".forgejo/workflows/git-beads.yml"],
            &[
                "f1290f72599e8cefff33a0bcd047d00835fdfa56",
                "af0c087a942523a1dd1aa8b027c7c1ddaa39d575",
                "01a4f7f7443f587e0b75675054605d21a65f214e",
                "b2b005acf0bde6ae55ef44256267c19fb79cbd59",
            ],
        ),
    ),
    (
        "copilot",
        workflow(
            &[".github/workflows/copilot-setup-steps.yml"],
            &["a0b3cec75077753399574b5b2b669920bddb3314"],
        ),
    ),
];

const fn workflow(paths: &'static [&'static str], texts: &'static [&'static str]) -> Config {
    Config {
        paths,
        content: Content::Former(texts),
    }
}

/// Returns the state of a file that earlier versions wrote as one of these texts.
pub(super) fn state(texts: &[&str], text: &str) -> SetupState {
    let id = sha1_of_blob(text.replace("\r\n", "\n").as_bytes());
    if id.is_some_and(|id| texts.contains(&id.as_str())) {
        SetupState::Current
    } else if text.contains("git-beads") {
        SetupState::Changed
    } else {
        // It does something else.
        SetupState::Missing
    }
}

/// Returns the files that earlier versions wrote under a name; of all names without one.
pub(super) fn files(name: Option<&str>) -> impl Iterator<Item = &'static Config> {
    let is_of = move |known: &str| name.is_none_or(|name| name == known);
    let found = WORKFLOWS.iter().filter(move |(known, _)| is_of(known));
    found.map(|(_, config)| config)
}

/// Takes out what earlier versions wrote under a name; none where that names something else.
/// Errors: anything else is asked for, with what there is in its place.
pub(super) fn setup_former(
    store: &Store,
    tree: &WorkTree,
    name: &str,
    request: &SetupRequest,
) -> Option<Result<Setup>> {
    let is_job = name.starts_with("ci ") && files(Some(name)).next().is_some();
    if name != SNAPSHOT && !is_job {
        return None;
    }
    if let Err(error) = check_cloud(name, request.cloud) {
        return Some(Err(error));
    }
    if request.action != Action::Remove {
        return Some(Err(if is_job { no_job() } else { no_snapshot() }));
    }
    let removed = match is_job {
        true => without_job(store, tree, name),
        false => without_snapshot(store).map(|file| vec![file]),
    };
    Some(removed.map(|files| Setup {
        agent: name.to_owned(),
        in_place: false,
        files,
        hints: Vec::new(),
    }))
}

fn without_job(store: &Store, tree: &WorkTree, name: &str) -> Result<Vec<SetupFile>> {
    store.while_locked(|| run(&tree.removals_of(files(Some(name)))?))?
}

fn no_job() -> Error {
    let collect = Command::of("collect").flag("--head");
    Error::invalid("workflows of hosts are not written any more")
        .hinted(Hint::text(
            "docs/cloud.md of git-beads has their texts, to copy",
        ))
        .also(collect.then(" is what they run"))
}

fn no_snapshot() -> Error {
    let from = Command::of("init").flag("--from").word("URL");
    let full = Command::of("carry").flag("--full");
    Error::invalid("snapshot files are not written any more")
        .hinted(from.then(" begins a clone that has an address"))
        .also(full.then(" prints a file from which init --from begins one"))
}

fn without_snapshot(store: &Store) -> Result<SetupFile> {
    Ok(SetupFile {
        path: PATH.to_owned(),
        state: SetupState::Missing,
        change: match remove_file(store)? {
            true => Change::Delete,
            false => Change::None,
        },
        reason: None,
        text: None,
    })
}
