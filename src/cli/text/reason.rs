//! The reason of an agent's work, a line for each part.

use crate::cli::ui::Ui;
use crate::model::Context;

/// Shows the parts that there are, so many columns from the left.
pub(in crate::cli) fn reason(ui: &mut Ui, context: &Context, indent: usize) {
    let parts = [
        ("goal", &context.goal),
        ("memory", &context.memory),
        ("constraints", &context.constraints),
        ("session", &context.session),
    ];
    for (name, text) in parts.into_iter().filter(|(_, text)| !text.is_empty()) {
        let text = format!("{:indent$}{name}: {}", "", ui.one_line(text));
        ui.row(&text);
    }
}
