//! Plain data as bytes and back, between modules of one build.
//!
//! Modelled: numbers of 7 bits a byte, the low ones first; texts and lists behind their length; the
//! fields of a struct in order; a variant by its place in its enum.
//! Left out: versions and names: who writes and who reads were built together.
//! Invariants: what is taken is what was put. Bytes that nobody put end in [`Source::end`], whatever
//! they are: taking never panics and takes no more memory than its input explains.

mod known;

use std::sync::Arc;

/// Data that crosses.
pub trait Wire: Sized {
    /// Writes it behind what is there.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads it; anything where the bytes are wrong, which the source remembers.
    fn take(from: &mut Source) -> Self;
}

/// Bytes being read, and whether they still make sense.
#[derive(Debug)]
pub struct Source<'a> {
    left: &'a [u8],
    wrong: bool,
}

impl<'a> Source<'a> {
    /// Bytes that [`Wire::put`] wrote.
    pub const fn new(bytes: &'a [u8]) -> Source<'a> {
        Source {
            left: bytes,
            wrong: false,
        }
    }

    /// What was read, if the bytes made sense and were all of it.
    pub fn end<T>(self, read: T) -> Option<T> {
        (!self.wrong && self.left.is_empty()).then_some(read)
    }

    /// A number up to `most`; 0 where the bytes are wrong.
    #[inline(never)]
    pub fn number(&mut self, most: u64) -> u64 {
        let mut number = 0u64;
        for place in 0..10 {
            let Some((&byte, left)) = self.left.split_first() else {
                break;
            };
            self.left = left;
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                if number <= most {
                    return number;
                }
                break;
            }
        }
        self.wrong = true;
        0
    }

    /// The length of a list whose items have at least a byte each.
    fn length(&mut self) -> usize {
        let length = self.number(u32::MAX.into()) as usize;
        if length > self.left.len() {
            self.wrong = true;
            return 0;
        }
        length
    }
}

/// Writes a number.
pub fn put_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

macro_rules! numbers {
    ($($kind:ty)*) => {$(
        impl Wire for $kind {
            fn put(&self, out: &mut Vec<u8>) {
                put_number(*self as u64, out);
            }
            fn take(from: &mut Source) -> Self {
                from.number(<$kind>::MAX as u64) as $kind
            }
        }
    )*};
}
numbers!(u8 u16 u32 u64 usize);

impl Wire for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push((*self).into());
    }
    fn take(from: &mut Source) -> Self {
        from.number(1) == 1
    }
}

impl Wire for String {
    // By characters: checking a text's bytes is half a kilobyte of WebAssembly.
    fn put(&self, out: &mut Vec<u8>) {
        put_number(self.chars().count() as u64, out);
        for char in self.chars() {
            put_number(u32::from(char).into(), out);
        }
    }
    fn take(from: &mut Source) -> Self {
        let mut text = String::new();
        for _ in 0..from.length() {
            match char::from_u32(u32::take(from)) {
                Some(char) => text.push(char),
                None => from.wrong = true,
            }
        }
        text
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        put_number(self.len() as u64, out);
        for item in self {
            item.put(out);
        }
    }
    fn take(from: &mut Source) -> Self {
        let length = from.length();
        let mut items = Vec::with_capacity(length);
        for _ in 0..length {
            items.push(T::take(from));
        }
        items
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }
    fn take(from: &mut Source) -> Self {
        bool::take(from).then(|| T::take(from))
    }
}

impl<T: Wire + Copy + Default, const N: usize> Wire for [T; N] {
    fn put(&self, out: &mut Vec<u8>) {
        for item in self {
            item.put(out);
        }
    }
    fn take(from: &mut Source) -> Self {
        let mut items = [T::default(); N];
        for item in &mut items {
            *item = T::take(from);
        }
        items
    }
}

impl<T: Wire> Wire for Arc<T> {
    fn put(&self, out: &mut Vec<u8>) {
        T::put(self, out);
    }
    fn take(from: &mut Source) -> Self {
        Arc::new(T::take(from))
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }
    fn take(from: &mut Source) -> Self {
        let first = A::take(from);
        (first, B::take(from))
    }
}

/// Gives structs their [`Wire`]: all of their fields, in order.
#[macro_export]
macro_rules! wire_struct {
    ($($name:ty { $($field:ident),+ $(,)? })+) => {$(
        impl $crate::wire::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                let Self { $($field),+ } = self;
                $($crate::wire::Wire::put($field, out);)+
            }
            fn take(from: &mut $crate::wire::Source) -> Self {
                Self { $($field: $crate::wire::Wire::take(from)),+ }
            }
        }
    )+};
}

/// Gives enums without fields their [`Wire`]. The variants stand in their order, all of them.
#[macro_export]
macro_rules! wire_enum {
    ($($name:ident { $($variant:ident),+ $(,)? })+) => {$(
        impl $crate::wire::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$variant => $crate::wire::put_number(Self::$variant as u64, out)),+
                }
            }
            fn take(from: &mut $crate::wire::Source) -> Self {
                const ALL: &[$name] = &[$($name::$variant),+];
                const {
                    let mut place = 0;
                    while place < ALL.len() {
                        assert!(ALL[place] as usize == place, "the variants are not in order");
                        place += 1;
                    }
                }
                ALL[from.number(ALL.len() as u64 - 1) as usize]
            }
        }
    )+};
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes<T: Wire>(value: &T) -> Vec<u8> {
        let mut out = Vec::new();
        value.put(&mut out);
        out
    }

    fn read<T: Wire>(bytes: &[u8]) -> Option<T> {
        let mut from = Source::new(bytes);
        let value = T::take(&mut from);
        from.end(value)
    }

    #[test]
    fn what_is_put_is_taken() {
        for n in (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit]) {
            assert_eq!(read(&bytes(&n)), Some(n));
        }
        assert_eq!(read(&bytes(&u64::MAX)), Some(u64::MAX));
        let mixed = (
            vec![Some("ä".to_string()), None],
            ([7u8, 255], vec![true, false]),
        );
        assert_eq!(read(&bytes(&mixed)), Some(mixed));
    }

    #[test]
    fn bytes_nobody_put_are_refused() {
        assert_eq!(read::<u8>(&bytes(&256u32)), None);
        assert_eq!(read::<u64>(&[0xff; 11]), None);
        assert_eq!(read::<bool>(&[2]), None);
        assert_eq!(read::<u8>(&[1, 1]), None);
        assert_eq!(read::<String>(&bytes(&(1u8, 0xd800u32))), None);
        assert_eq!(read::<Vec<u64>>(&bytes(&u64::MAX)), None);
        let whole = bytes(&vec!["one".to_string(), "two".to_string()]);
        for cut in 0..whole.len() {
            assert_eq!(read::<Vec<String>>(&whole[..cut]), None);
        }
    }
}
