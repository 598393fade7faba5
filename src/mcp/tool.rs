//! The definition of a tool. Profiles, indexes, schemas, references and calls are views of the one list in
//! [`super::tools`].

use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::compaction::Compaction;
use super::response::Response;
use super::routing::Route;
use super::schema;
use super::waiting::CallWait;
use crate::ops::answer::{Answer, envelope};
use crate::ops::{Error, Intent, Result, Tracker};

/// Domain of a tool; the two-tool profile lists it as an agent of this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Domain {
    /// The daily work of an agent.
    Task,
    /// Tools that only read.
    Query,
    /// Tools that change issues.
    Edit,
    /// Choice of the repository.
    Context,
    Sync,
    /// Tools that call or describe others.
    Meta,
}

impl Domain {
    /// The domains that an index lists.
    pub(super) const LISTED: [Self; 5] = [
        Self::Task,
        Self::Query,
        Self::Edit,
        Self::Context,
        Self::Sync,
    ];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Query => "query",
            Self::Edit => "edit",
            Self::Context => "context",
            Self::Sync => "sync",
            Self::Meta => "meta",
        }
    }
}

/// Effects that a call may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    /// Changes issues, and may talk to a remote.
    Remote,
    /// Changes the repository that this process uses.
    Session,
}

impl Access {
    /// Returns whether it writes to the repository.
    pub(super) fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Remote)
    }

    /// Returns what it is about to do in the repository.
    pub(super) fn intent(self) -> Intent {
        match self.writes() {
            true => Intent::Write,
            false => Intent::Read,
        }
    }
}

/// Set of profiles that a tool belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    /// `task`, and all profiles that include it.
    Task,
    /// Only profiles that include everything.
    Full,
    /// Like `Full`: another name for the operation of an agent's tool.
    Alias,
    /// `lazy`, and profiles that include everything.
    Discovery,
    /// Only the profile `lazy`.
    Lazy,
    /// Only the profile `two`.
    Two,
    /// No profile: a person asks for it, as a prompt.
    Prompt,
}

/// Context of a running call.
pub(super) struct CallContext<'a> {
    pub(super) tracker: &'a Tracker,
    /// The way the repository was found.
    pub(super) route: &'a Route,
    /// True if several repositories could be meant, so that an answer says which one it is about.
    pub(super) says_repo: bool,
    /// Bounds of the lists in its answer.
    pub(super) compaction: Compaction,
    /// The wait of the call, if it waits.
    pub(super) waiting: &'a CallWait,
}

/// Tools that call or describe others; they need no repository of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meta {
    Discover,
    Info,
    /// A call of a tool that only reads.
    Read,
    Call,
    GetTools,
    UseTools,
}

/// Characters that say what a tool does.
const SHORTEST_BRIEF: usize = 10;

type Work = Box<dyn Fn(&CallContext<'_>, Map<String, Value>) -> Result<Response> + Send + Sync>;

/// Way a call is answered.
pub(super) enum Run {
    /// CallAnswer from a repository.
    Store(Work),
    /// CallAnswer from a repository, which is remembered for later calls.
    SetContext(Work),
    /// CallAnswer by another tool, which the arguments choose.
    OneOf(fn(&mut Map<String, Value>) -> Result<&'static str>),
    /// CallAnswer from the list of tools, or by calls of others.
    Meta(Meta),
}

/// A tool of the server.
pub(super) struct Tool {
    pub(super) name: &'static str,
    /// Domain that it is listed under.
    pub(super) domain: Domain,
    /// Description for the model.
    pub(super) about: &'static str,
    /// Example of a call.
    pub(super) example: &'static str,
    /// Effects that a call may have.
    pub(super) access: Access,
    /// Way a call is answered.
    pub(super) run: Run,
    /// The profiles that it belongs to.
    pub(super) set: Set,
    /// Change of the arguments before they are checked.
    pub(super) prepare: fn(&mut Map<String, Value>),
    derive: fn() -> Map<String, Value>,
    schema: OnceLock<Arc<Map<String, Value>>>,
}

impl Tool {
    /// Returns the schema of its arguments. A client that holds a model to it can send all that is accepted.
    pub(super) fn schema(&self) -> Arc<Map<String, Value>> {
        self.schema
            .get_or_init(|| {
                let mut schema = (self.derive)();
                // Read of every call before its tool runs.
                if self.domain != Domain::Meta {
                    schema["properties"]["as"] = json!({"type": "string"});
                }
                if self.takes_force() {
                    schema["properties"]["force"] = json!({"type": "boolean"});
                }
                Arc::new(schema)
            })
            .clone()
    }

    /// Returns whether it starts or ends work, which can be that of another agent.
    pub(super) fn takes_force(&self) -> bool {
        let all = [
            "task_start",
            "task_progress",
            "task_done",
            "claim",
            "update",
            "close",
        ];
        all.contains(&self.name)
    }

    /// Returns the schema with the argument for a repository, where a call may name one.
    pub(super) fn schema_in(&self, multi: bool) -> Arc<Map<String, Value>> {
        let schema = self.schema();
        // With one repository the argument would cost tokens and choose nothing.
        if !multi || self.domain == Domain::Meta || self.names_workspace() {
            return schema;
        }
        let mut schema = (*schema).clone();
        schema["properties"]["workspace_root"] = json!({"type": "string"});
        Arc::new(schema)
    }

    /// Returns whether the tool chooses the repository of later calls.
    pub(super) fn names_workspace(&self) -> bool {
        matches!(self.run, Run::SetContext(_))
    }

    /// Returns the beginning of its description that says what it does.
    pub(super) fn brief(&self) -> &'static str {
        let ends = [". ", "; ", ": ", ", "].into_iter();
        let ends = ends.filter_map(|end| self.about.find(end));
        // A word or two say too little.
        let end = ends.filter(|end| *end > SHORTEST_BRIEF).min();
        let brief = end.map_or(self.about, |end| &self.about[..end]);
        brief.trim_end_matches('.')
    }

    fn new<Q: JsonSchema>(
        name: &'static str,
        domain: Domain,
        access: Access,
        set: Set,
        run: Run,
    ) -> Self {
        Self {
            name,
            domain,
            about: "",
            example: "",
            access,
            run,
            set,
            prepare: |_| {},
            derive: schema::of::<Q>,
            schema: OnceLock::new(),
        }
    }

    /// Sets the description for the model and the example of a call.
    pub(super) fn says(self, about: &'static str, example: &'static str) -> Self {
        Self {
            about,
            example,
            ..self
        }
    }

    /// Sets a change of the arguments before they are checked.
    pub(super) fn prepared(self, prepare: fn(&mut Map<String, Value>)) -> Self {
        Self { prepare, ..self }
    }

    /// Returns a tool of the `task` profile: its answers are envelopes.
    pub(super) fn task<Q, A>(
        name: &'static str,
        access: Access,
        run: fn(&CallContext<'_>, &Q) -> Result<A>,
    ) -> Self
    where
        Q: JsonSchema + DeserializeOwned + 'static,
        A: Answer + 'static,
    {
        let work =
            work(move |context: &CallContext<'_>, request: &Q| run(context, request).map(envelope));
        Self::new::<Q>(name, Domain::Task, access, Set::Task, Run::Store(work))
    }

    /// Returns a tool whose answers have no envelope.
    pub(super) fn bare<Q, A>(
        name: &'static str,
        domain: Domain,
        access: Access,
        run: fn(&CallContext<'_>, &Q) -> Result<A>,
    ) -> Self
    where
        Q: JsonSchema + DeserializeOwned + 'static,
        A: Serialize + 'static,
    {
        Self::new::<Q>(name, domain, access, Set::Full, Run::Store(work(run)))
    }

    /// Returns a tool whose answer is plain text.
    pub(super) fn text<Q>(
        name: &'static str,
        domain: Domain,
        run: fn(&CallContext<'_>, &Q) -> Result<String>,
    ) -> Self
    where
        Q: JsonSchema + DeserializeOwned + 'static,
    {
        let work = asked(move |context: &CallContext<'_>, request: &Q| {
            Ok(Response::plain(run(context, request)?))
        });
        Self::new::<Q>(name, domain, Access::Read, Set::Full, Run::Store(work))
    }

    /// Marks it as another name for a tool of the `task` profile.
    pub(super) fn alias(self) -> Self {
        Self {
            set: Set::Alias,
            ..self
        }
    }

    /// Returns a tool that chooses the repository of later calls.
    pub(super) fn remember<Q, A>(
        name: &'static str,
        run: fn(&CallContext<'_>, &Q) -> Result<A>,
    ) -> Self
    where
        Q: JsonSchema + DeserializeOwned + 'static,
        A: Serialize + 'static,
    {
        Self::new::<Q>(
            name,
            Domain::Context,
            Access::Session,
            Set::Full,
            Run::SetContext(work(run)),
        )
    }

    /// Returns a tool whose calls are answered by others.
    pub(super) fn one_of<Q: JsonSchema>(
        name: &'static str,
        choose: fn(&mut Map<String, Value>) -> Result<&'static str>,
    ) -> Self {
        let run = Run::OneOf(choose);
        Self::new::<Q>(name, Domain::Context, Access::Remote, Set::Alias, run)
    }

    /// Returns a prompt, which is answered as a tool that only reads.
    pub(super) fn prompt<Q, A>(
        name: &'static str,
        run: fn(&CallContext<'_>, &Q) -> Result<A>,
    ) -> Self
    where
        Q: JsonSchema + DeserializeOwned + 'static,
        A: Serialize + 'static,
    {
        let run = Run::Store(work(run));
        Self::new::<Q>(name, Domain::Meta, Access::Read, Set::Prompt, run)
    }

    /// Returns a tool that calls or describes others.
    pub(super) fn meta<Q: JsonSchema>(name: &'static str, meta: Meta) -> Self {
        let (access, set) = match meta {
            Meta::Discover | Meta::Info => (Access::Read, Set::Discovery),
            Meta::Read => (Access::Read, Set::Lazy),
            Meta::Call => (Access::Remote, Set::Lazy),
            Meta::GetTools => (Access::Read, Set::Two),
            Meta::UseTools => (Access::Remote, Set::Two),
        };
        Self::new::<Q>(name, Domain::Meta, access, set, Run::Meta(meta))
    }
}

fn work<Q, A>(run: impl Fn(&CallContext<'_>, &Q) -> Result<A> + Send + Sync + 'static) -> Work
where
    Q: DeserializeOwned,
    A: Serialize,
{
    asked(move |context: &CallContext<'_>, request: &Q| {
        let answer = run(context, request)?;
        Ok(Response::new(&answer))
    })
}

fn asked<Q: DeserializeOwned>(
    run: impl Fn(&CallContext<'_>, &Q) -> Result<Response> + Send + Sync + 'static,
) -> Work {
    Box::new(move |context, arguments| {
        let request: Q = serde_json::from_value(Value::Object(arguments))
            .map_err(|error| Error::invalid(error.to_string()))?;
        run(context, &request)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::meta::{discover, find, index, info};
    use crate::mcp::profile::{Profile, offered};
    use crate::mcp::tools::tools;

    #[derive(serde::Deserialize, JsonSchema)]
    struct Probe {
        #[expect(dead_code, reason = "only its name matters")]
        depth: Option<i64>,
    }

    #[test]
    fn a_tool_that_is_added_is_everywhere() {
        let probe = Tool::bare(
            "probe",
            Domain::Query,
            Access::Read,
            |_: &CallContext<'_>, _: &Probe| Ok(true),
        );
        let mut tools = tools();
        tools.push(probe.says("Look deeper. At everything.", "probe(depth=3)"));
        for profile in [Profile::Read, Profile::Full] {
            assert!(offered(&tools, profile, false, false).any(|tool| tool.name == "probe"));
        }
        for profile in [Profile::Task, Profile::Lazy, Profile::Two] {
            assert!(offered(&tools, profile, true, true).all(|tool| tool.name != "probe"));
        }
        assert!(
            index("", &tools, &[])
                .contains("query: [ready,list,show,search,comments,blocked,stats,log,wait,probe]")
        );
        assert!(discover(&tools).text.contains(r#""probe":"Look deeper""#));
        assert_eq!(
            find(&tools, Some("probe"), "name").unwrap(),
            tools.len() - 1
        );
        let asked = crate::mcp::meta::Info {
            tool_name: Some("probe".into()),
        };
        let told: Value = serde_json::from_str(&info(&tools, &asked, false).unwrap().text).unwrap();
        assert_eq!(
            told["parameters"],
            json!({"as": "string", "depth": "integer"})
        );
        assert_eq!(told["example"], "probe(depth=3)");
    }

    #[test]
    fn every_tool_says_what_it_does_once() {
        let tools = tools();
        for (at, tool) in tools.iter().enumerate() {
            assert!(
                !tool.about.is_empty() && tool.example.starts_with(&format!("{}(", tool.name)),
                "{}",
                tool.name
            );
            assert!(
                tools[..at].iter().all(|other| other.name != tool.name),
                "{} is there twice",
                tool.name
            );
        }
    }
}
