//! The schema of a param has more brackets than this crate reads.
//! says: the schema has more than 63 open brackets
#![allow(dead_code)]

#[derive(serde::Serialize, serde::Deserialize, nanojsonrpc::Schema)]
struct In<T> {
    value: Option<T>,
}

type Four<T> = In<In<In<In<T>>>>;

#[cfg(not(feature = "advised"))]
type Value = Four<Four<Four<Four<u8>>>>;

#[cfg(feature = "advised")]
type Value = Four<Four<u8>>;

#[nanojsonrpc::service(mcp)] // wrong
trait Store {
    fn put(&mut self, value: Value);
}

struct Memory;

impl Store for Memory {
    fn put(&mut self, _: Value) {}
}

fn main() {
    _ = StoreService::tools(nanojsonrpc::mcp::Service::<Memory>::new("store", "1")).server();
}
