//! The fields of an issue as options.
//!
//! Each field has one line here, whichever verb takes it: [`option`] has no arm for the rest, so a new
//! field does not compile before its option has a name and a help.

use std::marker::PhantomData;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::model::{Field, FieldKind, FieldMap};
use crate::ops::verbs::create;

/// The option of a field.
struct FieldOption {
    /// Options of a lower section come first; those of one in the order of [`Field::ALL`].
    section: u8,
    short: Option<char>,
    long: &'static str,
    value_name: &'static str,
    help: &'static str,
}

fn option(field: Field) -> FieldOption {
    let of = |section, short, (long, value_name), help| FieldOption {
        section,
        short,
        long,
        value_name,
        help,
    };
    match field {
        Field::Title => of(0, None, ("title", "TITLE"), "Title"),
        Field::Description => {
            let names = ("description", "DESCRIPTION");
            of(0, Some('d'), names, "WHAT: scope and outcome")
        }
        Field::Design => {
            let names = ("design", "DESIGN");
            of(0, Some('D'), names, "HOW: approach, steps, risks")
        }
        Field::Acceptance => {
            let names = ("acceptance", "ACCEPTANCE");
            of(0, Some('A'), names, "DONE: verifiable criteria")
        }
        Field::Notes => of(0, None, ("notes", "NOTES"), "Anything else"),
        Field::ExternalRef => {
            let names = ("external-ref", "REF");
            of(4, None, names, "ID or URL in another tracker")
        }
        Field::Type => {
            let help = "task, bug, feature, epic, chore, ...";
            of(1, Some('t'), ("type", "TYPE"), help)
        }
        Field::Priority => {
            let help = "0 (most urgent) to 4, or P0 to P4";
            of(1, Some('p'), ("priority", "PRIORITY"), help)
        }
        Field::Assignee => {
            let names = ("assignee", "NAME");
            of(3, Some('a'), names, "Assignee (`me`)")
        }
        Field::Due => of(4, None, ("due", "DATE"), "Due date"),
        Field::Defer => of(4, None, ("defer", "DATE"), "Hide until this date"),
        Field::Labels => {
            let help = "A label; may be repeated, or separated by commas";
            of(3, Some('l'), ("label", "LABEL"), help)
        }
        Field::Parent => of(3, None, ("parent", "ID"), "Parent issue"),
        Field::Status => {
            let help = "open, in_progress, blocked, deferred, closed, pinned, hooked";
            of(2, Some('s'), ("status", "STATUS"), help)
        }
    }
}

impl FieldOption {
    fn arg(self, field: Field) -> Arg {
        let (action, is_text) = match field.kind() {
            FieldKind::Labels => (ArgAction::Append, false),
            FieldKind::Title | FieldKind::LongText | FieldKind::ShortText => (ArgAction::Set, true),
            _ => (ArgAction::Set, false),
        };
        Arg::new(field.key())
            .short(self.short)
            .long(self.long)
            .value_name(self.value_name)
            .help(self.help)
            .action(action)
            .allow_hyphen_values(is_text)
    }
}

/// A verb that takes the fields of an issue as options.
pub(in crate::cli) trait FieldVerb {
    /// Returns the options of a field; none where the verb does not set it.
    fn args(field: Field) -> Vec<Arg>;
}

/// `create`: the title is an argument of its own.
#[derive(Debug)]
pub(in crate::cli) enum CreateFields {}

impl FieldVerb for CreateFields {
    fn args(field: Field) -> Vec<Arg> {
        match field {
            // Its names in gh.
            Field::Description => {
                let arg = option(field).arg(field);
                vec![arg.alias("body").short_alias('b')]
            }
            Field::Design
            | Field::Acceptance
            | Field::Type
            | Field::Priority
            | Field::Assignee
            | Field::Labels
            | Field::Parent
            | Field::Notes
            | Field::ExternalRef
            | Field::Due
            | Field::Defer => vec![option(field).arg(field)],
            Field::Title | Field::Status => Vec::new(),
        }
    }
}

/// `q`: no texts but the title.
#[derive(Debug)]
pub(in crate::cli) enum QuickFields {}

impl FieldVerb for QuickFields {
    fn args(field: Field) -> Vec<Arg> {
        match field.kind() {
            FieldKind::LongText => Vec::new(),
            _ => CreateFields::args(field),
        }
    }
}

/// `update`: all fields; labels are added and removed.
#[derive(Debug)]
pub(in crate::cli) enum UpdateFields {}

const RM_LABEL: &str = "rm_label";

impl FieldVerb for UpdateFields {
    fn args(field: Field) -> Vec<Arg> {
        let arg = |long, help| {
            let option = FieldOption {
                short: None,
                long,
                help,
                ..option(field)
            };
            option.arg(field)
        };
        match field {
            Field::Labels => vec![
                arg("add-label", "Add a label"),
                arg("rm-label", "Remove a label").id(RM_LABEL),
            ],
            _ => vec![option(field).arg(field)],
        }
    }
}

/// Texts for the fields of an issue, from the options of a verb.
#[derive(Debug)]
pub(in crate::cli) struct FieldOptions<V> {
    pub(in crate::cli) fields: FieldMap<Option<String>>,
    pub(in crate::cli) remove_labels: Option<String>,
    verb: PhantomData<V>,
}

impl<V: FieldVerb> Args for FieldOptions<V> {
    fn augment_args(command: Command) -> Command {
        let mut fields = Field::ALL;
        fields.sort_by_key(|field| option(*field).section);
        command.args(fields.into_iter().flat_map(V::args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<V: FieldVerb> FromArgMatches for FieldOptions<V> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        // A verb does not know the options of fields that it does not set.
        let text = |id| {
            let given = matches.try_get_many::<String>(id).ok().flatten();
            given.map(|values| values.cloned().collect::<Vec<_>>().join(","))
        };
        Ok(Self {
            fields: Field::ALL.map(|field| (field, text(field.key()))).into(),
            remove_labels: text(RM_LABEL),
            verb: PhantomData,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(in crate::cli) struct WaitOptions {
    /// Issues that block it; TYPE:ID is a dependency of that type
    #[arg(long, value_name = "ID", num_args = 1..)]
    on: Vec<String>,
    /// Type of those dependencies [default: blocks]
    #[arg(long, value_name = "TYPE")]
    dep_type: Option<String>,
}

impl<V> FieldOptions<V> {
    /// Returns the request to create an issue with these fields.
    pub(in crate::cli) fn create(self, title: String, waits: WaitOptions) -> create::Create {
        let mut fields = self.fields;
        fields[Field::Title] = Some(title);
        create::Create {
            fields,
            on: waits.on,
            dep_type: waits.dep_type,
            ..create::Create::default()
        }
    }
}
