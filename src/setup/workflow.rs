//! Files that the host of a repository runs, and texts for the settings of a vendor: the same steps are in several of them.

/// A text with lines that stand for the steps of another file.
#[derive(Clone, Copy)]
pub(super) struct Template(pub(super) &'static str);

/// Lines of templates, and the steps that they stand for. Steps can have a line that is further down in this list.
const STEPS: [(&str, &str); 3] = [
    ("INSTALL", include_str!("../../hooks/cloud/install.sh")),
    ("CLEAN", include_str!("../../hooks/ci/clean.sh")),
    ("LAND", include_str!("../../hooks/ci/land.sh")),
];

impl Template {
    /// Returns the text with all steps, each as far to the right as the line in their place.
    pub(super) fn text(self) -> String {
        let all = STEPS.iter();
        all.fold(self.0.to_owned(), |text, step| put_in(&text, step))
    }
}

/// Returns a text with the steps of a name in the place of the lines that stand for them.
fn put_in(text: &str, (name, steps): &(&str, &str)) -> String {
    let mut whole = String::new();
    for line in text.split_inclusive('\n') {
        let (bare, indent) = (line.trim(), line.len() - line.trim_start().len());
        if bare != *name {
            whole.push_str(line);
            continue;
        }
        for step in steps.split_inclusive('\n') {
            whole.extend([&line[..indent], step]);
        }
    }
    whole
}

/// A file that the host of a repository runs.
#[derive(Clone, Copy)]
pub(super) struct Workflow {
    pub(super) template: Template,
    /// The beginning of what belongs into a file of this name that does something else already; empty for all of it.
    pub(super) own_part: &'static str,
}

impl Workflow {
    /// Returns what belongs into a file that does something else already.
    pub(super) fn step(self) -> String {
        let text = self.template.text();
        let at = text.find(self.own_part).unwrap_or_default();
        text[at..].to_owned()
    }

    /// Returns true if a text has the step, at any indentation.
    pub(super) fn is_in(self, text: &str) -> bool {
        let bare = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
        bare(text).contains(&bare(&self.step()))
    }
}
