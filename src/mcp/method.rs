//! The names of all methods and notifications.

/// Opens a session. 2024-11-05 to 2025-11-25.
pub const INITIALIZE: &str = "initialize";
/// Checks that the peer responds. 2024-11-05 to 2025-11-25.
pub const PING: &str = "ping";
/// Requests identity and capabilities of the server. 2026-07-28.
pub const SERVER_DISCOVER: &str = "server/discover";

/// Lists the tools.
pub const TOOLS_LIST: &str = "tools/list";
/// Calls a tool.
pub const TOOLS_CALL: &str = "tools/call";
/// Lists the resources.
pub const RESOURCES_LIST: &str = "resources/list";
/// Lists the resource templates.
pub const RESOURCES_TEMPLATES_LIST: &str = "resources/templates/list";
/// Reads a resource.
pub const RESOURCES_READ: &str = "resources/read";
/// Lists a directory of resources. Extension for skills.
pub const RESOURCES_DIRECTORY_READ: &str = "resources/directory/read";
/// Subscribes to changes of a resource. 2024-11-05 to 2025-11-25.
pub const RESOURCES_SUBSCRIBE: &str = "resources/subscribe";
/// Ends such a subscription. 2024-11-05 to 2025-11-25.
pub const RESOURCES_UNSUBSCRIBE: &str = "resources/unsubscribe";
/// Lists the prompts.
pub const PROMPTS_LIST: &str = "prompts/list";
/// Gets a prompt.
pub const PROMPTS_GET: &str = "prompts/get";
/// Lists the skills. Extension.
pub const SKILLS_LIST: &str = "skills/list";
/// Gets a skill. Extension.
pub const SKILLS_GET: &str = "skills/get";
/// Requests values of an argument.
pub const COMPLETION_COMPLETE: &str = "completion/complete";
/// Sets the least severe level of log messages. 2024-11-05 to 2025-11-25.
pub const LOGGING_SET_LEVEL: &str = "logging/setLevel";
/// Opens a stream of notifications. 2026-07-28.
pub const SUBSCRIPTIONS_LISTEN: &str = "subscriptions/listen";

/// Requests the working folders of the client. Up to 2025-11-25 a separate request, in 2026-07-28 an
/// [input request](super::types::InputRequiredResult); so are the next two.
pub const ROOTS_LIST: &str = "roots/list";
/// Requests a message of the client's language model.
pub const SAMPLING_CREATE_MESSAGE: &str = "sampling/createMessage";
/// Requests information from the user of the client.
pub const ELICITATION_CREATE: &str = "elicitation/create";

/// Requests the state of a task. 2025-11-25, and the extension of 2026-07-28.
pub const TASKS_GET: &str = "tasks/get";
/// Sends the input that a task requires. The extension of 2026-07-28.
pub const TASKS_UPDATE: &str = "tasks/update";
/// Cancels a task. 2025-11-25, and the extension of 2026-07-28.
pub const TASKS_CANCEL: &str = "tasks/cancel";
/// Waits for the result of a task. 2025-11-25.
pub const TASKS_RESULT: &str = "tasks/result";
/// Lists the tasks. 2025-11-25.
pub const TASKS_LIST: &str = "tasks/list";

/// The session is open. 2024-11-05 to 2025-11-25.
pub const INITIALIZED: &str = "notifications/initialized";
/// A request is to be cancelled.
pub const CANCELLED: &str = "notifications/cancelled";
/// The progress of a request.
pub const PROGRESS: &str = "notifications/progress";
/// A log message.
pub const MESSAGE: &str = "notifications/message";
/// The list of tools has changed.
pub const TOOLS_LIST_CHANGED: &str = "notifications/tools/list_changed";
/// The list of resources has changed.
pub const RESOURCES_LIST_CHANGED: &str = "notifications/resources/list_changed";
/// A resource has changed.
pub const RESOURCES_UPDATED: &str = "notifications/resources/updated";
/// The list of prompts has changed.
pub const PROMPTS_LIST_CHANGED: &str = "notifications/prompts/list_changed";
/// The list of roots has changed. 2024-11-05 to 2025-11-25.
pub const ROOTS_LIST_CHANGED: &str = "notifications/roots/list_changed";
/// A stream of notifications is open. 2026-07-28.
pub const SUBSCRIPTIONS_ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
/// A task has another state. 2025-11-25.
pub const TASKS_STATUS: &str = "notifications/tasks/status";
/// A task has another state. The extension of 2026-07-28.
pub const TASKS_CHANGED: &str = "notifications/tasks";
/// A user has finished an elicitation outside of the client. 2025-11-25.
pub const ELICITATION_COMPLETE: &str = "notifications/elicitation/complete";
