//! The page understands queries as the command line does: one table is run by both.

use std::path::Path;

use super::export;
use crate::properties::queries::store;

#[test]
fn the_page_finds_what_the_command_line_finds() {
    let world = store();
    if !world.lend("node") {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = |relative: &str| root.join(relative).display().to_string();
    let (script, scripts) = (
        path("tests/clients/page/queries.mjs"),
        path("src/ops/verbs/export/html"),
    );
    let (page, table) = (export(&world), path("tests/queries.json"));
    let command = world.command("repo", "node", &[&script, &scripts, &page, &table]);
    let said = world.run(command, None);
    assert_eq!(said.ok(), "ok\n");
}
