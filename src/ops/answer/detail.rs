//! An issue with everything in it.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::claim::ClaimView;
use super::conflict::{Conflict, conflicts};
use super::summary::{Link, Reference, Summary};
use crate::index::{CommitLink, Row};
use crate::model::edge::PARENT_CHILD;
use crate::model::{Evidence, Field, Issue, Party, Status, time};
use crate::ops::{Error, Result, View};

/// Commits on the page of an issue.
pub(in crate::ops) const SHOWN_COMMITS: usize = 20;

/// The long texts of an issue; what is empty is none.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Texts {
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How it is to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub design: Option<String>,
    /// When it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceptance: Option<String>,
    /// Anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

impl Texts {
    /// Reads each text by its name with `text`.
    pub(crate) fn read(mut text: impl FnMut(&'static str) -> String) -> Self {
        let mut filled = |name| Some(text(name)).filter(|text| !text.is_empty());
        Self {
            description: filled("description"),
            design: filled("design"),
            acceptance: filled("acceptance"),
            notes: filled("notes"),
        }
    }

    /// Each by its name.
    pub(crate) fn named(&self) -> [(&'static str, Option<&str>); 4] {
        let Self {
            description,
            design,
            acceptance,
            notes,
        } = self;
        [
            ("description", description),
            ("design", design),
            ("acceptance", acceptance),
            ("notes", notes),
        ]
        .map(|(name, text)| (name, text.as_deref()))
    }
}

/// The fields of an issue that no list has; what is empty is none.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct FieldTexts {
    /// The long texts.
    #[serde(flatten)]
    pub texts: Texts,
    /// ID or URL in another tracker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_ref: Option<String>,
    /// Due date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    /// Hide until this date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defer: Option<String>,
}

impl FieldTexts {
    /// The fields of an issue.
    pub(crate) fn of(issue: &Issue) -> Self {
        let mut fields = Self::default();
        for field in Field::ALL {
            let text = issue.text(field.key());
            if !text.is_empty() {
                fields.set(field, text);
            }
        }
        fields
    }

    fn set(&mut self, field: Field, text: &str) {
        let member = match field {
            Field::Description => &mut self.texts.description,
            Field::Design => &mut self.texts.design,
            Field::Acceptance => &mut self.texts.acceptance,
            Field::Notes => &mut self.texts.notes,
            Field::ExternalRef => &mut self.external_ref,
            Field::Due => &mut self.due,
            Field::Defer => &mut self.defer,
            // The summary has them, as the index says them.
            Field::Title
            | Field::Type
            | Field::Priority
            | Field::Assignee
            | Field::Labels
            | Field::Parent
            | Field::Status => return,
        };
        *member = Some(text.to_owned());
    }
}

/// An issue with everything in it.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Detail {
    /// What a list says of it.
    #[serde(flatten)]
    pub summary: Summary,
    /// What people wrote of it.
    #[serde(flatten)]
    pub fields: FieldTexts,
    /// Why it is in its status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Those who closed it at the same time, for reasons of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_closes: Vec<OtherClose>,
    /// Evidence that it is done.
    #[serde(skip_serializing_if = "Evidence::is_empty")]
    pub(crate) evidence: Evidence,
    /// Who created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// When it was closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<String>,
    /// The agent that closed it, as `person/agent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_by_agent: Option<String>,
    /// The person who has accepted that it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<AcceptedView>,
    /// Its identity, which no rename changes.
    pub uid: String,
    /// What it depends on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<Link>,
    /// What depends on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependents: Vec<Link>,
    /// Values that were written at the same time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
    /// Commits on the default branch that name it, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<Landed>,
    /// How many older ones there are.
    #[serde(skip_serializing_if = "is_none")]
    pub more_commits: u64,
}

/// An acceptance that an issue is done.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Accepted")]
pub struct AcceptedView {
    /// Who.
    pub by: String,
    /// When.
    pub at: String,
    /// The commit that was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// The reason of one who closed an issue at the same time as the one that is shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OtherClose {
    /// Who.
    pub by: String,
    /// When.
    pub at: String,
    /// The reason.
    pub reason: String,
}

/// A commit on the default branch that names an issue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Landed {
    /// The commit.
    pub commit: String,
    /// When it was made.
    pub at: String,
    /// Whether it closes the issue.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub closes: bool,
    /// Its first line.
    pub subject: String,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_none(n: &u64) -> bool {
    *n == 0
}

impl Detail {
    /// All there is to say of an issue.
    pub(crate) fn new(view: &View<'_>, issue: &Issue) -> Result<Self> {
        let row = view
            .index
            .row(issue.uid())?
            .ok_or_else(|| Error::no_issue(issue.uid()))?;
        // The row knows how many there are: for most issues nothing is asked.
        let children = if row.children > 0 {
            view.index.children(row.uid)?
        } else {
            Vec::new()
        };
        let now = view.now();
        let ready = children
            .iter()
            .filter(|child| child.ready && child.defer.is_none_or(|until| until <= now));
        // The fields have the due date, of a closed issue as well; who created it is a member of its own.
        let mut summary = Summary {
            due: None,
            created_by: None,
            ..Summary::listed(row.clone())
        };
        summary.ready_children = ready.map(Reference::from).collect();
        ClaimView::add(view.tracker, std::iter::once(&mut summary));
        summary.children = children.into_iter().map(Summary::core).collect();
        let (reason, reopened) = reason(&row, issue);
        let dependencies = view
            .index
            .edges()
            .dependencies(row.num)?
            .into_iter()
            // The parent that is a register has a member of its own; further parents are links.
            .filter(|link| link.kind != PARENT_CHILD || Some(&link.id) != row.parent.as_ref());
        let dependents = view
            .index
            .edges()
            .dependents(row.uid, &row.id)?
            .into_iter()
            .filter(|link| link.kind != PARENT_CHILD);
        let (commits, more_commits) = commits(view, issue)?;
        Ok(Self {
            fields: FieldTexts::of(issue),
            reason,
            other_closes: other_closes(issue),
            evidence: shown_evidence(issue, reopened),
            created_by: Some(issue.created_by().to_owned()).filter(|by| !by.is_empty()),
            closed_at: issue.closed().filter(|_| !reopened).map(time::format),
            closed_by_agent: closing_agent(issue),
            accepted: issue.acceptance().map(|it| AcceptedView {
                by: it.by,
                at: time::format(it.at),
                commit: it.commit,
            }),
            uid: issue.uid().to_string(),
            dependencies: dependencies.map(Link::from).collect(),
            dependents: dependents.map(Link::from).collect(),
            conflicts: conflicts(view, issue)?,
            commits,
            more_commits,
            summary,
        })
    }
}

/// Returns why an issue is in its status, and true for an epic that was closed with its last child and has an open
/// one again: that is open, even if its status is closed.
pub(crate) fn reason(row: &Row, issue: &Issue) -> (Option<String>, bool) {
    // The index says what follows from other issues: a roll-up with an open child is open, though its
    // register still says closed.
    let reopened = row.status == Status::Open && issue.status() == Status::Closed;
    let reason = match (issue.is_deleted(), reopened) {
        (true, _) => issue.blob().value("deleted")["reason"]
            .as_str()
            .map(str::to_owned),
        (false, true) => None,
        (false, false) => issue.state().reason,
    };
    (reason, reopened)
}

fn other_closes(issue: &Issue) -> Vec<OtherClose> {
    let state = issue.state();
    let mut found = Vec::new();
    for (_, at, record) in issue.other_closes() {
        let reason = record["v"]["reason"].as_str().unwrap_or_default();
        if reason.is_empty() || state.reason.as_deref() == Some(reason) {
            continue;
        }
        found.push(OtherClose {
            by: record
                .get("by")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            at: time::format(at.millis()),
            reason: reason.to_owned(),
        });
    }
    found
}

/// Returns the agent that closed an issue, as `person/agent`.
pub(in crate::ops) fn closing_agent(issue: &Issue) -> Option<String> {
    let agent = issue.state().agent.filter(|_| !issue.is_deleted());
    let party = Party {
        person: issue.closed_by()?.to_owned(),
        agent: Some(agent?),
    };
    Some(party.to_string())
}

/// Returns the evidence that an issue is done, as long as it is.
fn shown_evidence(issue: &Issue, reopened: bool) -> Evidence {
    if reopened {
        Evidence::default()
    } else {
        issue.state().evidence
    }
}

/// Returns the newest commits that name an issue, as far as the index has followed them, and how many more there are.
fn commits(view: &View<'_>, issue: &Issue) -> Result<(Vec<Landed>, u64)> {
    let names = view.index.ids().names_of(issue)?;
    let (commits, more) =
        view.index
            .commit_links()
            .commits_of(&names, view.horizon(), SHOWN_COMMITS)?;
    Ok((commits.into_iter().map(Landed::from).collect(), more))
}

impl From<CommitLink> for Landed {
    fn from(commit: CommitLink) -> Self {
        let CommitLink {
            commit,
            at,
            closes,
            subject,
        } = commit;
        Self {
            commit,
            at: time::format(at),
            closes,
            subject,
        }
    }
}
