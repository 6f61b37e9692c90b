//! The params of notifications. Write a notification that has only metadata with
//! [`Notification::new`](crate::Notification::new) and a name of [`method`](crate::mcp::method).

use super::{List, Number, ProgressToken, RequestId};
use crate::json::RawValue;
use crate::mcp::value::{names, object};
use crate::message::Str;

object! {
    /// The params of `notifications/progress`: the progress of a request.
    Progress
    required {
        /// The token of the request.
        progress_token: ProgressToken<'a> = "progressToken",
        /// The progress so far. It increases with each notification.
        progress: Number<'a> = "progress",
    }
    optional {
        /// The value of `progress` at the end.
        total: Number<'a> = "total",
        /// The progress in words.
        message: Str<'a> = "message",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

names! {
    /// The severity of a log message (RFC 5424 §6.2.1). A greater level is more severe.
    LoggingLevel {
        /// For debugging.
        Debug = "debug",
        /// Information.
        Info = "info",
        /// A normal but significant event.
        Notice = "notice",
        /// A warning.
        Warning = "warning",
        /// An error.
        Error = "error",
        /// A critical condition, such as a part that fails.
        Critical = "critical",
        /// A fault that needs action at once.
        Alert = "alert",
        /// The system is unusable.
        Emergency = "emergency",
    }
}

object! {
    /// The params of `notifications/message`: a log message.
    LogMessage
    required {
        /// The severity.
        level: LoggingLevel = "level",
        /// The message, any value.
        data: RawValue<'a> = "data",
    }
    optional {
        /// The name of the logger.
        logger: Str<'a> = "logger",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// The params of `notifications/resources/updated`: a resource has changed.
    ResourceUpdated
    required {
        /// The URI of the resource.
        uri: Str<'a> = "uri",
    }
    optional {
        /// Metadata, an object: in 2026-07-28 with the [subscription](SubscriptionMeta).
        meta: SubscriptionMeta<'a> = "_meta",
    }
}

object! {
    /// The `_meta` of a message on a stream of notifications. 2026-07-28.
    SubscriptionMeta
    required {}
    optional {
        /// The id of the request that opened the stream.
        subscription_id: RequestId<'a> = "io.modelcontextprotocol/subscriptionId",
    }
}

object! {
    /// The notifications that a client subscribes to. 2026-07-28.
    SubscriptionFilter
    required {}
    optional {
        /// Changes of the list of tools.
        tools_list_changed: bool = "toolsListChanged",
        /// Changes of the list of prompts.
        prompts_list_changed: bool = "promptsListChanged",
        /// Changes of the list of resources.
        resources_list_changed: bool = "resourcesListChanged",
        /// Changes of the resources with these URIs.
        resource_subscriptions: List<'a, Str<'a>> = "resourceSubscriptions",
        /// Changes of the tasks with these ids: the extension for tasks.
        task_ids: List<'a, Str<'a>> = "taskIds",
    }
}

object! {
    /// The params of `notifications/subscriptions/acknowledged`, the first message of a stream. 2026-07-28.
    SubscriptionsAcknowledged
    required {
        /// The granted part of the requested subscriptions.
        notifications: SubscriptionFilter<'a> = "notifications",
    }
    optional {
        /// Metadata: the stream.
        meta: SubscriptionMeta<'a> = "_meta",
    }
}
