//! Descriptions: the first paragraph of the doc comments, in each way to write them.

use nanojsonrpc::Schema;
use nanojsonrpc::json_schema::{Node, schema_of};

/**
 * A block
 * of lines.
 *
 * A second paragraph.
 */
#[derive(Schema)]
#[allow(dead_code)]
struct Block {
    /** One line. */
    line: bool,
    /** A list:
     * one,
     * two. */
    starred: bool,
    /** Without stars
    in it.

    A second paragraph. */
    plain: bool,
    #[doc = "one\ntwo\n\nthree"]
    attribute: bool,
    #[doc = "* a list\n* of two"]
    list: bool,
    /**
        Indented.
    */
    indented: bool,
    /// A line,
    #[doc = concat!("and ", "an expression\n \t\nwith a second paragraph")]
    expression: bool,
    #[doc = include_str!("main.rs")]
    included: bool,
    /// Without it.
    ///
    #[doc = concat!("not ", "this")]
    later: bool,
}

#[nanojsonrpc::service(openrpc)]
#[doc = concat!("A fan", " of a room.")]
#[allow(dead_code)]
trait Fan {
    /** Sets the speed.
     *
     * A second paragraph. */
    fn set(&mut self, #[doc = concat!("In revolutions", ".")] rpm: u16);
    #[doc = concat!("The speed", ".")]
    fn speed(&self) -> u16;
    fn name(&self) -> u8;
}

#[test]
fn a_description_is_the_first_paragraph() {
    let schema: serde_json::Value = serde_json::from_str(schema_of!(Block)).unwrap();
    assert_eq!(schema["description"], "A block of lines.");
    for (name, description) in [
        ("line", "One line."),
        ("starred", "A list: one, two."),
        ("plain", "Without stars in it."),
        ("attribute", "one two"),
        ("list", "* a list * of two"),
        ("indented", "Indented."),
        ("expression", "A line,\nand an expression"),
        (
            "included",
            "//! Services that are declared once: routes, params, clients, schemas.\n#![cfg(feature = \"macros\")]",
        ),
        ("later", "Without it."),
    ] {
        let found = &schema["properties"][name]["description"];
        assert!(found.as_str().is_some_and(|found| found.starts_with(description)), "{name}: {found}");
        assert!(name == "included" || found == description, "{name}: {found}");
    }
}

#[test]
fn a_service_is_described_by_expressions() {
    let descriptions: Vec<_> = FanService::METHODS.iter().map(|method| method.description).collect();
    assert_eq!(descriptions, ["Sets the speed.", "The speed.", ""]);
    let document: serde_json::Value = serde_json::from_str(FanService::OPENRPC).unwrap();
    assert_eq!(document["info"]["description"], "A fan of a room.");
    assert_eq!(document["methods"][0]["params"][0]["description"], "In revolutions.");
    assert_eq!(document["methods"][1]["description"], "The speed.");
    assert_eq!(document["methods"][2].get("description"), None);
}

#[test]
fn a_paragraph_ends_at_an_empty_line() {
    // at run time, as the compiler does it
    for (text, expected) in [
        ("", ""),
        (" \n", ""),
        ("a", "a"),
        ("\n \n a\nb \n\nc", "a\nb"),
        ("a\r\n\r\nb", "a"),
        ("a\n \t\nb", "a"),
        ("a\n", "a"),
        ("é\n\n", "é"),
    ] {
        assert_eq!(Node::paragraph(text), expected, "{text:?}");
    }
}
