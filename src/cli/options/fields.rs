//! The fields of an issue.

use clap::Args;

use crate::ops::verbs::create;

#[derive(Debug, Args)]
pub(in crate::cli) struct TextOptions {
    /// WHAT: scope and outcome
    #[arg(short, long, allow_hyphen_values = true)]
    pub(in crate::cli) description: Option<String>,
    /// HOW: approach, steps, risks
    #[arg(short = 'D', long, allow_hyphen_values = true)]
    pub(in crate::cli) design: Option<String>,
    /// DONE: verifiable criteria
    #[arg(short = 'A', long, allow_hyphen_values = true)]
    pub(in crate::cli) acceptance: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct FieldOptions {
    /// task, bug, feature, epic, chore, ...
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// 0 (most urgent) to 4, or P0 to P4
    #[arg(short, long)]
    priority: Option<String>,
    /// Who works on it (`me`)
    #[arg(short, long, value_name = "NAME")]
    assignee: Option<String>,
    /// A label; may be repeated, or separated by commas
    #[arg(short, long = "label", value_name = "LABEL")]
    labels: Vec<String>,
    /// The issue it is a part of
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
    /// What it waits for
    #[arg(long, value_name = "ID", num_args = 1..)]
    on: Vec<String>,
    /// Type of those dependencies [default: blocks]
    #[arg(long, value_name = "TYPE")]
    dep_type: Option<String>,
}

impl FieldOptions {
    /// Returns the request to create an issue with these fields.
    pub(in crate::cli) fn request(self, title: String) -> create::Create {
        let fields = create::Fields {
            title,
            kind: self.kind,
            priority: self.priority,
            assignee: self.assignee,
            labels: self.labels,
            ..create::Fields::default()
        };
        create::Create {
            fields,
            parent: self.parent,
            on: self.on,
            dep_type: self.dep_type,
            ..create::Create::default()
        }
    }
}
