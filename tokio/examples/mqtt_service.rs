//! A service on the topic `home/lamp/rpc` of MQTT 5 whose presence is retained on `home/lamp/presence`.
//!
//! `mosquitto & cargo run --example mqtt_service --features mqtt`, and then in another shell
//! `mosquitto_rr -V 5 -t home/lamp/rpc -e home/me/answers -m '{"jsonrpc":"2.0","method":"level","id":1}'`

use nanojsonrpc::broker::mqtt::Layout;
use nanojsonrpc_tokio::{BoxError, Methods, mqtt};

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let lamp = Layout { prefix: "home", name: "lamp" };
    let methods = Methods::new(7_u8).request("level", async |level, ()| Ok(level));

    let options = mqtt::MqttOptions::new("lamp", "127.0.0.1", 1883);
    let broker = mqtt::Broker::connect_as(options, &lamp.presence::<64>()?, "online")?;
    let stop = async { _ = tokio::signal::ctrl_c().await };
    mqtt::Server::new(methods).serve(&broker, &lamp.requests::<64>()?, stop).await?;
    broker.close().await;
    Ok(())
}
