//! Packs that come and go, made cheaply.

use std::fs;
use std::path::PathBuf;

use super::World;

/// Packs of the user's own: copies of one tiny pack under other names.
pub struct Packs {
    folder: PathBuf,
    model: PathBuf,
    made: Vec<PathBuf>,
}

impl Packs {
    pub fn new(world: &World) -> Self {
        let folder = world.path("repo/.git/objects/pack");
        let model = world.path("model");
        let make = format!(
            "echo text | git hash-object -w --stdin | git pack-objects -q {}",
            model.display()
        );
        let mut command = world.command("repo", "sh", &["-c", &make]);
        let id = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let model = world.path(&format!("model-{}", id.trim()));
        assert!(model.with_extension("idx").exists(), "{id}");
        let made = Vec::new();
        Self {
            folder,
            model,
            made,
        }
    }

    /// So many come.
    pub fn come(&mut self, n: usize) {
        for _ in 0..n {
            let pack = self.folder.join(format!("pack-{:040x}", self.made.len()));
            for ending in ["pack", "idx"] {
                let to = pack.with_extension(ending);
                fs::hard_link(self.model.with_extension(ending), to).unwrap();
            }
            self.made.push(pack);
        }
    }

    /// How many have come so far.
    pub fn count(&self) -> usize {
        self.made.len()
    }

    /// All go.
    pub fn go(&mut self) {
        for pack in &self.made {
            for ending in ["idx", "pack"] {
                let _ = fs::remove_file(pack.with_extension(ending));
            }
        }
    }
}
