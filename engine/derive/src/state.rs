//! `State` from fields and variants.
//!
//! The options in `#[state(...)]`:
//! - on a field: `skip = "why"`: it is not state. `elsewhere = "where"`: it is state, and another type
//!   hashes it. `rest = NONE`: its value at rest is this, instead of 0, empty or false. `sparse`: a vector
//!   with fixed indices, whose elements at rest do not count. `unlike = self.a.b`: of a struct, only the
//!   fields that differ from this value. `name = "old"`: its old name, if it was renamed. `flat`: the
//!   fields of this struct count as fields of the outer struct.
//! - on a variant: `rest`: it does not count. `name = "old"`: its old name, if it was renamed.
//! - on a type: `unlike`: its hash can be limited to the fields that differ from another value. `flat`: its
//!   fields can count as fields of another type. `also = hash_more`: a function of the type adds to its hash.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Data, DeriveInput, Error, Expr, Field, Fields, Ident, Index, LitStr, Member};
use syn::{Result, Token, Variant};

/// The options of a type, a field or a variant.
#[derive(Default)]
struct Attributes {
    skip: bool,
    elsewhere: bool,
    sparse: bool,
    flat: bool,
    is_rest: bool,
    rest: Option<Expr>,
    is_unlike: bool,
    unlike: Option<Expr>,
    also: Option<Ident>,
    name: Option<String>,
}

fn attributes_of(attrs: &[Attribute]) -> Result<Attributes> {
    let mut attributes = Attributes::default();
    for attr in attrs.iter().filter(|a| a.path().is_ident("state")) {
        attr.parse_nested_meta(|meta| {
            let has_value = meta.input.peek(Token![=]);
            let is = |name| meta.path.is_ident(name);
            if is("skip") {
                attributes.skip = !meta.value()?.parse::<LitStr>()?.value().is_empty();
            } else if is("elsewhere") {
                attributes.elsewhere = !meta.value()?.parse::<LitStr>()?.value().is_empty();
            } else if is("name") {
                attributes.name = Some(meta.value()?.parse::<LitStr>()?.value());
            } else if is("also") {
                attributes.also = Some(meta.value()?.parse()?);
            } else if is("rest") && has_value {
                attributes.rest = Some(meta.value()?.parse()?);
            } else if is("unlike") && has_value {
                attributes.unlike = Some(meta.value()?.parse()?);
            } else if is("rest") {
                attributes.is_rest = true;
            } else if is("unlike") {
                attributes.is_unlike = true;
            } else if is("sparse") {
                attributes.sparse = true;
            } else if is("flat") {
                attributes.flat = true;
            } else {
                return Err(meta.error("not known"));
            }
            Ok(())
        })?;
    }
    Ok(attributes)
}

/// The number of a name in every hash (FNV-1a).
fn number(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The impl for a struct or an enum.
pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    let whole = attributes_of(&input.attrs)?;
    let (flip, hash, at_rest, more) = match &input.data {
        Data::Struct(data) => {
            let unlike = whole
                .is_unlike
                .then(|| hash_unlike(name, &data.fields))
                .transpose()?;
            let flat = whole
                .flat
                .then(|| hash_flat(name, &data.fields))
                .transpose()?;
            let more = quote!(#unlike #flat);
            let (hash, at_rest) = hash_struct(&data.fields, whole.also.as_ref())?;
            (flip_fields(name, &data.fields)?, hash, at_rest, Some(more))
        }
        Data::Enum(data) => {
            let variants: Vec<&Variant> = data.variants.iter().collect();
            let (hash, at_rest) = hash_variants(name, &variants)?;
            (flip_variants(name, &variants)?, hash, at_rest, None)
        }
        Data::Union(_) => return Err(Error::new(name.span(), "State is not for unions")),
    };
    Ok(quote! {
        impl ::facts::state::State for #name {
            fn flip(&mut self, walk: &mut ::facts::state::Walk) {
                #flip
            }
            fn hash(&self, hasher: &mut ::facts::state::StateHasher) {
                #hash
            }
            fn is_at_rest(&self) -> bool {
                #at_rest
            }
        }
        #more
    })
}

/// A field's name in every hash: its name, or its number.
fn field_name(field: &Field, member: &Member, attributes: &Attributes) -> u64 {
    match (&attributes.name, &field.ident, member) {
        (Some(name), ..) => number(name),
        (None, Some(ident), _) => number(&ident.to_string()),
        (None, None, Member::Unnamed(Index { index, .. })) => number(&index.to_string()),
        (None, None, Member::Named(ident)) => number(&ident.to_string()),
    }
}

/// A newtype is hashed as its content, a struct as the names and values of its fields that are not at rest.
fn hash_struct(fields: &Fields, also: Option<&Ident>) -> Result<(TokenStream, TokenStream)> {
    if let (Fields::Unnamed(fields), None) = (fields, also)
        && fields.unnamed.len() == 1
    {
        let hash = quote!(::facts::state::State::hash(&self.0, hasher));
        return Ok((hash, quote!(::facts::state::State::is_at_rest(&self.0))));
    }
    let (hashes, rests) = hash_fields(fields)?;
    let also = also.map(|also| quote!(self.#also(hasher);));
    let hash = quote! {
        #(#hashes)*
        #also
        hasher.end();
    };
    let rests = if rests.is_empty() {
        quote!(true)
    } else {
        quote!(#(#rests)&&*)
    };
    Ok((hash, rests))
}

/// How the fields of a struct are hashed, and when each is at rest.
fn hash_fields(fields: &Fields) -> Result<(Vec<TokenStream>, Vec<TokenStream>)> {
    let (mut hashes, mut rests) = (Vec::new(), Vec::new());
    for (field, member) in fields.iter().zip(fields.members()) {
        let attributes = attributes_of(&field.attrs)?;
        if attributes.skip || attributes.elsewhere {
            continue;
        }
        let name = field_name(field, &member, &attributes);
        let value = quote!(&self.#member);
        let (hash, rest) = hash_field(name, &value, &attributes);
        hashes.push(hash);
        rests.push(rest);
    }
    Ok((hashes, rests))
}

/// The fields of a struct without the end mark, so that they can count as fields of another struct.
fn hash_flat(name: &Ident, fields: &Fields) -> Result<TokenStream> {
    let (hashes, _) = hash_fields(fields)?;
    Ok(quote! {
        impl #name {
            /// Hashes the fields; the caller adds the end mark.
            pub fn hash_fields(&self, hasher: &mut ::facts::state::StateHasher) {
                #(#hashes)*
            }
        }
    })
}

/// How a field is hashed, and when it is at rest.
fn hash_field(
    name: u64,
    value: &TokenStream,
    attributes: &Attributes,
) -> (TokenStream, TokenStream) {
    if attributes.flat {
        let rest = quote!(::facts::state::State::is_at_rest(#value));
        return (quote!((#value).hash_fields(hasher);), rest);
    }
    let (hash, is_at_rest) = if let Some(other) = &attributes.unlike {
        let hash = quote!((#value).hash_unlike(&#other, hasher));
        (hash, quote!(*#value == #other))
    } else if attributes.sparse {
        let hash = quote!(::facts::state::hash_sparse(#value, hasher));
        (hash, quote!(::facts::state::is_sparse_at_rest(#value)))
    } else {
        let hash = quote!(::facts::state::State::hash(#value, hasher));
        let rest = match &attributes.rest {
            Some(rest) => quote!(*#value == #rest),
            None => quote!(::facts::state::State::is_at_rest(#value)),
        };
        (hash, rest)
    };
    let hash = quote! {
        if !(#is_at_rest) {
            hasher.word(#name);
            #hash;
        }
    };
    (hash, is_at_rest)
}

/// Names and values of the fields that differ from another value.
fn hash_unlike(name: &Ident, fields: &Fields) -> Result<TokenStream> {
    let mut hashes = Vec::new();
    for (field, member) in fields.iter().zip(fields.members()) {
        let name = field_name(field, &member, &attributes_of(&field.attrs)?);
        hashes.push(quote! {
            if self.#member != other.#member {
                hasher.word(#name);
                ::facts::state::State::hash(&self.#member, hasher);
            }
        });
    }
    Ok(quote! {
        impl #name {
            /// Hashes the fields that differ from another value.
            pub fn hash_unlike(&self, other: &Self, hasher: &mut ::facts::state::StateHasher) {
                #(#hashes)*
                hasher.end();
            }
        }
    })
}

/// A variant is hashed as the number of its name, and its fields.
fn hash_variants(name: &Ident, variants: &[&Variant]) -> Result<(TokenStream, TokenStream)> {
    let (mut arms, mut rest) = (Vec::new(), None);
    for variant in variants {
        let ident = &variant.ident;
        let of_variant = attributes_of(&variant.attrs)?;
        let called = number(&of_variant.name.unwrap_or_else(|| ident.to_string()));
        if of_variant.is_rest {
            rest = Some(ident);
        }
        let mut hashes = Vec::new();
        let bound: Vec<Ident> = (0..variant.fields.len())
            .map(|i| format_ident!("f{i}"))
            .collect();
        for ((field, member), bound) in
            (variant.fields.iter().zip(variant.fields.members())).zip(&bound)
        {
            let attributes = attributes_of(&field.attrs)?;
            let name = field_name(field, &member, &attributes);
            hashes.push(hash_field(name, &quote!(#bound), &attributes).0);
        }
        let members = variant.fields.members();
        arms.push(quote! {
            #name::#ident { #(#members: #bound),* } => {
                hasher.word(#called);
                #(#hashes)*
            }
        });
    }
    let at_rest = match rest {
        Some(rest) => quote!(matches!(self, #name::#rest)),
        None => quote!(false),
    };
    Ok((quote!(match self { #(#arms)* } hasher.end();), at_rest))
}

/// A field's name in a report.
fn label(ty: &Ident, field: &Field, i: usize) -> String {
    match &field.ident {
        Some(ident) => format!("{ty}.{ident}"),
        None => format!("{ty}.{i}"),
    }
}

fn flip_fields(name: &Ident, fields: &Fields) -> Result<TokenStream> {
    let mut walks = Vec::new();
    for (i, (field, member)) in fields.iter().zip(fields.members()).enumerate() {
        let attributes = attributes_of(&field.attrs)?;
        let label = label(name, field, i);
        if attributes.sparse {
            walks.push(quote!(walk.field(#label, self.#member.as_mut_slice());));
        } else if !attributes.skip {
            walks.push(quote!(walk.field(#label, &mut self.#member);));
        }
    }
    Ok(quote!(#(#walks)*))
}
/// An enum becomes its next unit variant, or the first. If it has only one unit variant, that becomes the
/// first other variant with empty content.
fn flip_variants(name: &Ident, variants: &[&Variant]) -> Result<TokenStream> {
    let (units, others): (Vec<&Variant>, Vec<&Variant>) =
        variants.iter().partition(|v| v.fields.is_empty());
    let mut walks = Vec::new();
    for variant in &others {
        let ident = &variant.ident;
        let members = variant.fields.members();
        let bound: Vec<Ident> = (0..variant.fields.len())
            .map(|i| format_ident!("f{i}"))
            .collect();
        let labels = (variant.fields.iter().enumerate()).map(|(i, f)| label(ident, f, i));
        walks.push(quote! {
            #name::#ident { #(#members: #bound),* } => { #(walk.field(#labels, #bound);)* }
        });
    }
    let Some(first) = units.first().map(|unit| &unit.ident) else {
        return Ok(quote!(match self { #(#walks)* }));
    };
    let mut next: Vec<TokenStream> = (units.iter().zip(units.iter().skip(1)))
        .map(|(unit, next)| {
            let (unit, next) = (&unit.ident, &next.ident);
            quote!(#name::#unit => #name::#next,)
        })
        .collect();
    if units.len() == 1 {
        let Some(other) = others.first() else {
            return Ok(TokenStream::new());
        };
        let (ident, members) = (&other.ident, other.fields.members());
        next.push(quote!(#name::#first => #name::#ident { #(#members: Default::default()),* },));
    }
    let rest = (variants.len() > next.len()).then(|| quote!(_ => #name::#first,));
    let others = (!others.is_empty()).then(|| quote!(match self { #(#walks)* _ => {} }));
    Ok(quote! {
        if walk.hit() {
            *self = match self { #(#next)* #rest };
            return;
        }
        #others
    })
}
