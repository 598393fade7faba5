//! The ways in which people keep their hooks. Each hook notes its name, its arguments and its input.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::script;
use crate::support::{World, missing};

const EVENTS: [&str; 4] = ["post-merge", "post-checkout", "post-rewrite", "pre-push"];

/// A layout: its name, how it is made, where one works in it.
pub struct Layout {
    pub name: &'static str,
    /// Makes it; false where a tool is missing.
    pub make: fn(&World) -> bool,
    pub folder: &'static str,
}

pub const LAYOUTS: [Layout; 13] = [
    Layout {
        name: "none",
        make: none,
        folder: "repo",
    },
    Layout {
        name: "samples",
        make: |_| true,
        folder: "repo",
    },
    Layout {
        name: "shell",
        make: shell,
        folder: "repo",
    },
    Layout {
        name: "python",
        make: python,
        folder: "repo",
    },
    Layout {
        name: "husky 8",
        make: husky_8,
        folder: "repo",
    },
    Layout {
        name: "husky 9",
        make: husky_9,
        folder: "repo",
    },
    Layout {
        name: "lefthook",
        make: lefthook,
        folder: "repo",
    },
    Layout {
        name: "pre-commit",
        make: pre_commit,
        folder: "repo",
    },
    Layout {
        name: "global path",
        make: global_path,
        folder: "repo",
    },
    Layout {
        name: "worktree",
        make: worktree,
        folder: "tree",
    },
    Layout {
        name: "submodule",
        make: submodule,
        folder: "above/below",
    },
    Layout {
        name: "read-only",
        make: read_only,
        folder: "repo",
    },
    Layout {
        name: "strict shell",
        make: strict,
        folder: "repo",
    },
];

/// The folder with the managers, where it is there.
pub fn managers() -> Option<PathBuf> {
    let folder =
        std::env::var_os("GIT_BEADS_CLIENTS").map(|folder| PathBuf::from(folder).join("hooks"));
    let folder = folder.filter(|folder| folder.join("node_modules/husky9").is_dir());
    if folder.is_none() {
        missing("a folder of hook managers that GIT_BEADS_CLIENTS names (.ci/run installs them)");
    }
    folder
}

/// What notes a call, in shell.
fn note(event: &str) -> String {
    format!(
        "echo \"{event} $# ${{3-}}\" >>\"$HOME/log\"; case {event} in pre-push) cat >>\"$HOME/log\";; esac\n"
    )
}

fn none(world: &World) -> bool {
    std::fs::remove_dir_all(world.path("repo/.git/hooks")).unwrap();
    true
}

fn shell(world: &World) -> bool {
    for event in EVENTS {
        script(
            world,
            &format!("repo/.git/hooks/{event}"),
            &format!("#!/bin/sh\n{}exit 0", note(event)),
        );
    }
    // Git takes this code for its own.
    script(
        world,
        "repo/.git/hooks/post-checkout",
        &format!("#!/usr/bin/env bash\n{}exit 3\n", note("post-checkout")),
    );
    true
}

/// A hook that waits for what it has started, and stops at anything undefined.
fn strict(world: &World) -> bool {
    for event in EVENTS {
        let text = format!("#!/bin/sh -eu\ntrue &\nwait\n{}", note(event));
        script(world, &format!("repo/.git/hooks/{event}"), &text);
    }
    true
}

fn python(world: &World) -> bool {
    if !world.lend("python3") {
        return false;
    }
    for event in EVENTS {
        let text = format!(
            "#!/usr/bin/env python3\nimport os, sys\nopen(os.environ['HOME'] + '/log', 'a').write('{event} %d\\n' % (len(sys.argv) - 1))\n"
        );
        script(world, &format!("repo/.git/hooks/{event}"), &text);
    }
    true
}

fn husky_8(world: &World) -> bool {
    let Some(folder) = managers().filter(|_| world.lend("node")) else {
        return false;
    };
    let husky = folder
        .join("node_modules/husky8/lib/bin.js")
        .display()
        .to_string();
    world
        .run(world.command("repo", "node", &[&husky, "install"]), None)
        .ok();
    for event in EVENTS {
        let line = note(event);
        world
            .run(
                world.command(
                    "repo",
                    "node",
                    &[&husky, "add", &format!(".husky/{event}"), line.trim()],
                ),
                None,
            )
            .ok();
    }
    true
}

fn husky_9(world: &World) -> bool {
    let Some(folder) = managers().filter(|_| world.lend("node")) else {
        return false;
    };
    let husky = folder
        .join("node_modules/husky9/bin.js")
        .display()
        .to_string();
    world
        .run(world.command("repo", "node", &[&husky]), None)
        .ok();
    for event in EVENTS {
        world.file(&format!("repo/.husky/{event}"), note(event));
    }
    true
}

fn lefthook(world: &World) -> bool {
    let Some(folder) = managers().filter(|_| world.lend("node")) else {
        return false;
    };
    let mut config = "output: false\n".to_owned();
    for event in EVENTS {
        config += &format!("{event}:\n  jobs:\n    - run: echo {event} >>\"$HOME/log\"\n");
    }
    world.file("repo/lefthook.yml", config);
    let lefthook = folder
        .join("node_modules/lefthook/bin/index.js")
        .display()
        .to_string();
    world
        .run(world.command("repo", "node", &[&lefthook, "install"]), None)
        .ok();
    true
}

fn pre_commit(world: &World) -> bool {
    let Some(folder) = managers() else {
        return false;
    };
    let mut config = "repos:\n- repo: local\n  hooks:\n".to_owned();
    for event in EVENTS {
        config += &format!(
            "    - {{id: n-{event}, name: n, entry: sh -c 'echo {event} >>\"$HOME/log\"', language: system, stages: [{event}], always_run: true, pass_filenames: false}}\n"
        );
    }
    world.file("repo/.pre-commit-config.yaml", config);
    let program = folder.join("venv/bin/pre-commit").display().to_string();
    let mut args = vec!["install"];
    args.extend(EVENTS.iter().flat_map(|event| ["-t", event]));
    world.run(world.command("repo", &program, &args), None).ok();
    true
}

fn global_path(world: &World) -> bool {
    for event in EVENTS {
        script(
            world,
            &format!("home/hooks/{event}"),
            &format!("#!/bin/sh\n{}", note(event)),
        );
    }
    world
        .git(&["config", "--global", "core.hooksPath", "~/hooks"])
        .ok();
    true
}

fn worktree(world: &World) -> bool {
    shell(world);
    script(
        world,
        "repo/.git/hooks/post-checkout",
        &format!("#!/bin/sh\n{}", note("post-checkout")),
    );
    world
        .git(&["worktree", "add", "--quiet", "-b", "beside", "../tree"])
        .ok();
    true
}

fn submodule(world: &World) -> bool {
    world.git_in(".", &["init", "--quiet", "above"]).ok();
    let add = [
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "../repo",
        "below",
    ];
    world.git_in("above", &add).ok();
    world
        .git_in("above/below", &["remote", "remove", "origin"])
        .ok();
    world.bd_in("above/below", &["init"]).ok();
    for event in EVENTS {
        script(
            world,
            &format!("above/.git/modules/below/hooks/{event}"),
            &format!("#!/bin/sh\n{}", note(event)),
        );
    }
    true
}

fn read_only(world: &World) -> bool {
    shell(world);
    let lock = |path: &str, mode| {
        std::fs::set_permissions(world.path(path), PermissionsExt::from_mode(mode)).unwrap();
    };
    lock("repo/.git/hooks", 0o555);
    true
}
