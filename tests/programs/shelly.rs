//! The example `shelly` as a device and as a client, each at a stand-in for the other.
#![cfg(all(feature = "serde", not(miri)))]

use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use crate::example::example;

/// A socket that gives up after some seconds.
fn socket() -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.set_read_timeout(Some(Duration::from_secs(5))).expect("a timeout");
    socket
}

fn received(socket: &UdpSocket) -> String {
    let mut datagram = [0; 1024];
    let len = socket.recv(&mut datagram).expect("a datagram");
    String::from_utf8(datagram[..len].to_vec()).expect("UTF-8")
}

/// The example as a device, and its address.
struct Device(Child, String);

impl Device {
    fn start() -> Self {
        let mut process = example("shelly").args(["--device", "127.0.0.1:0"]).spawn().expect("the example to start");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let address = line.trim_end().strip_prefix("listening on ").expect("an address").to_owned();
        Self(process, address)
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_device_answers_as_the_vendor_describes() {
    let device = Device::start();
    let client = socket();
    client.connect(&device.1).expect("a device");
    let ask = |text: &str| {
        client.send(text.as_bytes()).expect("a device");
        received(&client)
    };
    let on = r#"{"id":1,"src":"user_1","method":"Switch.Set","params":{"id":0,"on":true}}"#;
    assert_eq!(ask(on), r#"{"result":{"was_on":false},"id":1,"src":"shellyplus1-a0b1c2d3e4f5","dst":"user_1"}"#);
    let note = received(&client);
    assert!(note.starts_with(r#"{"method":"NotifyStatus","params":{"ts":"#), "{note}");
    let end = r#""switch:0":{"id":0,"source":"RPC","output":true}},"src":"shellyplus1-a0b1c2d3e4f5","dst":"user_1"}"#;
    assert!(note.ends_with(end), "{note}");
    // the same again changes nothing, so no notification follows
    assert!(ask(on).contains(r#"{"was_on":true}"#));
    // the version is optional, and the id a string
    let versioned = r#"{"jsonrpc":"2.0","id":"a","src":"u","method":"Switch.GetStatus","params":{"id":0}}"#;
    assert_eq!(
        ask(versioned),
        r#"{"result":{"id":0,"source":"RPC","output":true},"id":"a","src":"shellyplus1-a0b1c2d3e4f5","dst":"u"}"#
    );
    for (method, params, error) in [
        ("Switch.Toggle", r#"{"id":5}"#, r#"{"code":-105,"message":"Argument 'id', value not found!"}"#),
        ("Switch.Set", r#"{"id":0}"#, r#"{"code":-103,"message":"Missing or bad argument!"}"#),
        ("Light.Set", "{}", r#"{"code":404,"message":"No handler for Light.Set"}"#),
    ] {
        let answer = ask(&format!(r#"{{"id":2,"src":"u","method":"{method}","params":{params}}}"#));
        assert!(answer.starts_with(&format!(r#"{{"error":{error},"id":2,"#)), "{answer}");
    }
    // a response gets no answer, so the next datagram is that to the next request
    client.send(br#"{"id":3,"src":"u","result":{}}"#).expect("a device");
    assert!(ask(r#"{"id":4,"src":"u","method":"Shelly.GetDeviceInfo"}"#).contains(r#""id":4,"#));
}

/// The outputs and the status of the example as a client, at a stand-in that answers each call with these datagrams.
fn called(method: &str, params: &str, answers: &[&str]) -> (String, String, Option<i32>, String) {
    let device = socket();
    let address = device.local_addr().expect("an address").to_string();
    let mut client = example("shelly");
    client.args(["--timeout", "2", &address, method, params]).stderr(Stdio::piped());
    let client = client.spawn().expect("the example to start");
    let waiting = thread::spawn(move || client.wait_with_output().expect("an output"));
    let mut datagram = [0; 1024];
    let (len, sender) = device.recv_from(&mut datagram).expect("a call");
    for answer in answers {
        device.send_to(answer.as_bytes(), sender).expect("a client");
    }
    let output = waiting.join().expect("an output");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr), output.status.code(), text(datagram[..len].to_vec()))
}

#[test]
fn a_client_reads_what_devices_write() {
    let note = r#"{"src":"s","dst":"u","method":"NotifyStatus","params":{"ts":1.5}}"#;
    let late = r#"{"id":7,"src":"s","result":null}"#;
    let answer = r#"{"id":1,"src":"s","dst":"nanojsonrpc","result":{"was_on":false}}"#;
    let (output, errors, status, sent) = called("Switch.Set", r#"{"id":0,"on":true}"#, &[note, late, answer]);
    assert_eq!(sent, r#"{"method":"Switch.Set","params":{"id":0,"on":true},"id":1,"src":"nanojsonrpc"}"#);
    assert_eq!((output.as_str(), status), ("{\"was_on\":false}\n", Some(0)));
    assert_eq!(errors, "shelly: NotifyStatus: {\"ts\":1.5}\n");
    // the challenge of a protected device
    let challenge = r#"{"id":1,"src":"s","error":{"code":401,"message":"{\"auth_type\": \"digest\"}"}}"#;
    let (output, errors, status, _) = called("Switch.Toggle", r#"{"id":0}"#, &[challenge]);
    assert_eq!((output.as_str(), status), ("", Some(1)));
    assert_eq!(errors, "error 401: {\"auth_type\": \"digest\"}\n");
    // an unreadable answer ends the call at once
    let (output, errors, status, _) = called("Switch.Toggle", r#"{"id":0}"#, &[r#"{"id":1,"result":nan}"#]);
    assert_eq!((output.as_str(), status), ("", Some(3)));
    assert_eq!(errors, "shelly: unreadable answer: invalid literal at byte 18\n");
    let (_, errors, status, _) = called("Switch.Toggle", r#"{"id":0}"#, &[]);
    assert_eq!((errors.as_str(), status), ("shelly: no answer within 2 s\n", Some(3)));
}

#[test]
fn a_client_calls_a_device() {
    let device = Device::start();
    let call = |words: &[&str]| {
        let output = example("shelly").arg(&device.1).args(words).output().expect("an output");
        (String::from_utf8(output.stdout).expect("UTF-8"), output.status.code())
    };
    assert_eq!(call(&["Switch.Toggle", r#"{"id":0}"#]), ("{\"was_on\":false}\n".into(), Some(0)));
    assert_eq!(call(&["Switch.Toggle", r#"{"id":0}"#]), ("{\"was_on\":true}\n".into(), Some(0)));
    assert_eq!(call(&["Switch.Toggle", r#"{"id":1}"#]), (String::new(), Some(1)));
}
