//! Values of any type into JSON text, through serde's derived descriptions of them.
//!
//! Modelled: compact JSON, the same text serde_json writes.
//! Left out: fractions, which nothing here holds; names of fields that are not text; serde_json
//! itself, which is compiled anew for each type of field: four times the code of this for the page.
//! Invariants: writing never fails, so the error is a type without values.

use std::fmt;

use serde::ser::{self, Serialize};

/// The JSON of a value.
pub fn text<T: Serialize + ?Sized>(value: &T) -> String {
    let mut writer = Writer(String::new());
    let Ok(()) = value.serialize(&mut writer);
    writer.0
}

/// Writing has no errors.
#[derive(Debug)]
pub enum Never {}

impl fmt::Display for Never {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl std::error::Error for Never {}

impl ser::Error for Never {
    fn custom<T: fmt::Display>(_: T) -> Never {
        unsupported()
    }
}

/// What no type of the engine asks for.
#[cold]
#[inline(never)]
fn unsupported() -> ! {
    panic!("a value of a kind that is never written as JSON")
}

/// Text so far. A comma is due unless it ends where a list, an object or a field begins.
struct Writer(String);

impl Writer {
    fn last(&self) -> Option<&u8> {
        self.0.as_bytes().last()
    }

    #[inline(never)]
    fn comma(&mut self) {
        if !matches!(self.last(), None | Some(b'[' | b'{' | b':')) {
            self.0.push(',');
        }
    }

    #[inline(never)]
    fn word(&mut self, word: &str) {
        self.comma();
        self.0.push_str(word);
    }

    #[inline(never)]
    fn end(&mut self, bracket: char) {
        self.0.push(bracket);
    }

    #[inline(never)]
    fn string(&mut self, text: &str) {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        self.word("\"");
        let mut from = 0;
        for (at, byte) in text.bytes().enumerate() {
            let short = match byte {
                b'"' | b'\\' => byte,
                b'\n' => b'n',
                b'\r' => b'r',
                b'\t' => b't',
                8 => b'b',
                12 => b'f',
                0..32 => b'u',
                _ => continue,
            };
            self.0.push_str(text.get(from..at).unwrap_or_default());
            from = at + 1;
            self.0.push('\\');
            self.0.push(short.into());
            if short == b'u' {
                self.0.push_str("00");
                self.0.push(HEX[usize::from(byte >> 4)].into());
                self.0.push(HEX[usize::from(byte & 15)].into());
            }
        }
        self.0.push_str(text.get(from..).unwrap_or_default());
        self.0.push('"');
    }

    #[inline(never)]
    fn number(&mut self, mut n: u64) {
        self.comma();
        let mut digits = [0; 20];
        let mut at = digits.len();
        while {
            at -= 1;
            digits[at] = b'0' + (n % 10) as u8;
            n /= 10;
            n > 0
        } {}
        for &digit in &digits[at..] {
            self.0.push(digit.into());
        }
    }

    #[inline(never)]
    fn signed(&mut self, n: i64) {
        if n < 0 {
            self.word("-");
            // A digit follows the sign: no comma is due between them.
            let mut digits = Writer(String::new());
            digits.number(n.unsigned_abs());
            self.0.push_str(&digits.0);
        } else {
            self.number(n as u64);
        }
    }

    #[inline(never)]
    fn key(&mut self, name: &str) {
        self.string(name);
        self.0.push(':');
    }
}

type Done = Result<(), Never>;

impl<'a> ser::Serializer for &'a mut Writer {
    type Ok = ();
    type Error = Never;
    type SerializeSeq = &'a mut Writer;
    type SerializeTuple = &'a mut Writer;
    type SerializeTupleStruct = &'a mut Writer;
    type SerializeTupleVariant = ser::Impossible<(), Never>;
    type SerializeMap = &'a mut Writer;
    type SerializeStruct = &'a mut Writer;
    type SerializeStructVariant = ser::Impossible<(), Never>;

    fn serialize_bool(self, flag: bool) -> Done {
        self.word(if flag { "true" } else { "false" });
        Ok(())
    }
    fn serialize_i8(self, n: i8) -> Done {
        self.serialize_i64(n.into())
    }
    fn serialize_i16(self, n: i16) -> Done {
        self.serialize_i64(n.into())
    }
    fn serialize_i32(self, n: i32) -> Done {
        self.serialize_i64(n.into())
    }
    fn serialize_i64(self, n: i64) -> Done {
        self.signed(n);
        Ok(())
    }
    fn serialize_u8(self, n: u8) -> Done {
        self.serialize_u64(n.into())
    }
    fn serialize_u16(self, n: u16) -> Done {
        self.serialize_u64(n.into())
    }
    fn serialize_u32(self, n: u32) -> Done {
        self.serialize_u64(n.into())
    }
    fn serialize_u64(self, n: u64) -> Done {
        self.number(n);
        Ok(())
    }
    fn serialize_f32(self, _: f32) -> Done {
        unsupported()
    }
    fn serialize_f64(self, _: f64) -> Done {
        unsupported()
    }
    fn serialize_char(self, c: char) -> Done {
        self.string(c.encode_utf8(&mut [0; 4]));
        Ok(())
    }
    fn serialize_str(self, text: &str) -> Done {
        self.string(text);
        Ok(())
    }
    fn serialize_bytes(self, _: &[u8]) -> Done {
        unsupported()
    }
    fn serialize_none(self) -> Done {
        self.serialize_unit()
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Done {
        self.word("null");
        Ok(())
    }
    fn serialize_unit_struct(self, _: &'static str) -> Done {
        self.serialize_unit()
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Done {
        self.serialize_str(variant)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Done {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Done {
        unsupported()
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Never> {
        self.word("[");
        Ok(self)
    }
    fn serialize_tuple(self, _: usize) -> Result<Self, Never> {
        self.serialize_seq(None)
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Never> {
        self.serialize_seq(None)
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Never> {
        unsupported()
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self, Never> {
        self.word("{");
        Ok(self)
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Never> {
        self.serialize_map(None)
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Never> {
        unsupported()
    }
}

/// What is written item by item, in brackets.
macro_rules! listed {
    ($($of:ident $item:ident;)+) => { $(
        impl ser::$of for &mut Writer {
            type Ok = ();
            type Error = Never;
            fn $item<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
                value.serialize(&mut **self)
            }
            fn end(self) -> Done {
                Writer::end(self, ']');
                Ok(())
            }
        }
    )+ };
}

listed! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
}

impl ser::SerializeMap for &mut Writer {
    type Ok = ();
    type Error = Never;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Done {
        let Ok(()) = key.serialize(&mut **self);
        assert!(self.last() == Some(&b'"'), "a key that is not text");
        self.0.push(':');
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        value.serialize(&mut **self)
    }
    fn end(self) -> Done {
        Writer::end(self, '}');
        Ok(())
    }
}

impl ser::SerializeStruct for &mut Writer {
    type Ok = ();
    type Error = Never;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Done {
        self.key(name);
        value.serialize(&mut **self)
    }
    fn end(self) -> Done {
        Writer::end(self, '}');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{presets, workloads};

    fn same<T: Serialize + ?Sized>(value: &T) {
        assert_eq!(text(value), serde_json::to_string(value).expect("JSON"));
    }

    #[test]
    fn it_writes_what_serde_json_writes() {
        same("a \"quoted\" \\ \n\r\t\u{8}\u{c}\u{1}\u{1f}\u{7f} é 😀 {[:,");
        same(&(0u8, u64::MAX, i64::MIN, -1i32, 'x', true, ()));
        same(&[Some(1), None, Some(3)]);
        same(&[Vec::new(), vec![""], vec!["[", "{", ":"]]);
        same(&presets());
        same(&workloads());
        same(&crate::profile::profiles());
    }
}
