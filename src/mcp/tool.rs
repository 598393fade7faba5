//! What a tool is. Profiles, indexes, schemas, references and calls are views of the one list in
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
use crate::ops::answer::{Answer, envelope};
use crate::ops::{Error, Result, Tracker};

/// What a tool is about; agents of the two-tool profile find it under this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Domain {
    /// An agent's day.
    Task,
    /// Questions.
    Query,
    /// Changes.
    Edit,
    /// Which repository.
    Context,
    /// Exchange.
    Sync,
    /// Ways to other tools.
    Meta,
}

impl Domain {
    /// All that an index lists.
    pub(super) const LISTED: [Self; 5] = [
        Self::Task,
        Self::Query,
        Self::Edit,
        Self::Context,
        Self::Sync,
    ];

    /// Its name.
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

/// What a call may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Changes nothing.
    Read,
    /// Changes issues.
    Write,
    /// Changes issues, and may talk to a remote.
    Remote,
    /// Changes what this process looks at.
    Session,
}

impl Access {
    /// Whether it writes to the repository.
    pub(super) fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Remote)
    }
}

/// Which profiles a tool belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    /// The agent's tools, and all that hold more.
    Task,
    /// Only what holds everything.
    Full,
    /// The same: another name for what an agent's tool does.
    Alias,
    /// Everything and `lazy`.
    Discovery,
    /// Only `lazy`.
    Lazy,
    /// Only `two`.
    Two,
}

/// What a call has to work with.
pub(super) struct CallContext<'a> {
    /// The repository.
    pub(super) tracker: &'a Tracker,
    /// How it was found.
    pub(super) route: &'a Route,
    /// When lists are compacted.
    pub(super) compaction: Compaction,
}

/// Ways to other tools; they need no repository of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meta {
    /// `discover_tools`.
    Discover,
    /// `get_tool_info`.
    Info,
    /// `call_tool`.
    Call,
    /// `getTools`.
    GetTools,
    /// `useTools`.
    UseTools,
}

type Work = Box<dyn Fn(&CallContext<'_>, Map<String, Value>) -> Result<Response> + Send + Sync>;

/// How a call is answered.
pub(super) enum Run {
    /// From a repository.
    Store(Work),
    /// From a repository that is remembered then.
    SetContext(Work),
    /// From the list of tools, or by calls of others.
    Meta(Meta),
}

/// A tool.
pub(super) struct Tool {
    /// Its name.
    pub(super) name: &'static str,
    /// What it is about.
    pub(super) domain: Domain,
    /// What it does, for the model.
    pub(super) about: &'static str,
    /// A call.
    pub(super) example: &'static str,
    /// What it may do.
    pub(super) access: Access,
    /// How it is answered.
    pub(super) run: Run,
    /// The profiles that it belongs to.
    pub(super) set: Set,
    derive: fn() -> Map<String, Value>,
    schema: OnceLock<Arc<Map<String, Value>>>,
}

impl Tool {
    /// What its arguments have to be like.
    pub(super) fn schema(&self) -> Arc<Map<String, Value>> {
        self.schema
            .get_or_init(|| Arc::new((self.derive)()))
            .clone()
    }

    /// The same, with the repository that a call may name.
    pub(super) fn schema_in(&self, multi: bool) -> Arc<Map<String, Value>> {
        let schema = self.schema();
        if !multi || self.domain == Domain::Meta || self.names_workspace() {
            return schema;
        }
        let mut schema = (*schema).clone();
        schema["properties"]["workspace_root"] = json!({"type": "string"});
        Arc::new(schema)
    }

    /// Whether the repository is an argument of its own.
    pub(super) fn names_workspace(&self) -> bool {
        matches!(self.run, Run::SetContext(_))
    }

    /// The first sentence of what it does.
    pub(super) fn brief(&self) -> &'static str {
        self.about
            .split_inclusive(". ")
            .next()
            .unwrap_or_default()
            .trim_end_matches(['.', ' '])
    }

    fn new<Q: JsonSchema>(
        name: &'static str,
        domain: Domain,
        access: Access,
        set: Set,
        run: Run,
    ) -> Self {
        let (about, example) = ("", "");
        Self {
            name,
            domain,
            about,
            example,
            access,
            run,
            set,
            derive: schema::of::<Q>,
            schema: OnceLock::new(),
        }
    }

    /// Says what it does, in words for a model, and how it is called.
    pub(super) fn says(self, about: &'static str, example: &'static str) -> Self {
        Self {
            about,
            example,
            ..self
        }
    }

    /// A tool of an agent's day: its answers are envelopes.
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

    /// A tool whose answers are bare.
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

    /// A tool whose answer is a text.
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

    /// The same as an agent's tool, under another name.
    pub(super) fn alias(self) -> Self {
        Self {
            set: Set::Alias,
            ..self
        }
    }

    /// A tool that remembers the repository it answers from.
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

    /// A way to other tools.
    pub(super) fn meta<Q: JsonSchema>(name: &'static str, meta: Meta) -> Self {
        let (access, set) = match meta {
            Meta::Discover | Meta::Info => (Access::Read, Set::Discovery),
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
        Ok(Response::new(&answer, &context.tracker.take_warnings()))
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
            assert!(offered(&tools, profile, false).any(|tool| tool.name == "probe"));
        }
        for profile in [Profile::Task, Profile::Lazy, Profile::Two] {
            assert!(offered(&tools, profile, true).all(|tool| tool.name != "probe"));
        }
        assert!(
            index("", &tools, &[])
                .contains("query: [ready,list,show,search,blocked,stats,log,probe]")
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
            told["parameters"]["properties"],
            json!({"depth": {"type": "integer"}})
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
