//! Files that the host of a repository runs, and texts for the settings of a vendor: the same steps are in several of them.

/// A text with lines that stand for the steps of another file.
#[derive(Clone, Copy)]
pub(super) struct Template(pub(super) &'static str);

/// Lines of templates, and the steps that they stand for.
const STEPS: [(&str, &str); 2] = [
    ("INSTALL", include_str!("../../hooks/cloud/install.sh")),
    ("CLEAN", include_str!("../../hooks/ci/clean.sh")),
];

impl Template {
    /// Returns the text with all steps, each as far to the right as the line in their place.
    pub(super) fn text(self) -> String {
        let mut text = String::new();
        for line in self.0.split_inclusive('\n') {
            let (bare, indent) = (line.trim(), line.len() - line.trim_start().len());
            match STEPS.iter().find(|(name, _)| *name == bare) {
                None => text.push_str(line),
                Some((_, steps)) => steps
                    .split_inclusive('\n')
                    .for_each(|step| text.extend([&line[..indent], step])),
            }
        }
        text
    }
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
