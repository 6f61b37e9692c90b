//! Calls between a client and a server over streams of bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use nanojsonrpc::connection::Cancellation;
use nanojsonrpc::frame::ContentLength;
use nanojsonrpc::message::OwnedErrorObject;
use nanojsonrpc::{Dialect, ErrorObject};
use nanojsonrpc_tokio::{
    CallError, Client, Closed, Methods, Missed, Options, Request, Response, Server, connect, connect_framed,
    error_object,
};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex};
use tokio::time::{sleep, timeout};

fn methods() -> Methods<Arc<AtomicUsize>> {
    Methods::new(Arc::new(AtomicUsize::new(0)))
        .request("subtract", async |_, (a, b): (i64, i64)| a.checked_sub(b).ok_or(ErrorObject::INVALID_PARAMS))
        .request("sleep", async |_, (millis,): (u64,)| {
            sleep(Duration::from_millis(millis)).await;
            Ok(millis)
        })
        .request("panic", async |_, ()| -> Result<u8, ErrorObject<'static>> { panic!("as the test asks") })
        .request("sleepy panic", async |_, ()| -> Result<u8, ErrorObject<'static>> {
            sleep(Duration::from_millis(5)).await;
            panic!("as the test asks")
        })
        .request("zeros", async |_, (len,): (usize,)| Ok(vec![0_u8; len]))
        .request_fallible("hot", async |_, ()| -> Result<(), OwnedErrorObject> {
            Err(error_object(&ErrorObject::new(-32010, "too hot").with_data([81])))
        })
        .request("count", async |count: Arc<AtomicUsize>, ()| Ok(count.load(Ordering::Relaxed)))
        .notification("add", async |count: Arc<AtomicUsize>, (number,): (usize,)| {
            count.fetch_add(number, Ordering::Relaxed);
        })
        .raw("echo", async |_, request: Request| Response::pass(request.message().clone()))
}

fn serve(options: Options) -> (Client, DuplexStream) {
    let (near, far) = duplex(4096);
    (connect(far, methods(), options), near)
}

fn client(options: Options) -> (Client, Client) {
    let (server, near) = serve(options);
    (Client::over(near), server)
}

/// Sends raw lines and reads as many.
async fn exchange(stream: &mut DuplexStream, sent: &str, lines: usize) -> Vec<String> {
    stream.write_all(sent.as_bytes()).await.unwrap();
    let mut reader = BufReader::new(stream);
    let mut answers = Vec::new();
    for _ in 0..lines {
        let mut line = String::new();
        timeout(Duration::from_secs(5), reader.read_line(&mut line)).await.unwrap().unwrap();
        answers.push(line.trim_end().to_owned());
    }
    answers
}

#[tokio::test]
async fn a_peer_that_has_closed_is_the_reason_whether_a_read_or_a_write_finds_it() {
    let (reads, reading) = duplex(64);
    let (writes, closed) = duplex(64);
    drop(closed);
    let client = Client::over(tokio::io::join(reads, writes));
    let ended = timeout(Duration::from_secs(5), client.call::<()>("m", &())).await.unwrap();
    assert!(matches!(ended, Err(CallError::Closed(Closed::ByPeer))), "{ended:?}");
    drop(reading);
}

#[tokio::test]
async fn a_call_has_a_typed_result_or_an_owned_error() {
    let (client, _server) = client(Options::new());
    assert_eq!(client.call::<i64>("subtract", &[42, 23]).await.unwrap(), 19);
    let Err(CallError::Peer(error)) = client.call::<()>("hot", &()).await else { panic!() };
    assert_eq!((error.code.0, error.message.as_str()), (-32010, "too hot"));
    assert_eq!(error.borrowed().data.unwrap().as_bytes(), b"[81]");
    let Err(CallError::Peer(error)) = client.call::<()>("nothing", &()).await else { panic!() };
    assert_eq!(error.code.0, -32601);
    let Err(CallError::Peer(error)) = client.call::<()>("subtract", &["a"]).await else { panic!() };
    assert_eq!(error.code.0, -32602);
    assert!(
        matches!(client.call::<String>("subtract", &[1, 1]).await, Err(CallError::Payload(_, text)) if text == "0")
    );
    assert!(matches!(client.call::<()>("subtract", &1).await, Err(CallError::Unwritable(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_calls_in_flight_get_their_own_answers() {
    let (client, _server) = client(Options::new());
    let calls = (0..1000_i64).map(|number| {
        let client = client.clone();
        tokio::spawn(async move {
            if number % 7 == 0 {
                assert_eq!(
                    client.call::<u64>("sleep", &[number % 20]).await.unwrap(),
                    u64::try_from(number % 20).unwrap()
                );
            }
            assert_eq!(client.call::<i64>("subtract", &[number, 1]).await.unwrap(), number - 1);
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
}

#[tokio::test]
async fn a_slow_call_holds_no_other_up() {
    let (client, _server) = client(Options::new());
    let slow = client.clone();
    let slow = tokio::spawn(async move { slow.call::<u64>("sleep", &[300]).await });
    sleep(Duration::from_millis(20)).await;
    timeout(Duration::from_millis(200), client.call::<i64>("subtract", &[1, 1])).await.unwrap().unwrap();
    assert_eq!(slow.await.unwrap().unwrap(), 300);
}

#[tokio::test]
async fn a_panic_is_an_error_of_its_call_alone() {
    let (client, _server) = client(Options::new());
    for method in ["panic", "sleepy panic"] {
        let Err(CallError::Peer(error)) = client.call::<()>(method, &()).await else { panic!() };
        assert_eq!(error.code.0, -32603);
    }
    assert_eq!(client.call::<i64>("subtract", &[1, 1]).await.unwrap(), 0);
}

#[tokio::test]
async fn a_handler_has_a_deadline() {
    let (client, _server) = client(Options::new().deadline(Duration::from_millis(20)));
    let Err(CallError::Peer(error)) = client.call::<u64>("sleep", &[10_000]).await else { panic!() };
    assert_eq!(error.code.0, -32001);
}

#[tokio::test]
async fn a_call_without_a_place_in_the_queue_is_refused() {
    let (server, mut stream) = serve(Options::new().calls(1).queue(1));
    let sleeps: String = (1..=3)
        .map(|id| format!("{{\"jsonrpc\":\"2.0\",\"method\":\"sleep\",\"params\":[50],\"id\":{id}}}\n"))
        .collect();
    let answers = exchange(&mut stream, &sleeps, 3).await;
    assert_eq!(answers[0], r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Server is busy"},"id":3}"#);
    assert_eq!(answers[1..], [r#"{"jsonrpc":"2.0","result":50,"id":1}"#, r#"{"jsonrpc":"2.0","result":50,"id":2}"#]);
    drop(server);
}

#[tokio::test]
async fn the_calls_of_a_batch_run_side_by_side_and_are_answered_in_order() {
    let (_server, mut stream) = serve(Options::new());
    let batch = r#"[{"jsonrpc":"2.0","method":"sleep","params":[150],"id":1},{"jsonrpc":"2.0","method":"add","params":[7]},{"jsonrpc":"2.0","method":"sleep","params":[150],"id":"b"},1,{"jsonrpc":"2.0","method":"count","id":1.50}]"#;
    let answers = timeout(Duration::from_millis(290), exchange(&mut stream, &format!("{batch}\n"), 1)).await.unwrap();
    assert_eq!(
        answers[0],
        r#"[{"jsonrpc":"2.0","result":150,"id":1},{"jsonrpc":"2.0","result":150,"id":"b"},{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":null},{"jsonrpc":"2.0","result":7,"id":1.50}]"#
    );
    // notifications alone get no answer
    let answers = exchange(&mut stream, "[{\"jsonrpc\":\"2.0\",\"method\":\"add\",\"params\":[1]}]\n{\"jsonrpc\":\"2.0\",\"method\":\"count\",\"id\":2}\n", 1).await;
    assert_eq!(answers, [r#"{"jsonrpc":"2.0","result":8,"id":2}"#]);
}

#[tokio::test]
async fn a_batch_of_the_client_has_an_answer_for_each_call() {
    let (client, _server) = client(Options::new());
    let mut batch = client.batch();
    let difference = batch.call("subtract", &[3, 1]).unwrap();
    batch.notify("add", &[5]).unwrap();
    let missing = batch.call("nothing", &()).unwrap();
    let count = batch.call("count", &()).unwrap();
    let mut answers = batch.send().await.unwrap();
    assert_eq!(answers.take::<i64>(difference).unwrap(), 2);
    assert!(matches!(answers.take::<i64>(missing), Err(CallError::Peer(error)) if error.code.0 == -32601));
    assert_eq!(answers.take::<usize>(count).unwrap(), 5);
}

#[tokio::test]
async fn unreadable_texts_in_a_row_are_answered_once() {
    let (_server, mut stream) = serve(Options::new());
    let answers =
        exchange(&mut stream, "{\nnonsense\n{\"jsonrpc\":\"2.0\",\"method\":\"count\",\"id\":1}\n{\n", 3).await;
    let parse_error = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#;
    assert_eq!(answers, [parse_error, r#"{"jsonrpc":"2.0","result":0,"id":1}"#, parse_error]);
}

#[tokio::test]
async fn a_message_that_is_too_long_is_refused_and_the_next_one_read() {
    let (_server, mut stream) = serve(Options::new().max_len(64));
    let long = format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"{}\",\"id\":1}}\n{{\"jsonrpc\":\"2.0\",\"method\":\"count\",\"id\":2}}\n",
        "x".repeat(300)
    );
    let answers = exchange(&mut stream, &long, 2).await;
    assert!(answers[0].contains("-32600") && answers[0].contains("too long"), "{answers:?}");
    assert_eq!(answers[1], r#"{"jsonrpc":"2.0","result":0,"id":2}"#);
}

#[tokio::test]
async fn an_answer_beyond_its_limit_is_an_error_with_its_id() {
    let (_server, mut stream) = serve(Options::new().max_answer_len(1000));
    let answers =
        exchange(&mut stream, "{\"jsonrpc\":\"2.0\",\"method\":\"zeros\",\"params\":[2000],\"id\":\"z\"}\n", 1).await;
    assert_eq!(
        answers,
        [r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"answer longer than 1000 bytes"},"id":"z"}"#]
    );
}

#[tokio::test]
async fn long_answers_grow_and_a_slow_reader_gets_them_whole() {
    let (near, far) = duplex(1000);
    let _server = connect(far, methods(), Options::new());
    let client = Client::over(near);
    let (one, two) =
        tokio::join!(client.call::<Vec<u8>>("zeros", &[300_000]), client.call::<Vec<u8>>("zeros", &[700_000]));
    assert_eq!((one.unwrap().len(), two.unwrap().len()), (300_000, 700_000));
}

#[tokio::test]
async fn a_peer_cancels_a_call() {
    let options = Options::new().cancelled_by(Cancellation::LANGUAGE_SERVER);
    let (_server, mut stream) = serve(options);
    let cancel = "{\"jsonrpc\":\"2.0\",\"method\":\"sleep\",\"params\":[60000],\"id\":\"a\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":\"a\"}}\n";
    let answers = exchange(&mut stream, cancel, 1).await;
    assert_eq!(answers, [r#"{"jsonrpc":"2.0","error":{"code":-32800,"message":"Request cancelled"},"id":"a"}"#]);
}

#[tokio::test]
async fn what_a_handler_sends_goes_before_its_answer() {
    let (near, far) = duplex(4096);
    let methods = Methods::new(()).raw("work", async |(), request: Request| {
        request.peer().notify("progress", &[1]).await.unwrap();
        Response::result("done")
    });
    let _server = connect(far, methods, Options::new());
    let mut stream = near;
    let lines = exchange(&mut stream, "{\"jsonrpc\":\"2.0\",\"method\":\"work\",\"id\":1}\n", 2).await;
    assert_eq!(
        lines,
        [r#"{"jsonrpc":"2.0","method":"progress","params":[1]}"#, r#"{"jsonrpc":"2.0","result":"done","id":1}"#]
    );
}

#[tokio::test]
async fn both_ends_call_and_notify() {
    let (near, far) = duplex(4096);
    let here = connect(near, Methods::new(()).request("here", async |(), ()| Ok("here")), Options::new());
    let there = Methods::new(()).raw("relay", async |(), request: Request| {
        match request.peer().call::<String>("here", &()).await {
            Ok(text) => Response::result(format!("there and {text}")),
            Err(error) => Response::error(error),
        }
    });
    let there = connect_framed::<nanojsonrpc::frame::Lines, _>(far, there, Options::new());
    let mut notifications = std::pin::pin!(here.notifications());
    there.notify("tick", &[1]).await.unwrap();
    assert_eq!(notifications.next().await.unwrap().unwrap().params::<[u8; 1]>().unwrap(), [1]);
    assert_eq!(here.call::<String>("relay", &()).await.unwrap(), "there and here");
}

#[tokio::test]
async fn a_slow_subscriber_is_told_what_it_has_missed() {
    let (near, far) = duplex(4096);
    let client = Client::framed::<nanojsonrpc::frame::Lines>(near, Options::new().unread(2));
    let mut notifications = std::pin::pin!(client.notifications());
    let server = connect(far, methods(), Options::new());
    for number in 0..5 {
        server.notify("tick", &[number]).await.unwrap();
    }
    // an answer follows the notifications
    _ = client.call::<usize>("count", &()).await.unwrap();
    assert_eq!(notifications.next().await.unwrap().unwrap_err(), Missed(3));
    assert_eq!(notifications.next().await.unwrap().unwrap().params::<[u8; 1]>().unwrap(), [3]);
}

#[tokio::test]
async fn every_call_ends_when_the_stream_does() {
    let (near, far) = duplex(4096);
    let client = Client::over(near);
    let calling = client.clone();
    let call = tokio::spawn(async move { calling.call::<()>("never", &()).await });
    sleep(Duration::from_millis(10)).await;
    drop(far);
    assert!(matches!(call.await.unwrap(), Err(CallError::Closed(Closed::ByPeer | Closed::Failed(_)))));
    let later = client.call::<()>("later", &()).await;
    assert!(matches!(later, Err(CallError::Closed(Closed::ByPeer | Closed::Failed(_)))), "{later:?}");
    assert!(client.is_closed());
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_ends_its_call() {
    let (near, mut far) = duplex(4096);
    let client = Client::over(near);
    for (answer, kind) in [
        (r#"{"jsonrpc":"2.0","result":nan,"id":1}"#, "refused"),
        (r#"{"jsonrpc":"2.0","id":2,"result":nan}"#, "refused"),
        (r#"{"jsonrpc":"2.0","result":1,"id":"3"}"#, "misspelled"),
        (r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#, "peer"),
    ] {
        let calling = client.clone();
        let call = tokio::spawn(async move { calling.call::<u8>("level", &()).await });
        sleep(Duration::from_millis(5)).await;
        far.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
        let found = match timeout(Duration::from_secs(1), call).await.unwrap().unwrap() {
            Err(CallError::Refused(_, text)) if text == answer => "refused",
            Err(CallError::Misspelled(text)) if text == answer => "misspelled",
            Err(CallError::Peer(_)) => "peer",
            other => panic!("{other:?}"),
        };
        assert_eq!(found, kind, "{answer}");
    }
    // a client answers no unreadable text
    let mut sent = vec![0; 4096];
    let len = far.read(&mut sent).await.unwrap();
    assert_eq!(sent[..len].iter().filter(|byte| **byte == b'\n').count(), 4);
    assert!(!sent[..len].windows(5).any(|part| part == b"error"));
}

#[tokio::test]
async fn a_lenient_client_takes_the_ids_of_devices() {
    let (near, mut far) = duplex(4096);
    let client = Client::framed::<nanojsonrpc::frame::Lines>(near, Options::new().dialect(Dialect::LENIENT));
    let calling = client.clone();
    let call = tokio::spawn(async move { calling.call::<u8>("level", &()).await });
    sleep(Duration::from_millis(5)).await;
    far.write_all(b"{\"id\":\"1\",\"result\":7,\"error\":null}\n").await.unwrap();
    assert_eq!(call.await.unwrap().unwrap(), 7);
}

#[tokio::test(start_paused = true)]
async fn a_call_is_late_and_a_late_answer_harms_no_other() {
    let (near, mut far) = duplex(4096);
    let client = Client::framed::<nanojsonrpc::frame::Lines>(near, Options::new().patience(Duration::from_secs(1)));
    assert!(matches!(client.call::<u8>("level", &()).await, Err(CallError::Late)));
    far.write_all(b"{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":1}\n{\"jsonrpc\":\"2.0\",\"result\":2,\"id\":2}\n")
        .await
        .unwrap();
    let (second, third) = tokio::join!(client.call::<u8>("level", &()), async {
        far.write_all(b"{\"jsonrpc\":\"2.0\",\"result\":3,\"id\":3}\n").await.unwrap();
        client.call::<u8>("level", &()).await
    });
    // the answer to 2 came before its call
    assert!(matches!(second, Err(CallError::Late)) || second.unwrap() == 2);
    assert!(third.is_err() || third.unwrap() == 3);
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_ends() {
    let (near, far) = duplex(4096);
    let ended = tokio::spawn(async move {
        Server::new(methods()).options(Options::new().idle(Duration::from_secs(60))).serve_stream(far).await
    });
    let mut stream = near;
    let mut rest = Vec::new();
    assert_eq!(stream.read_to_end(&mut rest).await.unwrap(), 0);
    drop(stream);
    assert!(matches!(ended.await.unwrap(), Closed::Idle));
}

#[tokio::test(start_paused = true)]
async fn a_fast_peer_is_read_slowly() {
    let (_server, mut stream) = serve(Options::new().rate(100));
    let call = "{\"jsonrpc\":\"2.0\",\"method\":\"count\",\"id\":1}\n";
    let begun = tokio::time::Instant::now();
    exchange(&mut stream, &call.repeat(50), 50).await;
    // 50 × 40 bytes at 100 bytes a second, one second in advance
    let time = begun.elapsed();
    assert!(time > Duration::from_secs(15) && time < Duration::from_secs(25), "{time:?}");
}

#[tokio::test]
async fn a_half_closed_stream_is_answered() {
    let (server, mut stream) = serve(Options::new());
    stream.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"sleep\",\"params\":[30],\"id\":1}").await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert_eq!(answer, "{\"jsonrpc\":\"2.0\",\"result\":30,\"id\":1}\n");
    drop(server);
}

#[tokio::test]
async fn another_frame() {
    let (near, far) = duplex(4096);
    let _server = connect_framed::<ContentLength, _>(far, methods(), Options::new());
    let client = Client::framed::<ContentLength>(near, Options::new());
    assert_eq!(client.call::<i64>("subtract", &[2, 1]).await.unwrap(), 1);
}

#[tokio::test]
async fn the_last_handle_ends_the_connection() {
    let (near, mut far) = duplex(4096);
    let client = Client::over(near);
    client.notify("bye", &()).await.unwrap();
    drop(client);
    let mut sent = String::new();
    far.read_to_string(&mut sent).await.unwrap();
    assert_eq!(sent, "{\"jsonrpc\":\"2.0\",\"method\":\"bye\"}\n");
}

#[tokio::test]
async fn a_handler_may_close_its_connection() {
    let (near, far) = duplex(4096);
    let methods = Methods::new(()).raw("quit", async |(), request: Request| {
        request.peer().close().await;
        Response::result("bye")
    });
    let _server = connect(far, methods, Options::new());
    let client = Client::over(near);
    assert_eq!(client.call::<String>("quit", &()).await.unwrap(), "bye");
    assert!(matches!(client.call::<String>("quit", &()).await, Err(CallError::Closed(_))));
}

#[tokio::test]
async fn long_calls_and_their_long_answers_do_not_block_each_other() {
    let (near, far) = duplex(4096);
    let methods = Methods::new(()).raw("echo", async |(), request: Request| Response::pass(request.message().clone()));
    let _server = connect(far, methods, Options::new());
    let client = Client::over(near);
    let text = "x".repeat(100_000);
    let calls = (0..100).map(|_| client.call::<Vec<String>>("echo", std::slice::from_ref(&text)));
    let answers = timeout(Duration::from_secs(20), futures_util::future::join_all(calls)).await.unwrap();
    assert!(answers.into_iter().all(|answer| answer.unwrap()[0].len() == text.len()));
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_reads_nothing_is_cut_off() {
    let (near, far) = duplex(4096);
    let serving = Server::new(methods()).options(Options::new().idle(Duration::from_secs(5)));
    let ended = tokio::spawn(async move { serving.serve_stream(far).await });
    let (reader, mut writer) = tokio::io::split(near);
    let call = "{\"jsonrpc\":\"2.0\",\"method\":\"zeros\",\"params\":[30000],\"id\":1}\n".repeat(100);
    // the server stops to read
    _ = timeout(Duration::from_secs(1), writer.write_all(call.as_bytes())).await;
    assert!(matches!(timeout(Duration::from_secs(60), ended).await.unwrap().unwrap(), Closed::Failed(_)));
    drop(reader);
}

#[tokio::test]
async fn every_invalid_request_with_an_id_is_answered() {
    let (_server, mut stream) = serve(Options::new());
    let invalid = |id: u32| format!("{{\"jsonrpc\":\"2.0\",\"method\":7,\"id\":{id}}}\n");
    let answers = exchange(&mut stream, &(invalid(1) + &invalid(2)), 2).await;
    assert!(answers[0].ends_with("\"id\":1}") && answers[1].ends_with("\"id\":2}"), "{answers:?}");
}

#[tokio::test]
async fn a_batch_with_too_many_messages_is_refused() {
    let (_server, mut stream) = serve(Options::new());
    let answers = exchange(&mut stream, &format!("[{}1]\n", "1,".repeat(1024)), 1).await;
    assert_eq!(answers, [r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"batch too long"},"id":null}"#]);
}

#[tokio::test]
async fn the_notifications_end_with_the_connection() {
    let (near, far) = duplex(4096);
    let client = Client::over(near);
    let mut before = std::pin::pin!(client.notifications());
    drop(far);
    assert!(timeout(Duration::from_secs(5), before.next()).await.unwrap().is_none());
    assert!(timeout(Duration::from_secs(5), std::pin::pin!(client.notifications()).next()).await.unwrap().is_none());
}
