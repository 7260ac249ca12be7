//! Declaring kinds of records next to the code that makes them.
//!
//! A record is a struct with public fields, so none can be made with a field missing. If it has a
//! list, the list is its last field. The fields of a decision are followed by its sentence, of at
//! most 30 words: subject, number, comparison, number, consequence. The sentence has placeholders:
//! `{field}` is shown according to the kind of the field, and `{field noun}` is a number of the
//! things that the noun names. A placeholder that names no field does not compile:
//!
//! ```compile_fail
//! const _: () = assert!(mm::record::names_fields("{zone} has {fre}.", &["zone", "free"]));
//! ```
//!
//! A decision that compares a number with a watermark declares the comparison: `above(value,
//! needed, mark, reserve)` if the number exceeds the watermark plus the reserve, `below(...)` if it
//! does not.

use crate::view::Watermark;

/// Declares decisions; see the module.
macro_rules! decisions {
    ($($name:ident { $($field:ident: $kind:ident),* $(; $list:ident: $of:ident)? } $($passed:ident($($part:ident),+))? $template:literal;)+) => {$(
        $crate::record::declare::record! {
            $template, $name { $($field: $kind),* $(; $list: $of)? },
            $crate::record::Text {
                name: stringify!($name),
                source: "",
                about: "",
                template: Some($template),
                watermark: [$(Some($crate::record::declare::$passed(&[$(stringify!($part)),+])),)? None][0],
            }
        }
        const _: () = assert!(
            $crate::record::names_fields($template, <$name as $crate::record::Declared>::NAMES),
            "a placeholder of this template is no field of the decision"
        );
    )+};
}

/// Declares events; see the module. The literals are the name of the kernel's tracepoint, or the
/// engine's name, and the place in the kernel: a file and versions, or `Engine`.
macro_rules! events {
    ($(#[doc = $doc:literal] $name:ident $text:literal from $source:literal { $($field:ident: $kind:ident),* $(; $list:ident: $of:ident)? };)+) => {$(
        $crate::record::declare::record! {
            $doc, $name { $($field: $kind),* $(; $list: $of)? },
            $crate::record::Text {
                name: $text,
                source: $source,
                about: $doc,
                template: None,
                watermark: None,
            }
        }
    )+};
}

/// The struct of a record.
macro_rules! record {
    ($doc:literal, $name:ident { $($field:ident: $kind:ident),* $(; $list:ident: $of:ident)? }, $text:expr) => {
        #[doc = $doc]
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name {
            $(#[doc = concat!("`", stringify!($kind), "`.")]
            pub $field: <$crate::record::kind::$kind as $crate::record::Kind>::Value,)*
            $(#[doc = concat!("`", stringify!($of), "`.")]
            pub $list: <$crate::record::kind::$of as $crate::record::Kind>::Value,)?
        }

        impl $crate::record::Declared for $name {
            const NAMES: &'static [&'static str] =
                &[$(stringify!($field),)* $(stringify!($list))?];
            const FIELDS: &'static [$crate::view::FieldKind] = &[
                $(<$crate::record::kind::$kind as $crate::record::Kind>::FIELD,)*
                $(<$crate::record::kind::$of as $crate::record::Kind>::FIELD)?
            ];
            const TEXT: $crate::record::Text = $text;

            #[inline(always)]
            fn put(
                self,
                to: impl FnOnce(
                    $crate::record::RecordKind,
                    &[i64],
                    Option<&[(facts::index::FrameIndex, $crate::record::Outcome)]>,
                ),
            ) {
                use $crate::record::Numbered;
                let numbers = [
                    $(<$crate::record::kind::$kind as $crate::record::Single>::number(self.$field),)*
                ];
                let lists: &[&[(facts::index::FrameIndex, $crate::record::Outcome)]] = &[$(&self.$list)?];
                to(Self::KIND, &numbers, lists.first().copied());
            }

            fn take(values: &mut $crate::record::Reading<'_>) -> Self {
                let _ = &values;
                Self {
                    $($field: <$crate::record::kind::$kind as $crate::record::Kind>::take(values),)*
                    $($list: <$crate::record::kind::$of as $crate::record::Kind>::take(values),)?
                }
            }
        }
    };
}
pub(crate) use {decisions, events, record};

/// The comparison of a number that exceeded a watermark.
pub const fn above(parts: &[&'static str]) -> Watermark {
    compared(parts, true)
}

/// The comparison of a number that did not exceed a watermark.
pub const fn below(parts: &[&'static str]) -> Watermark {
    compared(parts, false)
}

const fn compared(parts: &[&'static str], passed: bool) -> Watermark {
    Watermark {
        zone: "zone",
        value: parts[0],
        needed: parts[1],
        mark: parts[2],
        reserve: if parts.len() > 3 {
            Some(parts[3])
        } else {
            None
        },
        passed,
    }
}

/// Does every placeholder of a template name a field?
pub const fn names_fields(template: &str, fields: &[&str]) -> bool {
    let text = template.as_bytes();
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'{' {
            let mut end = at + 1;
            while text[end] != b'}' && text[end] != b' ' {
                end += 1;
            }
            if !is_among(text, at + 1, end, fields) {
                return false;
            }
        }
        at += 1;
    }
    true
}

const fn is_among(text: &[u8], from: usize, to: usize, names: &[&str]) -> bool {
    let mut i = 0;
    while i < names.len() {
        let name = names[i].as_bytes();
        let mut same = 0;
        while same < name.len() && from + same < to && name[same] == text[from + same] {
            same += 1;
        }
        if same == name.len() && from + same == to {
            return true;
        }
        i += 1;
    }
    false
}
