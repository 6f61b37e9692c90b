//! A client of the server on TCP, which any task may use.

use nanojsonrpc_tokio::{CallError, Client};
use tokio::net::TcpStream;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::over(TcpStream::connect("127.0.0.1:4000").await?);
    let fading = tokio::spawn({
        let client = client.clone();
        async move { client.call::<u8>("lamp.fade", &(40, 500)).await }
    });
    println!("before: {}", client.call::<u8>("lamp.set", &[20]).await?);
    match client.call::<u8>("lamp.set", &[300]).await {
        Ok(level) => println!("before: {level}"),
        Err(CallError::Peer(error)) => println!("refused: {error}"),
        Err(error) => return Err(error.into()),
    }
    println!("faded from {}", fading.await??);
    Ok(())
}
