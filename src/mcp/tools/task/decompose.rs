//! `task_decompose`: an epic into children, all or none, in one commit.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{missing, owned, required};
use crate::model::Field;
use crate::ops::shared::fields::label_text;
use crate::ops::verbs::split;
use crate::ops::verbs::split::plan::Child;
use crate::ops::verbs::split::{Children, Split};
use crate::ops::{Error, Result, Tracker};

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Decompose {
    #[schemars(required)]
    epic_id: Option<String>,
    #[schemars(required)]
    sub_issues: Option<Vec<SubIssue>>,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct SubIssue {
    #[schemars(required)]
    title: Option<String>,
    #[schemars(required)]
    description: Option<String>,
    #[schemars(required)]
    design: Option<String>,
    #[schemars(required)]
    acceptance: Option<String>,
    r#type: Option<String>,
    priority: Option<String>,
    assignee: Option<String>,
    #[serde(default)]
    labels: Vec<String>,
    /// Indexes of earlier sub-issues (from 0), or ids
    #[serde(default)]
    depends_on: Vec<String>,
    dep_type: Option<String>,
}

impl SubIssue {
    fn check(&self, at: usize) -> Result<()> {
        let texts = [
            ("title", self.title.as_deref()),
            ("description", self.description.as_deref()),
            ("design", self.design.as_deref()),
            ("acceptance", self.acceptance.as_deref()),
        ];
        if let Some(names) = missing(&texts) {
            return Err(Error::invalid(format!(
                "sub_issues[{at}] missing required fields: {names}"
            )));
        }
        for entry in &self.depends_on {
            let index: Option<i64> = entry.trim().parse().ok();
            // A number that is no earlier index is a mistake, and never an id.
            let is_earlier = |index: i64| usize::try_from(index).is_ok_and(|index| index < at);
            if entry.trim().is_empty() || index.is_some_and(|index| !is_earlier(index)) {
                let known = match at.checked_sub(1) {
                    Some(last) => format!("must reference 0 to {last}"),
                    None => "there is no earlier sub-issue".to_owned(),
                };
                return Err(Error::invalid(format!(
                    "Invalid depends_on[{entry}] in sub_issue[{at}]: {known}"
                )));
            }
        }
        Ok(())
    }

    fn child(&self) -> Child {
        let text = |text: &Option<String>| owned(text.as_deref());
        let fields = [
            (Field::Title, text(&self.title)),
            (Field::Type, text(&self.r#type)),
            (Field::Priority, text(&self.priority)),
            (Field::Description, text(&self.description)),
            (Field::Design, text(&self.design)),
            (Field::Acceptance, text(&self.acceptance)),
            (Field::Assignee, text(&self.assignee)),
            (Field::Labels, label_text(&self.labels)),
        ];
        Child {
            fields: fields.into(),
            depends_on: self.depends_on.clone(),
            dep_type: text(&self.dep_type),
        }
    }
}

/// Creates the children of an epic. Everything is checked before anything is written.
pub(crate) fn decompose(tracker: &Tracker, request: &Decompose) -> Result<Children> {
    let epic = required(
        request.epic_id.as_deref(),
        "Missing required fields: epic_id",
    )?
    .to_owned();
    let sub_issues = request.sub_issues.as_deref().unwrap_or_default();
    if sub_issues.is_empty() {
        return Err(Error::invalid("Missing required fields: sub_issues"));
    }
    for (at, child) in sub_issues.iter().enumerate() {
        child.check(at)?;
    }
    let children = sub_issues.iter().map(SubIssue::child).collect();
    split::split(tracker, &Split { epic, children }).map_err(|error| {
        let named = error
            .message
            .strip_prefix("child ")
            .and_then(|rest| rest.split_once(": "));
        let message = named.map(|(at, rest)| format!("sub_issues[{at}]: {rest}"));
        Error {
            message: message.unwrap_or(error.message),
            ..error
        }
    })
}
