//! The verbs that read and write files.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use super::args::{ExportArgs, ImportArgs, InitArgs};
use super::query::query;
use super::render;
use super::ui::{Meter, Ui, talk};
use crate::files::AtomicFile;
use crate::ops::verbs::export::{Export, Format};
use crate::ops::{self, Code, Command, Error, Hint, Result, Retry, Tracker};

pub(super) fn init(tracker: &Tracker, ui: &mut Ui, args: &InitArgs) -> Result<u8> {
    // A file that can't be opened should be known before anything is made.
    let input = args
        .import
        .as_deref()
        .map(|file| open_input(&ui.path(file)))
        .transpose()?;
    let answer = ops::verbs::init::init(
        tracker,
        &ops::verbs::init::Init {
            prefix: args.prefix.clone(),
            remote: args.remote.clone(),
            new: args.new,
        },
    )?;
    match input {
        None => {
            ui.answer(
                answer,
                |answer| vec![answer.prefix.clone()],
                render::initialised,
            );
            Ok(0)
        }
        Some((name, file)) => import_file(tracker, ui, &name, file),
    }
}

pub(super) fn import(tracker: &Tracker, ui: &mut Ui, args: &ImportArgs) -> Result<u8> {
    if !ops::verbs::init::exists(tracker)? {
        let error = Error::from(crate::store::StoreError::NoStore(tracker.store().place()));
        return Err(error.hinted(
            Command::of("init")
                .flag("--import")
                .text(args.file.display()),
        ));
    }
    let (name, file) = open_input(&ui.path(&args.file))?;
    import_file(tracker, ui, &name, file)
}

fn import_file(tracker: &Tracker, ui: &mut Ui, name: &str, file: File) -> Result<u8> {
    let mut meter = Meter::new("importing");
    let answer = ops::verbs::import::import(tracker, name, file, &mut |done, total| {
        meter.step(done, total);
    })?;
    drop(meter);
    for error in &answer.errors {
        talk(
            "error",
            &format!("{name}: line {}: {}", error.line, error.message),
        );
    }
    if !answer.errors.is_empty() {
        talk(
            "hint",
            "mend these lines and import the file again; what is here already stays as it is",
        );
    }
    let partial = !answer.errors.is_empty();
    ui.answer(answer, |_| Vec::new(), render::imported);
    Ok(u8::from(partial))
}

pub(super) fn export(tracker: &Tracker, ui: &mut Ui, args: &ExportArgs) -> Result<u8> {
    if let Some((option, _)) = [("--csv", args.csv), ("--html", args.html)]
        .into_iter()
        .find(|(_, asked)| *asked)
    {
        ui.refuse(&["--json"], option, "export")?;
    }
    let format = match (args.csv, args.html) {
        (true, _) => Format::Csv,
        (_, true) => Format::Html,
        _ => Format::Jsonl,
    };
    let request = Export {
        format,
        query: query(tracker, &args.filter, 0),
    };
    let mut meter = Meter::new("exporting");
    let mut step = |done, total| meter.step(done, total);
    let mut run =
        |out: &mut dyn Write| ops::verbs::export::export(tracker, &request, out, &mut step);
    let exported = match args.file.as_ref().filter(|path| path.as_os_str() != "-") {
        None => ui.stream(|out| run(out))?,
        Some(path) => match put(&ui.path(path), &mut run) {
            // What was damaged may be mended by now.
            Err(error) => match error.code.retry() {
                Retry::Again | Retry::RepairStore | Retry::RebuildIndex => {
                    put(&ui.path(path), &mut run)?
                }
                Retry::No | Retry::ReopenRepository => return Err(error),
            },
            Ok(exported) => exported,
        },
    };
    Ok(u8::from(exported == 0 && args.filter.exit_code))
}

/// Replaces a file when all of it is written, so that what fails leaves the old one; what is no file is written to.
pub(super) fn put<T>(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<T>) -> Result<T> {
    let failed = |error: std::io::Error| {
        let message = format!("can't write {}: {}", path.display(), error.kind());
        Error::new(Code::Io, message).hinted(Hint::text(
            "name a file in a folder that exists and that you may write to",
        ))
    };
    if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
        return write(&mut File::options().write(true).open(path).map_err(failed)?);
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    std::fs::metadata(folder).map_err(failed)?;
    let mut new = AtomicFile::of(path, 0o666).map_err(failed)?;
    let mut out = BufWriter::new(new.file());
    let written = write(&mut out)?;
    out.flush().map_err(failed)?;
    drop(out);
    new.finish().map_err(failed)?;
    Ok(written)
}

fn open_input(path: &Path) -> Result<(String, File)> {
    if path.as_os_str() == "-" {
        return Ok((
            "-".to_owned(),
            ops::verbs::import::spool(std::io::stdin().lock())?,
        ));
    }
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned();
    match File::open(path) {
        Ok(file) if file.metadata().is_ok_and(|meta| meta.is_file()) => Ok((name, file)),
        Ok(file) => Ok((name, ops::verbs::import::spool(file)?)),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::not_found(format!("can't read {}: {error}", path.display())).hinted(Hint::text(
        "name a file that exists, or - for standard input",
    ))
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
        Error::invalid(format!("{} is not UTF-8", path.display()))
            .hinted(Hint::again("save it as UTF-8 and ", ""))
    })
}
