//! The definition of a tool. Profiles, indexes, schemas, references and calls are views of the one list in
//! [`super::tools`].

use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::compaction::Compaction;
use super::facts::{Access, Does, Domain, Home, Meta, Resource, Set};
use super::response::Response;
use super::routing::Route;
use super::schema;
use super::waiting::CallWait;
use crate::ops::answer::{Answer, envelope};
use crate::ops::{Error, Result, Tracker};

pub(super) struct CallContext<'a> {
    pub(super) tracker: &'a Tracker,
    /// The way the repository was found.
    pub(super) route: &'a Route,
    /// True if several repositories could be meant, so that an answer says which one it is about.
    pub(super) says_repo: bool,
    /// Bounds of the lists in its answer.
    pub(super) compaction: Compaction,
    pub(super) waiting: &'a CallWait,
}

const SHORTEST_BRIEF: usize = 10;

type Work = Box<dyn Fn(&CallContext<'_>, Map<String, Value>) -> Result<Response> + Send + Sync>;

pub(super) enum Run {
    Store(Work),
    /// By another tool, which the arguments choose.
    OneOf(fn(&mut Map<String, Value>) -> Result<&'static str>),
    /// From the list of tools, or by calls of others.
    Meta(Meta),
}

pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) domain: Domain,
    pub(super) about: &'static str,
    pub(super) example: &'static str,
    pub(super) access: Access,
    pub(super) run: Run,
    pub(super) set: Set,
    /// A call chooses the repository of later ones.
    pub(super) chooses_repository: bool,
    /// Starts or ends work, which can be that of another agent, so that `force` is taken.
    pub(super) takes_force: bool,
    /// The argument that names the one issue that a call is about.
    pub(super) is_about: Option<&'static str>,
    /// Without that argument, a call is about the last change of its session.
    pub(super) is_about_last: bool,
    /// Further arguments that name issues, in the order in which they tell the repository.
    pub(super) names_issues: &'static [&'static str],
    /// Commands that it does, so that a hint names a call of it.
    pub(super) does: &'static [Does],
    pub(super) homes: &'static [Home],
    /// A client that loads tools when it needs them should load this one at once.
    pub(super) loads_at_once: bool,
    /// In every profile where a workspace has to be named before writes.
    pub(super) names_place: bool,
    /// In the profile `task` where there was no store.
    pub(super) leads_to_store: bool,
    pub(super) resource: Option<Resource>,
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
                if self.takes_force {
                    schema["properties"]["force"] = json!({"type": "boolean"});
                }
                Arc::new(schema)
            })
            .clone()
    }

    pub(super) fn issue<'a>(&self, arguments: &'a Map<String, Value>) -> Option<&'a str> {
        arguments.get(self.is_about?)?.as_str()
    }

    /// Returns the ids that a call names, the one that it is about first.
    pub(super) fn ids<'a>(&self, arguments: &'a Map<String, Value>) -> Vec<&'a str> {
        let mut ids = Vec::new();
        for name in self.is_about.iter().chain(self.names_issues) {
            match arguments.get(*name) {
                Some(Value::Array(several)) => {
                    ids.extend(several.iter().filter_map(Value::as_str));
                }
                value => ids.extend(value.and_then(Value::as_str)),
            }
        }
        ids
    }

    /// Returns the schema with the argument for a repository, where a call may name one.
    pub(super) fn schema_in(&self, multi: bool) -> Arc<Map<String, Value>> {
        let schema = self.schema();
        // With one repository the argument would cost tokens and choose nothing.
        if !multi || self.domain == Domain::Meta || self.chooses_repository {
            return schema;
        }
        let mut schema = (*schema).clone();
        schema["properties"]["workspace_root"] = json!({"type": "string"});
        Arc::new(schema)
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
            chooses_repository: false,
            takes_force: false,
            is_about: None,
            is_about_last: false,
            names_issues: &[],
            does: &[],
            homes: &[],
            loads_at_once: false,
            names_place: false,
            leads_to_store: false,
            resource: None,
            prepare: |_| {},
            derive: schema::of::<Q>,
            schema: OnceLock::new(),
        }
    }

    pub(super) fn says(mut self, about: &'static str, example: &'static str) -> Self {
        (self.about, self.example) = (about, example);
        self
    }

    pub(super) fn choosing(mut self) -> Self {
        self.chooses_repository = true;
        self
    }

    pub(super) fn forced(mut self) -> Self {
        self.takes_force = true;
        self
    }

    pub(super) fn on(mut self, argument: &'static str) -> Self {
        self.is_about = Some(argument);
        self
    }

    pub(super) fn or_last(mut self) -> Self {
        self.is_about_last = true;
        self
    }

    pub(super) fn names(mut self, arguments: &'static [&'static str]) -> Self {
        self.names_issues = arguments;
        self
    }

    pub(super) fn does(mut self, commands: &'static [Does]) -> Self {
        self.does = commands;
        self
    }

    pub(super) fn homes(mut self, homes: &'static [Home]) -> Self {
        self.homes = homes;
        self
    }

    pub(super) fn loaded(mut self) -> Self {
        self.loads_at_once = true;
        self
    }

    pub(super) fn names_place(mut self) -> Self {
        self.names_place = true;
        self
    }

    pub(super) fn leads_to_store(mut self) -> Self {
        self.leads_to_store = true;
        self
    }

    pub(super) fn read_as(mut self, resource: Resource) -> Self {
        self.resource = Some(resource);
        self
    }

    pub(super) fn prepared(mut self, prepare: fn(&mut Map<String, Value>)) -> Self {
        self.prepare = prepare;
        self
    }

    /// Returns a tool of the `task` profile: its answers are envelopes.
    pub(super) fn task<Q, A>(
        name: &'static str,
        access: Access,
        run: impl Fn(&CallContext<'_>, &Q) -> Result<A> + Send + Sync + 'static,
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
        run: impl Fn(&CallContext<'_>, &Q) -> Result<A> + Send + Sync + 'static,
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

    pub(super) fn only(mut self, set: Set) -> Self {
        self.set = set;
        self
    }

    /// Returns a tool whose calls are answered by others.
    pub(super) fn one_of<Q: JsonSchema>(
        name: &'static str,
        choose: fn(&mut Map<String, Value>) -> Result<&'static str>,
    ) -> Self {
        let run = Run::OneOf(choose);
        Self::new::<Q>(name, Domain::Context, Access::Remote, Set::Alias, run)
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

pub(super) fn tracked<Q, A>(
    run: fn(&Tracker, &Q) -> Result<A>,
) -> impl Fn(&CallContext<'_>, &Q) -> Result<A> + Send + Sync + 'static
where
    Q: 'static,
    A: 'static,
{
    move |call, request| run(call.tracker, request)
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
    fn every_fact_of_a_tool_is_about_an_argument_of_it() {
        for tool in tools() {
            let schema = tool.schema();
            for name in tool.is_about.iter().chain(tool.names_issues) {
                assert!(
                    schema["properties"].get(name).is_some(),
                    "{} {name}",
                    tool.name
                );
            }
            assert!(
                !tool.is_about_last || tool.is_about.is_some(),
                "{}",
                tool.name
            );
        }
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
