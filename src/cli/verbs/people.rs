//! `people`: who works here, with counts.

use clap::Args;

use crate::cli::text::count;
use crate::cli::text::diff::show_cut;
use crate::cli::text::table::table;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::people::{PeopleList, Person, PersonAgent, people};
use crate::text::line::line;
use crate::text::style::DIM;

/// Agents of a person that are shown, those that acted last.
const MOST_AGENTS: usize = 3;

/// Their open and total issues are those that they created or are assigned to; those with the most come first.
#[derive(Debug, Args)]
pub(super) struct PeopleArgs {
    /// All agents of each person, not only the latest
    #[arg(long)]
    all: bool,
}

impl Verb for PeopleArgs {
    const NAME: &'static str = "people";
    const ABOUT: &'static str = "List people and their agents, with issues and changes";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"People, with the latest agents of each; all agents:

$ git beads people
$ git beads people --all
";
    type Answer = PeopleList;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = people(cli.tracker()?)?;
        cli.page();
        let most = self.most_agents();
        cli.answer(answer, names, |ui, list| text(ui, list, most));
        Ok(Exit::OK)
    }
}

impl PeopleArgs {
    fn most_agents(&self) -> usize {
        // Each session of a client is an agent: in a busy store there are hundreds.
        match self.all {
            true => usize::MAX,
            false => MOST_AGENTS,
        }
    }
}

fn names(list: &PeopleList) -> Vec<String> {
    list.people
        .iter()
        .map(|person| person.name.clone())
        .collect()
}

fn text(ui: &mut Ui, list: &PeopleList, most: usize) {
    let head = ["person", "open", "total", "changes"];
    table(ui, head, list.people.iter().flat_map(|it| rows(it, most)));
    let more = |person: &Person| person.agents.len().saturating_sub(most);
    let more = list.people.iter().map(more).sum();
    if more > 0 {
        let more = count(more, "more agent", "more agents");
        let text = ui.paint(DIM, format!("({more}: --all)"));
        ui.line(&line![text]);
    }
    show_cut(ui, &list.cut);
}

/// Returns the row of a person, and those of the agents below.
fn rows(person: &Person, most: usize) -> Vec<[String; 4]> {
    let numbers = [person.open, person.total, person.changes].map(|n| n.to_string());
    let [open, total, changes] = numbers;
    let own = [person.name.clone(), open, total, changes];
    let agents = person.agents.iter().take(most).map(agent_row);
    std::iter::once(own).chain(agents).collect()
}

fn agent_row(agent: &PersonAgent) -> [String; 4] {
    // Issues are assigned to people: an agent has none of its own.
    let [open, total] = ["-", "-"].map(str::to_owned);
    [
        format!("  {}", agent.name),
        open,
        total,
        agent.changes.to_string(),
    ]
}
