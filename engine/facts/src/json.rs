//! JSON text into a tree of values.
//!
//! Modelled: all of JSON (RFC 8259), and where a text breaks its rules.
//! Left out: the value of fractions: they are kept as written, because no field takes one, and
//! reading and printing them exactly is more code than the buddy allocator.
//! Invariants: a value written with serde and read is the same value; nesting is bounded, so that
//! no text exhausts the stack.

mod write;

use std::fmt;

pub use write::text;

use serde::ser::{Error, Serialize, Serializer};

use crate::ordered::Map;

/// Deepest nesting.
const MAX_DEPTH: u32 = 128;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number from 0 to 2^64 - 1.
    Number(u64),
    /// Any other number, as written.
    OtherNumber(String),
    /// Text.
    String(String),
    /// A list.
    Array(Vec<Value>),
    /// An object.
    Object(Map<String, Value>),
}

impl Value {
    /// The text, where it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// A field of an object.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Object(map) => map.get(name),
            _ => None,
        }
    }
}

/// A fraction cannot be written: nothing that was accepted holds one.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(flag) => serializer.serialize_bool(*flag),
            Value::Number(number) => serializer.serialize_u64(*number),
            Value::OtherNumber(_) => Err(S::Error::custom("no field takes such a number")),
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(items) => items.serialize(serializer),
            Value::Object(map) => map.serialize(serializer),
        }
    }
}

/// Why a text is no JSON, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub reason: String,
    /// Line, from 1.
    pub line: usize,
    /// Byte in the line, from 1.
    pub column: usize,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (reason, line, column) = (&self.reason, self.line, self.column);
        write!(f, "{reason} at line {line} column {column}")
    }
}

/// Reads a text that is one value.
///
/// # Errors
/// The first fault.
pub fn parse(text: &str) -> Result<Value, Fault> {
    let mut parser = Parser {
        text,
        at: 0,
        depth: 0,
    };
    let value = parser.value()?;
    match parser.next_byte() {
        None => Ok(value),
        Some(_) => Err(parser.fault("trailing characters")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
}

impl Parser<'_> {
    fn fault(&self, reason: impl Into<String>) -> Fault {
        let before = &self.text.as_bytes()[..self.at.min(self.text.len())];
        let line_start = before
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |n| n + 1);
        Fault {
            reason: reason.into(),
            line: 1 + before.iter().filter(|&&b| b == b'\n').count(),
            // A text that ends too early is at fault where it ends.
            column: before.len() - line_start + usize::from(self.at < self.text.len()),
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is no blank.
    fn next_byte(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.byte() {
            self.at += 1;
        }
        self.byte()
    }

    fn value(&mut self) -> Result<Value, Fault> {
        match self.next_byte() {
            None => Err(self.fault("EOF while parsing a value")),
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'n') => self.word("null", Value::Null),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(_) => Err(self.fault("expected value")),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, Fault> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(self.fault("expected ident"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Fault>) -> Result<Value, Fault> {
        self.at += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.fault("recursion limit exceeded"));
        }
        let value = read(self)?;
        self.at += 1;
        self.depth -= 1;
        Ok(value)
    }

    /// After an item: goes on behind a comma, or says that the end was reached.
    fn goes_on(&mut self, end: u8, cut_short: &str, expected: &str) -> Result<bool, Fault> {
        match self.next_byte() {
            Some(b',') => {
                self.at += 1;
                match self.next_byte() {
                    Some(byte) if byte == end => Err(self.fault("trailing comma")),
                    _ => Ok(true),
                }
            }
            Some(byte) if byte == end => Ok(false),
            Some(_) => Err(self.fault(expected)),
            None => Err(self.fault(cut_short)),
        }
    }

    fn array(&mut self) -> Result<Value, Fault> {
        let mut items = Vec::new();
        let mut more = self.next_byte() != Some(b']');
        while more {
            items.push(self.value()?);
            more = self.goes_on(b']', "EOF while parsing a list", "expected `,` or `]`")?;
        }
        Ok(Value::Array(items))
    }

    fn object(&mut self) -> Result<Value, Fault> {
        let mut entries = Vec::new();
        let mut more = self.next_byte() != Some(b'}');
        while more {
            let key = match self.next_byte() {
                Some(b'"') => self.string()?,
                Some(_) => return Err(self.fault("key must be a string")),
                None => return Err(self.fault("EOF while parsing an object")),
            };
            match self.next_byte() {
                Some(b':') => self.at += 1,
                Some(_) => return Err(self.fault("expected `:`")),
                None => return Err(self.fault("EOF while parsing an object")),
            }
            entries.push((key, self.value()?));
            more = self.goes_on(b'}', "EOF while parsing an object", "expected `,` or `}`")?;
        }
        let map = Map::of_unique(entries);
        map.map(Value::Object)
            .map_err(|key| self.fault(format!("the key {} stands twice in one object", text(&key))))
    }

    /// What was passed since: both ends stand beside ASCII, so no character is cut.
    fn since(&self, from: usize) -> &str {
        self.text.get(from..self.at).unwrap_or_default()
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while let Some(b'0'..=b'9') = self.byte() {
            self.at += 1;
        }
        self.at - from
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let from = self.at;
        self.at += usize::from(self.byte() == Some(b'-'));
        let leading_zero = self.byte() == Some(b'0');
        let digits = self.digits();
        let mut is_sound = digits > 0 && !(leading_zero && digits > 1);
        if self.byte() == Some(b'.') {
            self.at += 1;
            is_sound &= self.digits() > 0;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            self.at += usize::from(matches!(self.byte(), Some(b'+' | b'-')));
            is_sound &= self.digits() > 0;
        }
        if !is_sound {
            return Err(self.fault("invalid number"));
        }
        let written = self.since(from);
        Ok(match written.parse() {
            Ok(number) => Value::Number(number),
            Err(_) => Value::OtherNumber(written.to_string()),
        })
    }

    /// A string; the parser stands at its first quote.
    fn string(&mut self) -> Result<String, Fault> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let from = self.at;
            while !matches!(self.byte(), None | Some(b'"' | b'\\' | 0..=31)) {
                self.at += 1;
            }
            out.push_str(self.since(from));
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.at += 1;
                    out.push(self.escaped()?);
                }
                Some(_) => return Err(self.fault("control character in a string")),
                None => return Err(self.fault("EOF while parsing a string")),
            }
        }
    }

    /// The character after a backslash.
    fn escaped(&mut self) -> Result<char, Fault> {
        let Some(byte) = self.byte() else {
            return Err(self.fault("EOF while parsing a string"));
        };
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => byte.into(),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => {
                self.at -= 1;
                return Err(self.fault("invalid escape"));
            }
        })
    }

    /// The character of `\uXXXX`, or of two of them that are one.
    fn unicode(&mut self) -> Result<char, Fault> {
        let mut code = self.four_digits()?;
        let is_first_half = (0xd800..0xdc00).contains(&code);
        if is_first_half && self.text.as_bytes()[self.at..].starts_with(b"\\u") {
            self.at += 2;
            let low = self.four_digits()?.wrapping_sub(0xdc00);
            if low < 0x400 {
                code = 0x10000 + ((code - 0xd800) << 10) + low;
            }
        }
        char::from_u32(code).ok_or_else(|| self.fault("half of a character in a string"))
    }

    fn four_digits(&mut self) -> Result<u32, Fault> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.byte().and_then(|byte| char::from(byte).to_digit(16));
            code = code << 4 | digit.ok_or_else(|| self.fault("invalid escape"))?;
            self.at += 1;
        }
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every text here is read by both, and they agree.
    #[test]
    fn it_reads_what_serde_json_reads() {
        let texts = [
            " {} ",
            "[]",
            "[1, 20 ,300]\n",
            r#"{"b": [true, false, null], "a": {"c": "d"}}"#,
            r#""\u0041\n\t\\\"\/ \ud83d\ude00 é""#,
            "18446744073709551615",
            "0",
        ];
        for text in texts {
            let ours = parse(text).expect(text);
            let theirs: serde_json::Value = serde_json::from_str(text).expect(text);
            assert_eq!(serde_json::to_value(&ours).expect(text), theirs);
        }
    }

    #[test]
    fn other_numbers_stay_as_written() {
        for text in ["-1", "1.50", "1e3", "-0", "18446744073709551616"] {
            assert_eq!(parse(text), Ok(Value::OtherNumber(text.to_string())));
        }
    }

    /// Refused by both, in the same line.
    #[test]
    fn it_refuses_what_serde_json_refuses() {
        let texts = [
            "",
            "  \n ",
            "{",
            "[1,",
            "[1 2]",
            "[1,]",
            "{\"a\" 1}",
            "{\"a\":1,}",
            "{\"a\":1 \"b\"}",
            "{a: 1}",
            "\n\n  tru",
            "nul",
            "\"abc",
            "01",
            "-",
            "1.",
            "1e",
            "2 3",
            "'a'",
            "\"\\x\"",
            "\"\\ud800\"",
            "\"a\tb\"",
        ];
        for text in texts {
            let ours = parse(text).expect_err(text);
            let theirs = serde_json::from_str::<serde_json::Value>(text).expect_err(text);
            assert_eq!(ours.line, theirs.line(), "{text:?}: {ours}, {theirs}");
        }
        let deep = "[".repeat(200);
        assert!(parse(&deep).is_err());
    }

    #[test]
    fn faults_have_their_place() {
        let said = |text| parse(text).expect_err("no JSON").to_string();
        assert_eq!(
            said("{\n  \"a\": x\n}"),
            "expected value at line 2 column 8"
        );
        assert_eq!(
            said("[1,\n2"),
            "EOF while parsing a list at line 2 column 1"
        );
        assert_eq!(said("[1 2]"), "expected `,` or `]` at line 1 column 4");
        assert_eq!(
            said(r#"{"a": 1, "a": 2}"#),
            "the key \"a\" stands twice in one object at line 1 column 16"
        );
    }
}
