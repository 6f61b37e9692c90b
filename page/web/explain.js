// Explains each fault.

/// The kinds of faults in texts, in the order of `ErrorKind`: the text of the crate, the name, the section, and a sentence. A test
/// compares texts, names and order with the crate's source.
export const FAULTS = [
  ["unexpected end", "UnexpectedEnd", "RFC 8259 §2", "The text stops before its value is complete. More bytes could make it valid."],
  ["expected a value", "ExpectedValue", "RFC 8259 §3", "A value is required here: an object, an array, a string, a number, true, false or null. No value begins with this byte."],
  ["expected a member name", "ExpectedName", "RFC 8259 §4", "A member of an object begins with its name, a string in double quotation marks."],
  ["expected a colon", "ExpectedColon", "RFC 8259 §4", "A colon follows the name of a member."],
  ["data after the value", "TrailingData", "RFC 8259 §2", "A JSON text is one value, and only white space follows it."],
  ["expected a comma or the closing bracket", "ExpectedComma", "RFC 8259 §4, §5", "A comma or the closing bracket follows a value in an object or array."],
  ["invalid literal", "InvalidLiteral", "RFC 8259 §3", "The only literals are true, false and null, in lower case."],
  ["invalid number", "InvalidNumber", "RFC 8259 §6", "A number has no leading zero and no plus sign, and a digit follows each minus sign, point and exponent."],
  ["invalid escape", "InvalidEscape", "RFC 8259 §7", "One of \" \\ / b f n r t, or u and four hexadecimal digits, follows a backslash."],
  ["lone surrogate", "LoneSurrogate", "RFC 8259 §8.2", "This is half of a surrogate pair. It is no Unicode character, and receivers treat it differently."],
  ["invalid UTF-8", "InvalidUtf8", "RFC 8259 §8.1, RFC 3629 §4", "JSON between systems is UTF-8, and UTF-8 does not allow this byte here."],
  ["control character in a string", "ControlCharacter", "RFC 8259 §7", "A control character, such as a line break, is escaped in a string: \\n, \\t or \\u001f."],
  ["nested too deeply", "TooDeep", "RFC 8259 §9", "A parser may limit the depth. One bracket more is open than the limit allows."],
  ["not an object or array", "NotAMessage", "JSON-RPC 2.0 §4", "A message is an object, or an array of objects in a batch."],
  ["empty batch", "EmptyBatch", "JSON-RPC 2.0 §6", "A batch has at least one message. The answer to an empty array is one error, not an array."],
  ["batch not allowed", "BatchNotAllowed", "the dialect", "This dialect has no batches: one text is one message."],
  ["repeated member", "RepeatedMember", "RFC 8259 §4", "A member of the message appears twice, so two readers could use different ones."],
  ["missing jsonrpc", "MissingVersion", "JSON-RPC 2.0 §4", "Each message has the member \"jsonrpc\": \"2.0\". Without it, this is not a message of version 2.0."],
  ["jsonrpc is not \"2.0\"", "InvalidVersion", "JSON-RPC 2.0 §4", "The member jsonrpc is exactly the string \"2.0\", not a number and no other version."],
  ["no method, result or error", "MissingMember", "JSON-RPC 2.0 §4, §5", "A request has method; a response has result or error. This object has none of them."],
  ["more than one of method, result and error", "ConflictingMembers", "JSON-RPC 2.0 §5", "A response has either result or error, and a message with method has neither."],
  ["invalid method", "InvalidMethod", "JSON-RPC 2.0 §4", "The method is a string, and not empty."],
  ["missing id", "MissingId", "JSON-RPC 2.0 §5", "A response has the id of the request that it answers."],
  ["invalid id", "InvalidId", "JSON-RPC 2.0 §4", "An id is a string, a number or null. MCP and Cauce allow strings and integers, and null only in an error response."],
  ["invalid params", "InvalidParams", "JSON-RPC 2.0 §4.2", "Params are an array or an object. MCP allows an object only, Cauce any value."],
  ["invalid error object", "InvalidErrorObject", "JSON-RPC 2.0 §5.1", "An error is an object with an integer as code and a string as message."],
  ["another kind of message", "UnexpectedMessage", "JSON-RPC 2.0 §4, §5", "This is a valid message of another kind than the expected one."],
  ["id too long", "IdTooLong", "the capacity", "The id does not fit the buffer that the program chose for it."],
  ["method too long", "MethodTooLong", "the capacity", "The method does not fit the buffer that the program chose for it. A server treats such a method as unknown."],
  ["batch too long", "BatchTooLong", "the capacity", "The batch has more messages than the program allows."],
  ["message too long", "MessageTooLong", "the capacity", "The text has more bytes than the program allows."],
];

/// The kinds of faults in streams, from 100 on as `frames.rs` counts them.
export const FRAME_FAULTS = [
  ["message too long for the buffer", "TooLong", "the capacity", "The message does not fit the buffer of the framer. The framer drops it and reads the next one."],
  ["header section too long", "HeaderTooLong", "the capacity", "A header section has at most 1,024 bytes."],
  ["event id too long", "EventIdTooLong", "the capacity", "The id of an event has at most 64 bytes."],
  ["event name too long", "EventNameTooLong", "the capacity", "The name of an event has at most 32 bytes."],
  ["stream ends inside a message", "Truncated", "the frame", "The stream ends before the message does."],
  ["invalid header", "InvalidHeader", "RFC 9112 §5", "A header line is a name, a colon and a value."],
  ["invalid Content-Length", "InvalidLength", "RFC 9110 §8.6", "The value of Content-Length is a row of digits."],
  ["missing Content-Length", "MissingLength", "LSP 3.17, base protocol", "Each header section has a Content-Length. Without it, the end of the message is unknown."],
  ["repeated Content-Length", "RepeatedLength", "RFC 9110 §8.6", "A header section has one Content-Length. Two could disagree."],
  ["Content-Length too large", "LengthTooLarge", "the capacity", "A message of this frame has at most 4,294,967,295 bytes."],
  ["byte order mark", "ByteOrderMark", "RFC 8259 §8.1", "A JSON text does not begin with U+FEFF. The framer skips it and reads the message behind it."],
  ["no line feed after a text that is not JSON", "Unseparated", "the frame", "A value follows a broken text without a line feed between them, so it may be a part of that text. The framer stops."],
  ["stream begins as another protocol", "OtherProtocol", "RFC 9112, RFC 8446, RFC 4253", "The stream begins with a line of HTTP, a record of TLS or the version of SSH. The framer stops, so that no line of a request runs as a call."],
];

/// Kinds of faults in values that a client cannot write: these are not explained.
const OTHER = ["another kind of fault", "", "", ""];

/// The fault of this kind.
export function explained(kind) {
  const [words, name, section, sentence] = (kind < 100 ? FAULTS[kind] : FRAME_FAULTS[kind - 100]) ?? OTHER;
  return { words, name, section, sentence };
}

/// The code that answers a text with a fault of this kind.
export const code = (kind) => FAULTS[kind] === undefined ? "" : kind <= 12 ? "-32700" : "-32600";

/// The frequent cause of a fault at this character.
export function hint(words, character, before) {
  switch (words) {
    case "expected a value":
      if (character === "'") return "Strings are in double quotation marks.";
      if (character === "]" && /,\s*$/.test(before)) return "No comma follows the last element.";
      if (character === "/" || character === "#") return "JSON has no comments.";
      if (character === "N" || character === "I") return "JSON has neither NaN nor Infinity; use null instead.";
      if (character === "+" || character === ".") return "A number begins with a digit or a minus sign.";
      if (character === "\uFEFF") return "The text begins with a byte order mark.";
      if (/[TFU]/.test(character)) return "Literals are in lower case: true, false, null.";
      return "";
    case "expected a member name":
      if (character === "}" && /,\s*$/.test(before)) return "No comma follows the last member.";
      if (character === "'") return "Names are in double quotation marks.";
      if (/[A-Za-z_$]/.test(character)) return "Names are in quotation marks, unlike in JavaScript.";
      if (character === "/") return "JSON has no comments.";
      return "";
    case "expected a comma or the closing bracket":
      if (/[A-Za-z0-9]/.test(character) && /"\s*$/.test(before)) return "A quotation mark in a string is escaped: \\\". Or one is missing before.";
      if (character === "/" || character === "#") return "JSON has no comments.";
      return "";
    case "invalid number":
      if (/(^|[^0-9.])-?0$/.test(before)) return "A leading zero is not allowed: 7, not 007.";
      return "";
    case "data after the value":
      if (/[{["]/.test(character)) return "Two messages in one text are a batch, in brackets and with commas; or lines of a stream.";
      return "";
    default:
      return "";
  }
}
