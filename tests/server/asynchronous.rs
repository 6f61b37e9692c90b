//! Handlers that wait answer as those that do not.
#![cfg(feature = "serde")]

use nanojsonrpc::server::{Processed, Registry, Replied, Reply};
use nanojsonrpc::{Envelope, ErrorObject, Params, Router, Server, message::Str};

use crate::tasks::{run_counted, wait};

/// The answer, and how often the future has waited.
fn run<'o>(processing: impl Future<Output = Processed<'o>>) -> (Option<&'o [u8]>, usize) {
    let (processed, waits) = run_counted(processing);
    (processed.answer(), waits)
}

async fn add(total: &mut i64, (a, b): (i64, i64)) -> Result<i64, ErrorObject<'static>> {
    wait().await;
    *total = total.checked_add(a).and_then(|sum| sum.checked_add(b)).ok_or(ErrorObject::INTERNAL_ERROR)?;
    Ok(*total)
}

async fn echo(_: &mut i64, params: Params<'_>, reply: Reply<'_>) -> Replied {
    wait().await;
    reply.success(&params)
}

#[test]
fn every_shape_of_async_handler_answers_beside_those_that_do_not_wait() {
    let mut server = Server::new(
        Router::new()
            .request_async("add", add)
            .request("now", |total: &mut i64| Ok(*total))
            .request_async("echo", echo)
            .request_async("twice", async |total: &mut i64| {
                wait().await;
                wait().await;
                Ok(*total)
            })
            .request_async("first", async |_: &mut i64, params: Params<'_>| {
                wait().await;
                Ok(params.element(0).and_then(|first| first.as_i64()))
            })
            .notification_async("set", async |total: &mut i64, (to,): (i64,)| {
                wait().await;
                *total = to;
            })
            .nest("deep.", Router::new().request_async("add", add)),
    );
    let mut total = 0;
    for (text, answer, waits) in [
        (r#"{"jsonrpc":"2.0","method":"add","params":[1,2],"id":1}"#, r#"{"jsonrpc":"2.0","result":3,"id":1}"#, 1),
        (r#"{"jsonrpc":"2.0","method":"now","id":2}"#, r#"{"jsonrpc":"2.0","result":3,"id":2}"#, 0),
        (r#"{"jsonrpc":"2.0","method":"echo","params":["a"],"id":3}"#, r#"{"jsonrpc":"2.0","result":["a"],"id":3}"#, 1),
        (r#"{"jsonrpc":"2.0","method":"twice","id":4}"#, r#"{"jsonrpc":"2.0","result":3,"id":4}"#, 2),
        (r#"{"jsonrpc":"2.0","method":"first","params":[8],"id":5}"#, r#"{"jsonrpc":"2.0","result":8,"id":5}"#, 1),
        (r#"{"jsonrpc":"2.0","method":"set","params":[40]}"#, "", 1),
        (
            r#"{"jsonrpc":"2.0","method":"deep.add","params":[1,1],"id":6}"#,
            r#"{"jsonrpc":"2.0","result":42,"id":6}"#,
            1,
        ),
        (
            r#"[{"jsonrpc":"2.0","method":"twice","id":7},{"jsonrpc":"2.0","method":"x","id":8}]"#,
            r#"[{"jsonrpc":"2.0","result":42,"id":7},{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":8}]"#,
            2,
        ),
    ] {
        let mut output = [0; 256];
        let (answered, waited) = run(server.process_async(&mut total, text.as_bytes(), &mut output));
        assert_eq!((answered.unwrap_or(b""), waited), (answer.as_bytes(), waits), "{text}");
    }
}

#[test]
fn async_handlers_refuse_params_that_do_not_fit() {
    let mut server = Server::new(Router::new().request_async("add", add));
    let mut output = [0; 256];
    let text = br#"{"jsonrpc":"2.0","method":"add","params":[1],"id":1}"#;
    let (answer, waited) = run(server.process_async(&mut 0, text, &mut output));
    let answer: serde_json::Value = serde_json::from_slice(answer.unwrap()).unwrap();
    assert_eq!((&answer["error"]["code"], waited), (&(-32602).into(), 0));
}

#[test]
fn params_that_do_not_fit_are_refused_by_a_handler_and_not_heard_by_a_listener() {
    let mut server = Server::new(
        Router::new()
            .request_async("now", async |total: &mut i64| Ok(*total))
            .notification_async("clear", async |total: &mut i64| *total = 0)
            .notification_async("set", async |total: &mut i64, (to,): (i64,)| *total = to)
            .notification_async("len", async |total: &mut i64, params: Params<'_>| {
                wait().await;
                *total = params.raw().map_or(-1, |params| params.as_bytes().len() as i64);
            }),
    );
    let (mut total, mut output) = (7, [0; 256]);
    let call = br#"{"jsonrpc":"2.0","method":"now","params":[1],"id":1}"#;
    let answer = run(server.process_async(&mut total, call, &mut output)).0.unwrap().to_vec();
    assert!(answer.windows(6).any(|text| text == b"-32602"), "{}", answer.escape_ascii());
    for (notification, after) in [
        (r#"{"jsonrpc":"2.0","method":"clear","params":[1]}"#, 7),
        (r#"{"jsonrpc":"2.0","method":"set","params":["8"]}"#, 7),
        (r#"{"jsonrpc":"2.0","method":"set"}"#, 7),
        (r#"{"jsonrpc":"2.0","method":"len","params":[1, 2]}"#, 6),
        (r#"{"jsonrpc":"2.0","method":"len"}"#, -1),
        (r#"{"jsonrpc":"2.0","method":"clear"}"#, 0),
    ] {
        assert_eq!(run(server.process_async(&mut total, notification.as_bytes(), &mut output)).0, None);
        assert_eq!(total, after, "{notification}");
    }
}

#[test]
fn a_registry_stands_among_those_that_wait() {
    let mut twice = nanojsonrpc::server::handler(|total: &mut i64| Ok(*total * 2));
    let mut registry: Registry<'_, i64, 2> = Registry::new();
    registry.request("twice", &mut twice).unwrap();
    let mut server = Server::new(Router::new().request_async("add", add).registry(registry));
    let mut output = [0; 96];
    let text = br#"{"jsonrpc":"2.0","method":"twice","id":1}"#;
    let (answer, waited) = run(server.process_async(&mut 21, text, &mut output));
    assert_eq!((answer, waited), (Some(&br#"{"jsonrpc":"2.0","result":42,"id":1}"#[..]), 0));
}

#[test]
fn fallbacks_are_asked_behind_those_that_wait_and_what_nobody_hears_is_dropped() {
    let fallback = |_: &mut i64, _: Str<'_>, params: Params<'_>, reply: Reply<'_>| reply.success(&params);
    let listener = |total: &mut i64, response: &Envelope<'_>| *total = response.id().unwrap().as_i64().unwrap();
    let mut server = Server::new(Router::new().fallback(fallback).request_async("add", add).response(listener));
    let mut deaf = Server::new(Router::new().request_async("add", add));
    let (call, unknown) = (
        br#"{"jsonrpc":"2.0","method":"add","params":[1,2],"id":1}"#,
        br#"{"jsonrpc":"2.0","method":"x","params":[1],"id":1}"#,
    );
    let (mut total, mut output) = (0, [0; 128]);
    assert_eq!(
        run(server.process_async(&mut total, call, &mut output)).0,
        Some(&br#"{"jsonrpc":"2.0","result":3,"id":1}"#[..])
    );
    assert_eq!(
        run(server.process_async(&mut total, unknown, &mut output)).0,
        Some(&br#"{"jsonrpc":"2.0","result":[1],"id":1}"#[..])
    );
    let response = br#"{"jsonrpc":"2.0","result":1,"id":9}"#;
    assert_eq!(run(deaf.process_async(&mut total, response, &mut output)).0, None);
    assert_eq!(total, 3);
    assert_eq!(run(server.process_async(&mut total, response, &mut output)).0, None);
    assert_eq!(total, 9);
}

async fn pass_on(total: &mut i64, method: Str<'_>, params: Params<'_>, reply: Reply<'_>) -> Replied {
    wait().await;
    *total += 1;
    match method.as_str() {
        Some(method) if method != "gone" => reply.success(&(method, &params)),
        _ => reply.error(ErrorObject::METHOD_NOT_FOUND),
    }
}

async fn overhear(total: &mut i64, method: Str<'_>, _: Params<'_>) {
    wait().await;
    *total += if method == "tick" { 100 } else { 1_000 };
}

fn gateway() -> Router<i64, impl nanojsonrpc::server::AsyncRoutes<i64> + Clone> {
    Router::new()
        .fallback_async(pass_on)
        .request("near", |_: &mut i64| Ok("here"))
        .notification_fallback_async(overhear)
        .request_async("add", add)
}

#[test]
fn a_fallback_may_wait() {
    let (mut server, mut total, mut output) = (Server::new(gateway()), 0, [0; 256]);
    let mut answer = |text: &str| {
        let (answer, _) = run(server.process_async(&mut total, text.as_bytes(), &mut output));
        let answer = answer.map(|answer| String::from_utf8_lossy(answer).into_owned());
        (answer.unwrap_or_default(), total)
    };
    let call = |method: &str, end: &str| format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":[1,2]{end}}}"#);
    let result = |result: &str, total: i64| (format!(r#"{{"jsonrpc":"2.0","result":{result},"id":1}}"#), total);
    assert_eq!(answer(&call("far", r#","id":1"#)), result(r#"["far",[1,2]]"#, 1));
    assert_eq!(answer(&call("add", r#","id":1"#)), result("4", 4));
    let near = answer(r#"{"jsonrpc":"2.0","method":"near","id":1}"#);
    assert_eq!(near, result(r#""here""#, 4));
    let unknown = r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}"#;
    assert_eq!(answer(&call("gone", r#","id":1"#)), (unknown.to_owned(), 5));
    assert_eq!(answer(&call("tick", "")), (String::new(), 105));
    assert_eq!(answer(&call("tock", "")), (String::new(), 1_105));
}

/// The routes of the method "m", each of a different kind, answer with their number.
#[test]
fn the_first_route_of_a_name_takes_the_call_whatever_its_kind() {
    use nanojsonrpc::server::handler;

    let text = br#"{"jsonrpc":"2.0","method":"m","id":1}"#;
    let blocking = |number: u8| Router::<()>::new().request("m", move |_: &mut ()| Ok(number));
    let waiting = |number: u8| {
        Router::<()>::new().request_async("m", async move |_: &mut ()| {
            wait().await;
            Ok(number)
        })
    };
    let (mut one, mut two) = (handler(|_: &mut ()| Ok(1)), handler(|_: &mut ()| Ok(1)));
    let (mut first, mut second): (Registry<'_, (), 1>, Registry<'_, (), 1>) = (Registry::new(), Registry::new());
    first.request("m", &mut one).unwrap();
    second.request("m", &mut two).unwrap();
    macro_rules! first_is_taken {
        ($($router:expr, $waits:literal;)*) => {$(
            let (mut output, mut server) = ([0; 96], Server::new($router));
            let answered = run(server.process_async(&mut (), text, &mut output));
            let expected = br#"{"jsonrpc":"2.0","result":1,"id":1}"#;
            assert_eq!(answered, (Some(&expected[..]), $waits), "{}", stringify!($router));
        )*};
    }
    first_is_taken! {
        blocking(1).nest("", waiting(2)), 0;
        waiting(1).nest("", blocking(2)), 1;
        blocking(1).request("m", |_: &mut ()| Ok(2)), 0;
        blocking(1).request_async("m", async |_: &mut ()| Ok(2)), 0;
        waiting(1).request("m", |_: &mut ()| Ok(2)), 1;
        waiting(1).request_async("m", async |_: &mut ()| Ok(2)), 1;
        Router::new().nest("", waiting(1)).request("m", |_: &mut ()| Ok(2)), 1;
        Router::new().nest("", blocking(1)).request_async("m", async |_: &mut ()| Ok(2)), 0;
        Router::new().registry(first).request_async("m", async |_: &mut ()| Ok(2)), 0;
        Router::new().registry(second).request("m", |_: &mut ()| Ok(2)).request_async("m", async |_: &mut ()| Ok(2)), 0;
        Router::new().fallback(|_, _, _, reply| reply.success(&2)).request_async("m", async |_: &mut ()| Ok(1)), 0;
        Router::new().fallback_async(async |_: &mut (), _: Str<'_>, _: Params<'_>, reply: Reply<'_>| reply.success(&1))
            .request_async("other", async |_: &mut ()| Ok(2)).fallback(|_, _, _, reply| reply.success(&3)), 0;
    }
}

/// Messages that neither a route nor a fallback takes.
#[test]
fn what_has_no_fallback_is_dropped_or_refused() {
    let response = r#"{"jsonrpc":"2.0","result":1,"id":9}"#;
    let call = r#"{"jsonrpc":"2.0","method":"far","id":1}"#;
    let unknown = r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}"#;
    let mut gateway = Server::new(gateway());
    let mut listens = Server::new(Router::new().notification_fallback_async(overhear));
    let (mut total, mut output) = (0, [0; 128]);
    assert_eq!(run(gateway.process_async(&mut total, response.as_bytes(), &mut output)).0, None);
    assert_eq!(run(listens.process_async(&mut total, response.as_bytes(), &mut output)).0, None);
    let refused = run(listens.process_async(&mut total, call.as_bytes(), &mut output)).0;
    assert_eq!(refused, Some(unknown.as_bytes()));
    assert_eq!(total, 0);
    #[cfg(feature = "embedded-io-async")]
    for (text, waits) in [(response, None), (call, Some(true))] {
        assert_eq!(gateway.waits(&mut total, &Envelope::parse(text.as_bytes()).unwrap()), waits, "{text}");
    }
}
