//! Each verb: arguments to request, one operation, answer to text.

use super::args::{
    ChangeVerb, Cli, CreateArgs, DepVerb, DoneArgs, ExchangeVerb, FieldArgs, Global, KeepVerb,
    LabelArgs, LinkArgs, ListArgs, LookVerb, McpArgs, NoteArgs, PlainVerb, QueryArgs, ReadyArgs,
    RedactArgs, SearchArgs, SplitArgs, UpdateArgs, Verb, WorkVerb,
};
use super::query::{LIST_LIMIT, query};
use super::schema::Version;
use super::ui::{Ui, talk};
use super::{
    board, complete, demo, edit, exchange, files, graph, guests, history, man, open, page, render,
    schema, session, setup, stats, status, uninstall, watch,
};
use crate::hooks;
use crate::mcp;
use crate::ops::shared::{commit_links, current_branch};
use crate::ops::verbs::list::Query;
use crate::ops::verbs::split::plan;
use crate::ops::verbs::sync::Sync;
use crate::ops::verbs::update::{Update, Updated};
use crate::ops::verbs::{
    create, delete, dep, doctor, done, hook_task, list, note, rename, rename_prefix, show, split,
    start, state, update, where_,
};
use crate::ops::{Result, Tracker};

const READY_LIMIT: usize = 10;

/// Runs a command line; the code is that of an answer, not of an error.
pub(super) fn dispatch(cli: Cli) -> Result<u8> {
    let Cli { global, verb } = cli;
    match verb {
        Some(Verb::Plain(verb)) => plain(&global, verb),
        Some(Verb::Look(LookVerb::Prime(args))) => session::prime(&global, &args),
        Some(Verb::Keep(KeepVerb::Hook(args))) if !args.is_own() => {
            if let Ok(here) = super::location(&global) {
                hooks::handle(&here, &args.event, &args.args, args.sync);
            }
            Ok(0)
        }
        Some(Verb::Exchange(ExchangeVerb::Clone(args))) => {
            let mut ui = Ui::new(&global, None);
            exchange::clone(&mut ui, &args, &global)
                .and_then(|()| ui.finish())
                .map(|()| 0)
        }
        verb => in_store(Cli { global, verb }),
    }
}

fn in_store(cli: Cli) -> Result<u8> {
    let tracker = open(&cli.global)?;
    let mut ui = Ui::new(&cli.global, Some(tracker.store()));
    let outcome = run(cli, &tracker, &mut ui);
    let written = ui.finish();
    for warning in tracker.take_warnings() {
        talk("warning", &warning);
    }
    // The process ends: what it holds in memory need not be taken apart.
    std::mem::forget(tracker);
    outcome.and_then(|code| written.map(|()| code))
}

/// Runs a command line that prints somewhere else.
pub(super) fn with_ui(cli: Cli, mut ui: Ui) -> Result<u8> {
    if let Some(Verb::Exchange(ExchangeVerb::Clone(args))) = &cli.verb {
        exchange::clone(&mut ui, args, &cli.global)?;
        return ui.finish().map(|()| 0);
    }
    let tracker = open(&cli.global)?;
    let outcome = run(cli, &tracker, &mut ui);
    ui.finish()?;
    outcome
}

fn run(cli: Cli, tracker: &Tracker, ui: &mut Ui) -> Result<u8> {
    let global = cli.global;
    match cli
        .verb
        .unwrap_or(Verb::Look(LookVerb::Status(QueryArgs::default())))
    {
        Verb::Work(verb) => work(tracker, ui, &global, verb),
        Verb::Change(verb) => change(tracker, ui, verb).map(|()| 0),
        Verb::Look(verb) => look(tracker, ui, &global, verb),
        Verb::Exchange(verb) => settle(tracker, ui, &global, verb).map(|()| 0),
        Verb::Keep(verb) => keep(tracker, ui, verb),
        Verb::Plain(verb) => plain(&global, verb),
    }
}

fn plain(global: &Global, verb: PlainVerb) -> Result<u8> {
    let mut ui = Ui::new(global, None);
    match verb {
        PlainVerb::Mcp(args) => mcp::serve(mcp_options(&args, global)?)?,
        PlainVerb::Completion(args) => ui.text(complete::script(args.shell)),
        PlainVerb::Man(args) => man::man(&mut ui, &args)?,
        PlainVerb::Demo(args) => demo::demo(&mut ui, args.keep)?,
        PlainVerb::Schema(args) => {
            let schema = schema::schema(args.verb.as_deref())?;
            ui.text(&serde_json::to_string_pretty(&schema).unwrap_or_default());
        }
        PlainVerb::Version => {
            let version = Version {
                version: env!("CARGO_PKG_VERSION").to_owned(),
            };
            ui.answer(
                version,
                |it| vec![it.version.clone()],
                |ui, it| ui.line(&format!("git-beads {}", it.version)),
            );
        }
        PlainVerb::Complete(args) => ui.text(&complete::complete(&args, global)),
    }
    ui.finish().map(|()| 0)
}

fn mcp_options(args: &McpArgs, global: &Global) -> Result<mcp::Options> {
    let here = super::here()?;
    let repo = args
        .repo
        .as_ref()
        .or(global.dir.as_ref())
        .map(|dir| here.join(dir));
    Ok(mcp::Options {
        profile: args.profile.clone(),
        repo,
        multi_repo: args.multi_repo,
        roots: args.root.iter().map(|dir| here.join(dir)).collect(),
        actor: global.actor.clone(),
        #[cfg(feature = "http")]
        http: args.http,
    })
}

fn work(tracker: &Tracker, ui: &mut Ui, global: &Global, verb: WorkVerb) -> Result<u8> {
    match verb {
        WorkVerb::Init(args) => return files::init(tracker, ui, &args),
        WorkVerb::Create(args) => create_verb(tracker, ui, args)?,
        WorkVerb::Q(args) => {
            ui.quiet = true;
            create_with(tracker, ui, &request_of(args.fields, args.title))?;
        }
        WorkVerb::List(args) => return list_verb(tracker, ui, global, &args),
        WorkVerb::Ready(args) => return ready_verb(tracker, ui, &args),
        WorkVerb::Blocked(args) => return blocked_verb(tracker, ui, &args),
        WorkVerb::Search(args) => return search_verb(tracker, ui, global, &args),
        WorkVerb::Show(args) => {
            let ids = current_branch::or_current(tracker, args.ids)?;
            let answer = show::show(
                tracker,
                &show::Show {
                    ids,
                    memory: args.memory,
                    at: args.at.at,
                },
            )?;
            ui.page(global, tracker.store());
            let now = tracker.now();
            ui.answer(answer, shown_ids, |ui, issues| {
                page::issues(ui, issues, now);
            });
        }
        WorkVerb::Update(mut args) => {
            args.ids = current_branch::or_current(tracker, args.ids)?;
            updated(ui, update::update(tracker, &update_of(args))?, "updated");
        }
        WorkVerb::Edit(args) => {
            let id = args
                .id
                .map_or_else(|| current_branch::current(tracker), Ok)?;
            updated(ui, edit::edit(tracker, &id)?, "updated");
        }
        WorkVerb::Start(args) => {
            let answer = start::start(
                tracker,
                &start::Start {
                    id: args.id,
                    force: args.force,
                    branch: args.branch,
                },
            )?;
            ui.answer(
                answer,
                |started| vec![started.issue.id.clone()],
                render::started,
            );
        }
        WorkVerb::Note(args) => note_verb(tracker, ui, args)?,
        WorkVerb::Redact(args) => redact_verb(tracker, ui, args)?,
        WorkVerb::Done(args) => done_verb(tracker, ui, args)?,
    }
    Ok(0)
}

fn change(tracker: &Tracker, ui: &mut Ui, verb: ChangeVerb) -> Result<()> {
    let (answer, what) = match verb {
        ChangeVerb::Dep(verb) => return dep_verb(tracker, ui, verb),
        ChangeVerb::Link(args) => return dep_verb(tracker, ui, DepVerb::Add(args)),
        ChangeVerb::Split(args) => return split_verb(tracker, ui, &args),
        ChangeVerb::Label(args) => (update::update(tracker, &label_of(args))?, "updated"),
        ChangeVerb::Assign(args) => {
            let request = Update {
                ids: vec![args.id],
                assignee: Some(args.name),
                ..Update::default()
            };
            (update::update(tracker, &request)?, "updated")
        }
        ChangeVerb::Priority(args) => {
            let request = Update {
                ids: vec![args.id],
                priority: Some(args.priority),
                ..Update::default()
            };
            (update::update(tracker, &request)?, "updated")
        }
        ChangeVerb::Reopen(args) => (
            done::reopen(tracker, &args.ids, args.reason.as_deref())?,
            "reopened",
        ),
        ChangeVerb::Block(args) => (
            state::block(tracker, &args.ids, args.reason.as_deref())?,
            "blocked",
        ),
        ChangeVerb::Unblock(args) => (state::unblock(tracker, &args.ids)?, "opened"),
        ChangeVerb::Defer(args) => (
            state::defer(tracker, &args.ids, args.until.as_deref())?,
            "deferred",
        ),
        ChangeVerb::Delete(args) => (
            delete::delete(tracker, &args.ids, args.reason.as_deref())?,
            "deleted",
        ),
        ChangeVerb::Restore(args) => (delete::restore(tracker, &args.ids)?, "restored"),
        ChangeVerb::RenamePrefix(args) => {
            let answer = rename_prefix::rename_prefix(tracker, &args.prefix)?;
            ui.answer(answer, |_| Vec::new(), render::prefix_renamed);
            return Ok(());
        }
        ChangeVerb::Rename(args) => (rename::rename(tracker, &args.id, &args.new)?, "renamed"),
    };
    updated(ui, answer, what);
    Ok(())
}

fn updated(ui: &mut Ui, answer: Updated, what: &str) {
    let ids = |updated: &Updated| {
        updated
            .issues
            .iter()
            .map(|issue| issue.id.clone())
            .collect()
    };
    ui.answer(answer, ids, |ui, updated| {
        render::updated(ui, updated, what);
    });
}

fn look(tracker: &Tracker, ui: &mut Ui, global: &Global, verb: LookVerb) -> Result<u8> {
    match verb {
        LookVerb::Status(args) => return status::show(tracker, ui, global, &args),
        LookVerb::Board(args) => return board::show(tracker, ui, global, &args),
        LookVerb::Watch(args) => return watch::watch(tracker, ui, &args),
        LookVerb::Context(args) => session::context(tracker, ui, &args)?,
        LookVerb::Prime(args) => return session::prime(global, &args),
        LookVerb::CommitMsg(args) => {
            let answer = current_branch::trailer(tracker, args.id.as_deref(), args.closes)?;
            ui.answer(
                answer,
                |it| vec![it.id.clone()],
                |ui, it| ui.line(&it.trailer),
            );
        }
        LookVerb::Log(args) => history::log(tracker, ui, global, args)?,
        LookVerb::Graph(args) => return graph::graph(tracker, ui, global, &args),
        LookVerb::Stats(args) => return stats::stats(tracker, ui, &args),
        LookVerb::Blame(args) => history::blame(tracker, ui, global, &args)?,
        LookVerb::Diff(args) => history::diff(tracker, ui, global, &args)?,
        LookVerb::Undo(args) => history::undo(tracker, ui, args)?,
    }
    Ok(0)
}

/// The verbs that exchange with others, or settle what came of it.
fn settle(tracker: &Tracker, ui: &mut Ui, global: &Global, verb: ExchangeVerb) -> Result<()> {
    match verb {
        ExchangeVerb::Sync(args) => exchange::exchange(
            tracker,
            ui,
            args.exchange,
            &Sync {
                adopt: args.adopt,
                ..Sync::default()
            },
        ),
        ExchangeVerb::Pull(args) => {
            let request = Sync {
                adopt: args.adopt,
                push: false,
                ..Sync::default()
            };
            exchange::exchange(tracker, ui, args.exchange, &request)
        }
        ExchangeVerb::Fetch(args) => exchange::exchange(
            tracker,
            ui,
            args,
            &Sync {
                merge: false,
                push: false,
                ..Sync::default()
            },
        ),
        ExchangeVerb::Push(args) => exchange::exchange(
            tracker,
            ui,
            args,
            &Sync {
                merge: false,
                ..Sync::default()
            },
        ),
        ExchangeVerb::Clone(args) => exchange::clone(ui, &args, global),
        ExchangeVerb::Conflicts(args) => exchange::list_conflicts(tracker, ui, &args),
        ExchangeVerb::Resolve(args) => exchange::resolve(tracker, ui, args),
        ExchangeVerb::Purge(args) => exchange::purge_issue(tracker, ui, &args),
    }
}

fn keep(tracker: &Tracker, ui: &mut Ui, verb: KeepVerb) -> Result<u8> {
    match verb {
        KeepVerb::Import(args) => return files::import(tracker, ui, &args),
        KeepVerb::Export(args) => return files::export(tracker, ui, &args),
        KeepVerb::Doctor(args) => {
            let request = doctor::Doctor {
                fix: args.fix,
                remote: args.remote,
            };
            let mut answer = doctor::doctor(tracker, &request)?;
            answer
                .findings
                .extend(hooks::findings(tracker).unwrap_or_default());
            let well = answer.is_well();
            ui.answer(answer, page::codes, page::diagnosis);
            return Ok(u8::from(!well));
        }
        KeepVerb::Uninstall(args) => uninstall::uninstall(tracker, ui, &args)?,
        KeepVerb::Where => ui.answer(
            where_::where_(tracker)?,
            |place| vec![place.repo.clone()],
            render::place,
        ),
        KeepVerb::Setup(args) => return setup::setup(tracker.store(), ui, args),
        KeepVerb::Hooks(verb) => return guests::hooks(tracker, ui, &verb),
        KeepVerb::Hook(args) => {
            let remote = args.args.first().and_then(|arg| arg.to_str());
            hook_task::hook(tracker, &args.event, remote)?;
        }
    }
    Ok(0)
}

fn done_verb(tracker: &Tracker, ui: &mut Ui, args: DoneArgs) -> Result<()> {
    let answer = match args.landed {
        true => commit_links::close(tracker)?,
        false => done::done(
            tracker,
            &done::Done {
                ids: current_branch::or_current(tracker, args.ids)?,
                reason: args.reason,
            },
        )?,
    };
    let one = |closed: &done::Closed| {
        vec![closed.closed.clone()]
            .into_iter()
            .filter(|id| !id.is_empty())
            .collect()
    };
    ui.answer(
        answer,
        |closed| {
            if closed.ids.is_empty() {
                one(closed)
            } else {
                closed.ids.clone()
            }
        },
        render::closed,
    );
    Ok(())
}

fn blocked_verb(tracker: &Tracker, ui: &mut Ui, args: &QueryArgs) -> Result<u8> {
    let answer = list::blocked(tracker, &query(tracker, &args.filter, LIST_LIMIT))?;
    let empty = answer.issues.is_empty();
    let ids = |answer: &list::Blocked| {
        answer
            .issues
            .iter()
            .map(|waiting| waiting.summary.id.clone())
            .collect()
    };
    ui.answer(answer, ids, render::blocked);
    Ok(u8::from(empty && args.filter.exit_code))
}

fn redact_verb(tracker: &Tracker, ui: &mut Ui, args: RedactArgs) -> Result<()> {
    let answer = note::redact(
        tracker,
        &note::Redact {
            id: args.id,
            entry: args.entry,
            restore: args.restore,
        },
    )?;
    ui.answer(
        answer,
        |redacted| vec![redacted.entry.clone()],
        |ui, redacted| {
            let what = if redacted.hidden {
                "hidden"
            } else {
                "shown again"
            };
            ui.line(&format!("{} of {} is {what}", redacted.entry, redacted.id));
            render::next(ui, &format!("git beads show {}", redacted.id));
        },
    );
    Ok(())
}

fn list_ids(list: &list::List) -> Vec<String> {
    list.issues.iter().map(|issue| issue.id.clone()).collect()
}

fn shown_ids(issues: &show::Issues) -> Vec<String> {
    match issues {
        show::Issues::One(shown) => vec![shown.issue.summary.id.clone()],
        show::Issues::Many { issues } => issues
            .iter()
            .map(|shown| shown.issue.summary.id.clone())
            .collect(),
    }
}

fn list_verb(tracker: &Tracker, ui: &mut Ui, global: &Global, args: &ListArgs) -> Result<u8> {
    let ListArgs {
        all,
        deleted,
        landed,
        ..
    } = *args;
    let query = Query {
        all,
        deleted,
        landed,
        at: args.at.at.clone(),
        ..query(tracker, &args.filter, LIST_LIMIT)
    };
    let answer = list::list(tracker, &query)?;
    let empty = answer.issues.is_empty();
    ui.page(global, tracker.store());
    ui.answer(answer, list_ids, |ui, answer| {
        let plain = query.is_plain();
        let nothing = if plain {
            "no issues; git beads create \"What is to be done\""
        } else {
            "no issue matches"
        };
        render::list(ui, answer, args.tree, nothing);
    });
    Ok(u8::from(empty && args.filter.exit_code))
}

fn search_verb(tracker: &Tracker, ui: &mut Ui, global: &Global, args: &SearchArgs) -> Result<u8> {
    let query = Query {
        deleted: args.deleted,
        ..query(tracker, &args.filter, LIST_LIMIT)
    };
    let answer = list::search(tracker, &args.text.join(" "), &query)?;
    let empty = answer.issues.is_empty();
    ui.page(global, tracker.store());
    ui.answer(answer, list_ids, |ui, answer| {
        render::list(ui, answer, false, "nothing found");
    });
    Ok(u8::from(empty && args.filter.exit_code))
}

fn ready_verb(tracker: &Tracker, ui: &mut Ui, args: &ReadyArgs) -> Result<u8> {
    let query = Query {
        at: args.at.at.clone(),
        ..query(tracker, &args.filter, READY_LIMIT)
    };
    if args.claim {
        let answer = list::claim(tracker, &query)?;
        ui.answer(
            answer,
            |started| vec![started.issue.id.clone()],
            render::started,
        );
        return Ok(0);
    }
    if args.explain {
        // All of them, unless somebody asks for fewer.
        let limit = args.filter.limit.unwrap_or(0);
        let answer = list::explain(tracker, &Query { limit, ..query })?;
        let ids = |all: &list::Explanation| all.ready.iter().map(|it| it.id.clone()).collect();
        ui.answer(answer, ids, render::explanation);
        return Ok(0);
    }
    let answer = list::ready(tracker, &query)?;
    let empty = answer.issues.is_empty();
    ui.answer(answer, list_ids, |ui, answer| {
        render::list(
            ui,
            answer,
            false,
            "nothing is ready; git beads ready --explain says why",
        );
    });
    Ok(u8::from(empty && args.filter.exit_code))
}

fn request_of(args: FieldArgs, title: String) -> create::Create {
    let fields = create::Fields {
        title,
        kind: args.kind,
        priority: args.priority,
        assignee: args.assignee,
        labels: args.labels,
        ..create::Fields::default()
    };
    create::Create {
        fields,
        parent: args.parent,
        on: args.on,
        dep_type: args.dep_type,
        ..create::Create::default()
    }
}

fn create_verb(tracker: &Tracker, ui: &mut Ui, args: CreateArgs) -> Result<()> {
    let mut title = args.title.unwrap_or_default();
    let mut description = args.description;
    if let Some(file) = &args.file {
        let text = files::read_text(&ui.path(file))?;
        if title.is_empty() {
            let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
            title = first.trim_start_matches('#').trim().to_owned();
            description = Some(rest.trim().to_owned());
        } else {
            description = Some(text.trim_end().to_owned());
        }
    }
    let mut request = request_of(args.fields, title);
    request.fields.description = description;
    request.fields.design = args.design;
    request.fields.acceptance = args.acceptance;
    (request.key, request.start, request.dry_run) = (args.key, args.start, args.dry_run);
    create_with(tracker, ui, &request)
}

fn create_with(tracker: &Tracker, ui: &mut Ui, request: &create::Create) -> Result<()> {
    let answer = create::create(tracker, request)?;
    ui.answer(
        answer,
        |created| created.id.iter().cloned().collect(),
        render::created,
    );
    Ok(())
}

fn dep_verb(tracker: &Tracker, ui: &mut Ui, verb: DepVerb) -> Result<()> {
    let request = |args: LinkArgs| {
        let on = args.on.into_iter().chain(args.others).collect();
        dep::Dep {
            id: args.id,
            on,
            kind: args.dep_type,
        }
    };
    let ids = |linked: &dep::Linked| vec![linked.id.clone()];
    match verb {
        DepVerb::Add(args) => {
            ui.answer(dep::add(tracker, &request(args))?, ids, |ui, linked| {
                render::linked(ui, linked, true);
            });
        }
        DepVerb::Rm(args) => {
            ui.answer(dep::remove(tracker, &request(args))?, ids, |ui, linked| {
                render::linked(ui, linked, false);
            });
        }
        DepVerb::Tree(args) => ui.answer(
            dep::tree(tracker, &args.id)?,
            |tree| vec![tree.tree.id.clone()],
            |ui, tree| render::tree(ui, &tree.tree, 0),
        ),
        DepVerb::Cycles => ui.answer(
            dep::cycles(tracker)?,
            |cycles| cycles.cycles.iter().map(|ids| ids.join(" ")).collect(),
            render::cycles,
        ),
    }
    Ok(())
}

fn split_verb(tracker: &Tracker, ui: &mut Ui, args: &SplitArgs) -> Result<()> {
    let children = plan::parse(&files::read_text(&ui.path(&args.file))?)?;
    let answer = split::split(
        tracker,
        &split::Split {
            epic: args.epic.clone(),
            children,
        },
    )?;
    ui.answer(answer, |children| children.ids.clone(), render::children);
    Ok(())
}

fn note_verb(tracker: &Tracker, ui: &mut Ui, args: NoteArgs) -> Result<()> {
    let text = args.text.join(" ");
    let comments = args
        .comment
        .into_iter()
        .chain(Some(text).filter(|text| !text.is_empty()))
        .collect();
    let id = args
        .id
        .map_or_else(|| current_branch::current(tracker), Ok)?;
    let request = note::Note {
        id,
        findings: args.finding,
        decisions: args.decision,
        comments,
        status: args.status,
    };
    let answer = note::note(tracker, &request)?;
    ui.answer(
        answer,
        |noted| noted.added.clone(),
        |ui, noted| {
            let what = match noted.added.len() {
                0 => "nothing new".to_owned(),
                n => format!("{} added", render::count(n, "entry", "entries")),
            };
            let text = format!("{} {}: {what}", noted.issue.id, noted.issue.status);
            ui.line(&text);
            render::next(ui, &format!("git beads done {} -r \"...\"", noted.issue.id));
        },
    );
    Ok(())
}

fn update_of(args: UpdateArgs) -> Update {
    Update {
        ids: args.ids,
        title: args.title,
        description: args.description,
        design: args.design,
        acceptance: args.acceptance,
        notes: args.notes,
        kind: args.kind,
        priority: args.priority,
        status: args.status,
        assignee: args.assignee,
        add_labels: args.add_label,
        remove_labels: args.rm_label,
        parent: args.parent,
        external_ref: args.external_ref,
        due: args.due,
        defer: args.defer,
    }
}

/// `label ID a b --rm c`, and `label add ID a`, `label rm ID c` as others write it.
fn label_of(args: LabelArgs) -> Update {
    let mut words = args.labels;
    let (id, add, remove) = match (args.id.as_str(), words.len()) {
        ("add", 2..) => (words.remove(0), words, args.rm),
        ("rm" | "remove", 2..) => (words.remove(0), Vec::new(), words),
        _ => (args.id, words, args.rm),
    };
    Update {
        ids: vec![id],
        add_labels: add,
        remove_labels: remove,
        ..Update::default()
    }
}
