//! Derives code from the fields of a type.
//!
//! `State` visits all fields of a machine, so that no field can be forgotten. A field that is not
//! part of the state says why: `#[state(skip = "affects only what is
//! shown")]`. `CloneFrom` is a `Clone` that copies into an existing value, field by field. It makes
//! going back on a large machine fast.

mod state;

use proc_macro::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, parse_macro_input};

/// Derives `facts::state::State`.
#[proc_macro_derive(State, attributes(state))]
pub fn derive_state(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    state::derive(&input)
        .unwrap_or_else(Error::into_compile_error)
        .into()
}

/// Derives `Clone` with a `clone_from` of its own.
#[proc_macro_derive(CloneFrom)]
pub fn derive_clone_from(input: TokenStream) -> TokenStream {
    let DeriveInput { ident, data, .. } = parse_macro_input!(input as DeriveInput);
    let Data::Struct(data) = data else {
        let error = Error::new(ident.span(), "CloneFrom is for structs");
        return error.into_compile_error().into();
    };
    let members: Vec<_> = data.fields.members().collect();
    quote! {
        impl Clone for #ident {
            fn clone(&self) -> Self {
                Self { #(#members: Clone::clone(&self.#members),)* }
            }
            fn clone_from(&mut self, from: &Self) {
                #(Clone::clone_from(&mut self.#members, &from.#members);)*
            }
        }
    }
    .into()
}
