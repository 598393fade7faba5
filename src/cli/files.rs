//! The verbs that read and write files.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use super::args::{ExportArgs, ImportArgs, InitArgs};
use super::render;
use super::ui::{Meter, Ui, talk};
use crate::ops::{self, Error, Kind, Result, Tracker};

pub(super) fn init(tracker: &Tracker, ui: &mut Ui, args: &InitArgs) -> Result<u8> {
    // A file that can't be opened should be known before anything is made.
    let input = args.import.as_deref().map(|file| open_input(&ui.path(file))).transpose()?;
    let answer =
        ops::init::init(tracker, &ops::init::Init { prefix: args.prefix.clone(), remote: args.remote.clone() })?;
    match input {
        None => {
            ui.answer(answer, |answer| vec![answer.prefix.clone()], render::initialised);
            Ok(0)
        }
        Some((name, file)) => import_file(tracker, ui, &name, file),
    }
}

pub(super) fn import(tracker: &Tracker, ui: &mut Ui, args: &ImportArgs) -> Result<u8> {
    if !ops::init::exists(tracker)? {
        let error = Error::from(crate::store::StoreError::NoStore(tracker.store().place()));
        return Err(error.hinted(format!("git beads init --import {}", args.file.display())));
    }
    let (name, file) = open_input(&ui.path(&args.file))?;
    import_file(tracker, ui, &name, file)
}

fn import_file(tracker: &Tracker, ui: &mut Ui, name: &str, file: File) -> Result<u8> {
    let mut meter = Meter::new("importing");
    let answer = ops::import::import(tracker, name, file, &mut |done, total| meter.step(done, total))?;
    drop(meter);
    for error in &answer.errors {
        talk("error", &format!("{name}: line {}: {}", error.line, error.message));
    }
    if !answer.errors.is_empty() {
        talk("hint", "mend these lines and import the file again; what is here already stays as it is");
    }
    let partial = !answer.errors.is_empty();
    ui.answer(answer, |_| Vec::new(), render::imported);
    Ok(u8::from(partial))
}

pub(super) fn export(tracker: &Tracker, ui: &mut Ui, args: &ExportArgs) -> Result<()> {
    let format = if args.csv { ops::export::Format::Csv } else { ops::export::Format::Jsonl };
    let mut meter = Meter::new("exporting");
    let mut step = |done, total| meter.step(done, total);
    match &args.file {
        None => ui.stream(|out| ops::export::export(tracker, format, out, &mut step)).map(|_| ()),
        Some(path) if path.as_os_str() == "-" => {
            ui.stream(|out| ops::export::export(tracker, format, out, &mut step)).map(|_| ())
        }
        Some(path) => put(&ui.path(path), |out| ops::export::export(tracker, format, out, &mut step).map(|_| ())),
    }
}

/// Writes beside a file and renames, so that what fails leaves the old one.
pub(super) fn put(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let failed = |error: std::io::Error| {
        let message = format!("can't write {}: {}", path.display(), error.kind());
        Error::new(Kind::Io, "io", message).hinted("name a file in a folder that exists and that you may write to")
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let scratch = tempfile::Builder::new().prefix(".git-beads-").tempfile_in(folder).map_err(failed)?;
    let mut out = std::io::BufWriter::new(scratch);
    write(&mut out)?;
    let scratch = out.into_inner().map_err(|error| failed(error.into_error()))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(scratch.path(), std::fs::Permissions::from_mode(0o644)).map_err(failed)?;
    }
    scratch.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

fn open_input(path: &Path) -> Result<(String, File)> {
    if path.as_os_str() == "-" {
        return Ok(("-".to_owned(), ops::import::spool(std::io::stdin().lock())?));
    }
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    match File::open(path) {
        Ok(file) if file.metadata().is_ok_and(|meta| meta.is_file()) => Ok((name, file)),
        Ok(file) => Ok((name, ops::import::spool(file)?)),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::not_found(format!("can't read {}: {error}", path.display()))
        .hinted("name a file that exists, or - for standard input")
}

pub(super) fn read_text(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
    } else {
        std::fs::read(path).map(|read| bytes = read)
    };
    read.map_err(|error| unreadable(path, &error))?;
    String::from_utf8(bytes).map_err(|_| {
        Error::invalid(format!("{} is not UTF-8", path.display())).hinted("save it as UTF-8 and run the command again")
    })
}
