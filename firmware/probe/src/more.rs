//! Texts that lead jobs through deeper calls than the measured messages: the peak of the stack with them is compared with the computed one.

/// A call of MCP that names its revision, and the end of its params.
macro_rules! mcp {
    ($method:literal, $params:literal) => {
        concat!(
            r#"{"jsonrpc":"2.0","id":"a\"\u00e9","method":""#, $method, r#"","params":{"_meta":{"#,
            r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#, $params, "}}"
        )
    };
}

/// What a client of MCP gets: the answer to its first call, and results for later calls.
macro_rules! results {
    ($end:literal, $first:literal) => {
        concat!(
            r#"{"jsonrpc":"2.0","id":0,"#, $first, "}", $end, r#"{"jsonrpc":"2.0","id":1,"#, $first, "}", $end,
            r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#,
            $end, r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"\u00e9"}],"structuredContent":{"sum":3}}}"#,
            $end, r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"#,
            r#""requestState":"s"}}"#
        )
    };
}

/// The same over HTTP, each in a response.
macro_rules! responses {
    ($first:literal) => {
        concat!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n",
            results!("\0HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: 7f3a\r\n\r\n", $first)
        )
    };
}

pub const MORE: &[&str] = &[
    // errors with data; names and values with escapes
    r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"\u00e9","data":{"a":[1,"\n"]}},"id":1}"#,
    r#"{"\u006asonrpc":"2.0","\u006dethod":"s\u0075btract","p\u0061rams":["\u0034",2],"id":"\u00e9\n"}"#,
    r#"{"jsonrpc":"2.0","method":"subtract","params":{"minuend":"x"},"id":"\u0001\n"}"#,
    // the texts of jobs
    r#"{"sensor":"b\u006de","values":[1,"x"],"unit":"\u00b0C"}"#,
    r#"{"s\u0065nsor":"\ud83d\ude00","values":[21.375,1e-7,123456789012345678901234567890.5e-40],"unit":null}"#,
    r#"{"jsonrpc":"2.0","method":"heat","params":[42,23,"\u006fven",[1,2]],"id":1}"#,
    "{\"jsonrpc\":\"2.0\",\"method\":\"later\",\"id\":1}\n{\"jsonrpc\":\"2.0\",\"method\":\"later\",\"id\":\"\\u0001\"}\n",
    // a server of MCP
    mcp!("tools/call", r#","name":"add","arguments":{"a":1,"b":2}"#),
    mcp!("tools/call", r#","name":"add","arguments":{"a":"x"}"#),
    mcp!("tools/call", r#","name":"echo","arguments":{"text":"a\n\u00e9\"b"}"#),
    mcp!("tools/call", r#","name":"fly""#),
    mcp!("server/discover", ""),
    mcp!("tools/list", ""),
    mcp!("tools/list", r#","cursor":"1""#),
    mcp!("resources/list", ""),
    mcp!("resources/templates/list", ""),
    mcp!("prompts/list", ""),
    mcp!("resources/read", r#","uri":"note:///greeting""#),
    mcp!("resources/read", r#","uri":"note:///pixel""#),
    mcp!("resources/read", r#","uri":"greeting:///Ad%20a""#),
    mcp!("resources/read", r#","uri":"note:///none""#),
    mcp!("prompts/get", r#","name":"greet","arguments":{"name":"Ada\n"}"#),
    mcp!(
        "completion/complete",
        r#","ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":"A"}"#
    ),
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{}}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":"x"}}}"#,
    // a client of MCP
    results!(
        "\n",
        r#""result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"s"}}"#
    ),
    results!("\n", r#""error":{"code":-32601,"message":"Method not found"}"#),
    results!("\n", r#""error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}"#),
    responses!(
        r#""result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"s"}}"#
    ),
    responses!(r#""error":{"code":-32601,"message":"Method not found"}"#),
    responses!(r#""error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}"#),
];
