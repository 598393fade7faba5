//! The registry: each verb is one file, and none names another.

mod accept;
mod answer;
mod ask;
mod assign;
mod blame;
mod block;
mod blocked;
mod board;
mod carry;
mod clone;
mod collect;
mod commit_msg;
mod complete_;
mod completion;
mod conflicts;
mod context;
mod create;
mod defer;
mod delete;
mod demo;
mod dep;
mod diff;
mod doctor;
mod done;
mod edit;
mod export;
mod fetch;
mod graph;
mod hook;
mod hooks;
mod import;
mod inbox;
mod init;
mod label;
mod labels;
mod link;
mod list;
mod log;
mod man;
mod mcp;
mod note;
mod people;
mod prime;
mod priority;
mod pull;
mod purge;
mod push;
mod q;
mod queries;
mod ready;
mod redact;
mod rename;
mod rename_prefix;
mod reopen;
mod resolve;
mod restore;
mod schema;
mod search;
mod serve;
mod settings;
mod setup;
mod show;
mod snapshot;
mod split;
mod start;
mod stats;
mod status;
mod stop;
mod sync;
mod types;
mod ui;
mod unblock;
mod undo;
mod uninstall;
mod update;
mod version;
mod wait;
mod watch;
mod whats_new;
mod where_;

use super::verb::{Cli, Entry, Exit, Verb, entry};
use crate::ops::Result;

/// All verbs, in the order of `--help`.
pub(super) static VERBS: [Entry; 80] = [
    entry::<init::InitArgs>().everyday(),
    entry::<create::CreateArgs>().everyday().takes_texts(),
    entry::<q::QuickArgs>().takes_texts(),
    entry::<list::ListArgs>().everyday(),
    entry::<ready::ReadyArgs>().everyday(),
    entry::<blocked::BlockedArgs>(),
    entry::<show::ShowArgs>().everyday().takes_ids(),
    entry::<search::SearchArgs>().everyday().takes_texts(),
    entry::<update::UpdateArgs>().takes_ids(),
    entry::<edit::EditArgs>(),
    entry::<start::StartArgs>().everyday(),
    entry::<note::NoteArgs>().everyday().takes_texts(),
    entry::<redact::RedactArgs>(),
    entry::<ask::AskArgs>(),
    entry::<answer::AnswerArgs>(),
    entry::<done::DoneArgs>().everyday().takes_ids(),
    entry::<stop::StopArgs>().takes_ids(),
    entry::<accept::AcceptArgs>().takes_ids(),
    entry::<reopen::ReopenArgs>().takes_ids(),
    entry::<block::BlockArgs>().takes_ids(),
    entry::<unblock::UnblockArgs>().takes_ids(),
    entry::<defer::DeferArgs>().takes_ids(),
    entry::<delete::DeleteArgs>().takes_ids(),
    entry::<restore::RestoreArgs>().takes_ids(),
    entry::<rename::RenameArgs>(),
    entry::<rename_prefix::RenamePrefixArgs>(),
    entry::<dep::DepArgs>(),
    entry::<link::LinkArgs>(),
    entry::<split::SplitArgs>(),
    entry::<label::LabelArgs>().takes_ids(),
    entry::<assign::AssignArgs>().takes_ids(),
    entry::<priority::PriorityArgs>().takes_ids(),
    entry::<status::StatusArgs>().everyday(),
    entry::<inbox::InboxArgs>(),
    entry::<board::BoardArgs>().everyday(),
    entry::<ui::UiArgs>(),
    entry::<serve::ServeArgs>(),
    entry::<watch::WatchArgs>(),
    entry::<wait::WaitArgs>().takes_ids(),
    entry::<context::ContextArgs>(),
    entry::<prime::PrimeArgs>(),
    entry::<commit_msg::CommitMsgArgs>(),
    entry::<log::LogArgs>(),
    entry::<whats_new::WhatsNewArgs>(),
    entry::<graph::GraphArgs>(),
    entry::<stats::StatsArgs>(),
    entry::<labels::LabelsArgs>(),
    entry::<types::TypesArgs>(),
    entry::<people::PeopleArgs>(),
    entry::<blame::BlameArgs>(),
    entry::<diff::DiffArgs>(),
    entry::<undo::UndoArgs>(),
    entry::<sync::SyncArgs>().everyday(),
    entry::<push::PushArgs>(),
    entry::<fetch::FetchArgs>(),
    entry::<pull::PullArgs>(),
    entry::<clone::CloneArgs>(),
    entry::<collect::CollectArgs>(),
    entry::<carry::CarryArgs>(),
    entry::<snapshot::SnapshotArgs>(),
    entry::<conflicts::ConflictsArgs>(),
    entry::<resolve::ResolveArgs>(),
    entry::<purge::PurgeArgs>(),
    entry::<import::ImportArgs>(),
    entry::<export::ExportArgs>(),
    entry::<doctor::DoctorArgs>(),
    entry::<uninstall::UninstallArgs>(),
    entry::<where_::WhereArgs>(),
    entry::<setup::SetupArgs>(),
    entry::<hooks::HooksArgs>(),
    entry::<hook::HookArgs>(),
    entry::<mcp::McpArgs>(),
    entry::<completion::CompletionArgs>(),
    entry::<man::ManArgs>(),
    entry::<demo::DemoArgs>(),
    entry::<schema::SchemaArgs>(),
    entry::<queries::QueriesArgs>(),
    entry::<settings::SettingsArgs>(),
    entry::<version::VersionArgs>(),
    entry::<complete_::CompleteArgs>(),
];

const _: () = {
    let mut next = 1;
    while next < VERBS.len() {
        assert!(
            VERBS[next - 1].group as u8 <= VERBS[next].group as u8,
            "verbs of a group stand together, in the order of the groups"
        );
        next += 1;
    }
};

/// Runs a command line that names no verb.
pub(super) fn unnamed(cli: &mut Cli) -> Result<Exit> {
    status::StatusArgs::default().run_in(cli)
}
