//! `State` from fields and variants.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Field, Fields, Ident, LitStr, Result, Variant};

/// The impl for a struct or an enum.
pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    let flip = match &input.data {
        Data::Struct(data) => flip_fields(name, &data.fields)?,
        Data::Enum(data) => {
            let variants: Vec<&Variant> = data.variants.iter().collect();
            flip_variants(name, &variants)?
        }
        Data::Union(_) => return Err(Error::new(name.span(), "State is not for unions")),
    };
    Ok(quote! {
        impl ::facts::state::State for #name {
            fn flip(&mut self, walk: &mut ::facts::state::Walk) {
                #flip
            }
        }
    })
}

/// Whether a field is no part of the state.
fn is_skipped(field: &Field) -> Result<bool> {
    let mut skip = false;
    for attr in field.attrs.iter().filter(|a| a.path().is_ident("state")) {
        attr.parse_nested_meta(|meta| {
            if !meta.path.is_ident("skip") {
                return Err(meta.error("only `skip = \"the reason\"` is known"));
            }
            skip = !meta.value()?.parse::<LitStr>()?.value().is_empty();
            Ok(())
        })?;
    }
    Ok(skip)
}

/// What a field is called in a report.
fn label(ty: &Ident, field: &Field, i: usize) -> String {
    match &field.ident {
        Some(ident) => format!("{ty}.{ident}"),
        None => format!("{ty}.{i}"),
    }
}

fn flip_fields(name: &Ident, fields: &Fields) -> Result<TokenStream> {
    let mut walks = Vec::new();
    for (i, (field, member)) in fields.iter().zip(fields.members()).enumerate() {
        if !is_skipped(field)? {
            let label = label(name, field, i);
            walks.push(quote!(walk.field(#label, &mut self.#member);));
        }
    }
    Ok(quote!(#(#walks)*))
}

/// An enum becomes its next unit variant, or the first; the only one becomes what its first other
/// variant is with nothing in it.
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
