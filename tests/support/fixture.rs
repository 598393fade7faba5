//! Worlds that many tests begin with: made once a run, step by step, kept in memory, and written out for each test.
//!
//! A copy has neither journal nor cache: the program would believe neither in another place, and would pack the journal
//! in the background, beside what a test does next. A test of these makes its world by `with_store_made_here` or
//! `two_clones_made_here`.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::{World, ref_format};

/// What a world holds, without the path at which it was made.
struct Fixture {
    steps: u64,
    entries: Vec<Entry>,
}

/// A file, or a folder, which has no content and comes before what is in it.
struct Entry {
    path: PathBuf,
    permissions: Permissions,
    content: Option<Vec<u8>>,
}

/// Stands for the path of the world in the files that name it.
const PLACE: &str = "/the/place/of/the/world";

impl World {
    /// Returns a copy of what `make` makes; it is called once for each name and format of refs.
    pub fn copied(name: &str, make: fn() -> Self) -> Self {
        static MADE: Mutex<BTreeMap<String, Arc<Fixture>>> = Mutex::new(BTreeMap::new());
        let key = format!("{name} {}", ref_format().unwrap_or_default());
        let made = || MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let is_made = made().contains_key(&key);
        if !is_made {
            // Not under the lock: one may begin with a copy of another.
            let fixture = Arc::new(Fixture::of(&make()));
            made().insert(key.clone(), fixture);
        }
        let fixture = Arc::clone(&made()[&key]);
        fixture.world()
    }
}

impl Fixture {
    fn of(world: &World) -> Self {
        let mut fixture = Self {
            steps: world.step.get(),
            entries: Vec::new(),
        };
        fixture.read(world.folder.path(), Path::new(""));
        fixture
    }

    fn read(&mut self, root: &Path, folder: &Path) {
        for found in fs::read_dir(root.join(folder)).unwrap() {
            let found = found.unwrap();
            let path = folder.join(found.file_name());
            let name = found.file_name();
            let is_cache = name.as_encoded_bytes().starts_with(b"index");
            if folder.ends_with(".git/beads") && (is_cache || name == "journal") {
                continue;
            }
            let metadata = found.metadata().unwrap();
            let content = metadata.is_file().then(|| {
                let content = fs::read(found.path()).unwrap();
                replaced(content, root.to_str().unwrap(), PLACE)
            });
            self.entries.push(Entry {
                path: path.clone(),
                permissions: metadata.permissions(),
                content,
            });
            if metadata.is_dir() {
                self.read(root, &path);
            }
        }
    }

    fn world(&self) -> World {
        let world = World::bare();
        world.step.set(self.steps);
        let root = world.folder.path();
        for entry in &self.entries {
            let path = root.join(&entry.path);
            match &entry.content {
                None => fs::create_dir(&path).unwrap(),
                Some(content) => {
                    let content = replaced(content.clone(), PLACE, root.to_str().unwrap());
                    fs::write(&path, content).unwrap();
                }
            }
            fs::set_permissions(&path, entry.permissions.clone()).unwrap();
        }
        world
    }
}

/// Replaces a path in a text; what is no text stays as it is.
fn replaced(content: Vec<u8>, path: &str, by: &str) -> Vec<u8> {
    match String::from_utf8(content) {
        Ok(text) => text.replace(path, by).into_bytes(),
        Err(binary) => binary.into_bytes(),
    }
}
