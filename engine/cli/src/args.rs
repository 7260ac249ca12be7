//! The arguments of one command: its options and operands, checked against those that the command
//! accepts.

use std::fmt::Write as _;

use mm::read::nearest;

use crate::failure::{Failure, Outcome, bad};

/// One option of a command.
#[derive(Debug, Clone, Copy)]
pub struct Opt {
    /// Its name, with two hyphens.
    pub name: &'static str,
    /// The name of its value in the help; none for a switch.
    pub value: Option<&'static str>,
    /// Whether it may be given more than once, and with several values.
    pub many: bool,
    /// The text in the help.
    pub about: &'static str,
}

/// One command.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// A one-line description.
    pub about: &'static str,
    /// The name of its operand in the help, if it has one; `NAME...` if it takes several.
    pub operand: Option<&'static str>,
    /// Its options.
    pub options: &'static [Opt],
    /// Further notes in the help.
    pub notes: &'static str,
}

/// The parsed words after a command.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    operands: Vec<String>,
    values: Vec<(&'static str, String)>,
}

impl Parsed {
    /// The operand, or the first of several.
    pub fn operand(&self) -> Option<&str> {
        self.operands.first().map(String::as_str)
    }

    /// All operands, of a command that takes several.
    pub fn operands(&self) -> &[String] {
        &self.operands
    }

    /// An option's value.
    pub fn value(&self, name: &str) -> Option<&str> {
        let mut values = self.values.iter();
        values
            .find(|(n, _)| *n == name)
            .map(|(_, value)| value.as_str())
    }

    /// All values of an option.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let of_name = self.values.iter().filter(move |(n, _)| *n == name);
        of_name.map(|(_, value)| value.as_str())
    }

    /// The same words without an option.
    pub fn without(&self, name: &str) -> Parsed {
        let values = self.values.iter().filter(|(n, _)| *n != name);
        Parsed {
            operands: self.operands.clone(),
            values: values.cloned().collect(),
        }
    }

    /// Whether this switch is given.
    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }
}

impl Command {
    /// Parses the words of a command.
    ///
    /// # Errors
    /// An argument is wrong; the sentence names it.
    pub fn parse(&self, words: &[String]) -> Outcome<Parsed> {
        let mut parsed = Parsed::default();
        let mut words = words.iter().map(String::as_str).peekable();
        let mut only_operands = false;
        // After `--set a=1` further settings may follow: `--set a=1 b=2`.
        let mut open: Option<&'static str> = None;
        while let Some(word) = words.next() {
            if only_operands || word == "-" || !word.starts_with('-') {
                match open.filter(|_| !only_operands && is_setting(word)) {
                    Some(name) => parsed.values.push((name, word.to_string())),
                    None => self.add_operand(&mut parsed, word)?,
                }
                continue;
            }
            if word == "--" {
                only_operands = true;
                continue;
            }
            let (name, inline) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word, None),
            };
            let opt = self.option(name)?;
            let Some(placeholder) = opt.value else {
                if inline.is_some() {
                    return Err(bad(format!("{name} is a switch and takes no value")));
                }
                self.add(&mut parsed, opt, "")?;
                continue;
            };
            let next = words.next_if(|next| inline.is_none() && !next.starts_with("--"));
            let Some(value) = inline.or(next) else {
                return Err(bad(format!("{name} needs a value: {name} {placeholder}")));
            };
            if value.is_empty() {
                return Err(bad(format!(
                    "the value of {name} is empty: write {name} {placeholder}"
                )));
            }
            self.add(&mut parsed, opt, value)?;
            open = opt.many.then_some(opt.name);
        }
        Ok(parsed)
    }

    fn add(&self, parsed: &mut Parsed, opt: &Opt, value: &str) -> Outcome<()> {
        if !opt.many && parsed.has(opt.name) {
            return Err(bad(format!("{} is given twice", opt.name)));
        }
        parsed.values.push((opt.name, value.to_string()));
        Ok(())
    }

    fn add_operand(&self, parsed: &mut Parsed, word: &str) -> Outcome<()> {
        let Some(name) = self.operand else {
            let reason = format!("{} takes options only, not {word:?}", self.name);
            return Err(self.with_hint(reason));
        };
        if word.is_empty() {
            return Err(bad(format!("{name} is empty")));
        }
        let takes_several = name.ends_with("...");
        if let Some(first) = parsed.operands.first().filter(|_| !takes_several) {
            let reason = format!("one {name} at a time: {first:?} or {word:?}?");
            return Err(self.with_hint(reason));
        }
        parsed.operands.push(word.to_string());
        Ok(())
    }

    fn option(&self, name: &str) -> Outcome<&'static Opt> {
        if let Some(opt) = self.options.iter().find(|opt| opt.name == name) {
            return Ok(opt);
        }
        let near = nearest(name, self.options.iter().map(|opt| opt.name));
        let guess = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
        let reason = format!("{} has no option {name}{guess}", self.name);
        Err(self.with_hint(reason))
    }

    fn with_hint(&self, reason: String) -> Failure {
        bad(reason).and(format!("see mmscope {} --help", self.name))
    }

    /// The help of this command.
    pub fn help(&self) -> String {
        let mut out = format!("{}\n\n  mmscope {}", self.about, self.name);
        if let Some(operand) = self.operand {
            let _ = write!(out, " {operand}");
        }
        out.push_str(if self.options.is_empty() {
            "\n"
        } else {
            " [OPTIONS]\n\n"
        });
        let left = |opt: &Opt| match opt.value {
            Some(value) => format!("{} {value}", opt.name),
            None => opt.name.to_string(),
        };
        let width = self.options.iter().map(|opt| left(opt).len()).max();
        for opt in self.options {
            let _ = writeln!(
                out,
                "  {:width$}  {}",
                left(opt),
                opt.about,
                width = width.unwrap_or(0)
            );
        }
        if !self.notes.is_empty() {
            let _ = writeln!(out, "\n{}", self.notes);
        }
        out
    }
}

/// `name=value` with a name like a tunable's.
fn is_setting(word: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "._".contains(c))
    };
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAND: Command = Command {
        name: "run",
        about: "Runs.",
        operand: Some("EXPERIMENT"),
        options: &[
            Opt {
                name: "--kernel",
                value: Some("K"),
                many: false,
                about: "the kernel",
            },
            Opt {
                name: "--set",
                value: Some("NAME=VALUE"),
                many: true,
                about: "a tunable",
            },
            Opt {
                name: "--stepped",
                value: None,
                many: false,
                about: "step by step",
            },
        ],
        notes: "",
    };

    fn parse(line: &str) -> Outcome<Parsed> {
        let words: Vec<String> = line.split(' ').map(str::to_string).collect();
        COMMAND.parse(&words)
    }

    fn fault(line: &str) -> String {
        match parse(line) {
            Err(Failure::Bad(reason)) => reason,
            other => panic!("{line:?} gave {other:?}"),
        }
    }

    #[test]
    fn options_parse_in_both_spellings_and_in_any_order() {
        for line in [
            "x --kernel 3.0 --stepped",
            "--stepped --kernel=3.0 x",
            "--kernel 3.0 --stepped -- x",
        ] {
            let parsed = parse(line).expect(line);
            assert_eq!(parsed.operand(), Some("x"));
            assert_eq!(parsed.value("--kernel"), Some("3.0"));
            assert!(parsed.has("--stepped"));
        }
    }

    #[test]
    fn several_settings_may_follow_one_set_option() {
        let parsed = parse("--set a.b=1 c_d=2 --set e=3 x").expect("parses");
        let all: Vec<&str> = parsed.all("--set").collect();
        assert_eq!(all, ["a.b=1", "c_d=2", "e=3"]);
        assert_eq!(parsed.operand(), Some("x"));
        assert_eq!(parse("--set a=1 -").expect("-").operand(), Some("-"));
        let parsed = parse("--set a=1 ./x=1").expect("a path");
        assert_eq!(parsed.operand(), Some("./x=1"));
    }

    #[test]
    fn an_error_names_the_invalid_word() {
        for (line, says) in [
            ("--kernle 3.0", "did you mean --kernel?"),
            ("--kern 3.0", "did you mean --kernel?"),
            ("-k 3.0", "no option -k"),
            ("--frobnicate", "no option --frobnicate"),
            ("--kernel", "--kernel needs a value: --kernel K"),
            ("--kernel --stepped", "--kernel needs a value"),
            ("--kernel=", "the value of --kernel is empty"),
            ("--kernel 1 --kernel 2", "--kernel is given twice"),
            ("--stepped --stepped", "--stepped is given twice"),
            ("--stepped=yes", "takes no value"),
            ("a b", "one EXPERIMENT at a time"),
            ("", "EXPERIMENT is empty"),
        ] {
            let reason = fault(line);
            assert!(reason.contains(says), "{line:?}: {reason}");
        }
    }

    #[test]
    fn help_lists_every_option() {
        let help = COMMAND.help();
        for opt in COMMAND.options {
            assert!(
                help.contains(opt.name) && help.contains(opt.about),
                "{help}"
            );
        }
    }
}
