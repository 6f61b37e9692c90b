//! The path of the crate `nanojsonrpc`, which a program may rename in its manifest, or use through another crate.

use syn::{Path, parse_quote};

/// The form of the argument.
pub(crate) const EXPECTED: &str = "a path to the crate `nanojsonrpc`: `crate = rpc`";

/// The path in a program that has not renamed the crate.
pub(crate) fn default() -> Path {
    parse_quote!(::nanojsonrpc)
}

/// The last segment of `item`, a path in the crate, as Markdown: a link to `item`, or only the name if rustdoc cannot read `root`.
pub(crate) fn linked(root: &Path, item: &str) -> String {
    let name = item.rsplit("::").next().unwrap_or(item);
    let root = quote::quote!(#root).to_string().replace(' ', "");
    if root.contains('$') { format!("`{name}`") } else { format!("[`{name}`]({root}::{item})") }
}

#[cfg(test)]
mod tests {
    use proc_macro2::{TokenStream, TokenTree};
    use quote::quote;

    /// Whether a token outside of doc comments contains the name of the crate.
    fn names_the_crate(code: TokenStream) -> bool {
        code.into_iter().any(|token| match token {
            TokenTree::Group(group) => names_the_crate(group.stream()),
            TokenTree::Literal(literal) => literal.to_string().contains("nanojsonrpc"),
            other => other.to_string() == "nanojsonrpc",
        })
    }

    #[test]
    fn generated_code_has_the_given_path() -> syn::Result<()> {
        for is_renamed in [false, true] {
            let renamed = is_renamed.then(|| quote!(, crate = rpc));
            let service = crate::service::expand(
                quote!(prefix = "fan.", client = FanClient, mcp, openrpc #renamed),
                quote! {
                    /// A fan.
                    trait Fan {
                        #[doc = concat!("Sets", " the speed.")]
                        #[tool(idempotent)]
                        fn set(&mut self, #[schema(maximum = 9)] rpm: u8, why: Option<&str>) -> Result<&str, Error<'_>>;
                        fn speed(&self) -> Speed;
                        async fn wait(&mut self, text: &str) -> Result<u8, Error<'static>>;
                        #[notification]
                        fn stalled(&mut self, at: &str);
                        #[notification]
                        fn off(&mut self);
                    }
                },
            )?;
            assert_eq!(names_the_crate(service), !is_renamed);
            let renamed = is_renamed.then(|| quote!(#[schema(crate = rpc)]));
            let schema = crate::schema::expand(quote! {
                #renamed
                #[doc = concat!("A", " speed.")]
                struct Speed {
                    #[schema(maximum = 9)]
                    rpm: u8,
                    #[serde(flatten)]
                    ramp: Ramp,
                }
            })?;
            assert_eq!(names_the_crate(schema), !is_renamed);
        }
        Ok(())
    }
}
