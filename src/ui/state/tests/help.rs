//! The list of keys.

use super::*;

#[test]
fn the_list_of_keys_says_what_it_is_and_how_much_of_it_is_seen() {
    let mut town = Town::new(false, [0, 3, 0]);
    town.settle();
    town.happens(Happens::Key("?"));
    let frame = town.text_of_picture();
    assert!(frame.contains("\n KEYS AND SIGNS"), "{frame}");
    let last = |frame: &str| frame.lines().last().unwrap().to_owned();
    let all = town.state.help_lines().len();
    assert!(last(&frame).starts_with(&format!(" j k more, 1-18 of {all}  Esc leave")));
    town.happens(Happens::Key("G"));
    let frame = town.text_of_picture();
    // Not beyond its end, and below the title all the same.
    assert!(frame.contains("\n KEYS AND SIGNS") && frame.contains("sign *"));
    assert!(last(&frame).contains(&format!("{}-{all} of {all}", all - 17)));
    town.happens(Happens::Resize(80, 120));
    let frame = town.text_of_picture();
    assert!(frame.contains("\n MOVE\n") && frame.contains("sign *"));
    assert!(last(&frame).starts_with(" Esc leave"), "{frame}");
    for size in [(24, 6), (10, 3), (40, 8)] {
        town.happens(Happens::Resize(size.0, size.1));
        town.happens(Happens::Key("j"));
        town.text_of_picture();
    }
}
