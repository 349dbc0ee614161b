/** Tables of webhooks; see schema.ts. */
export const WEBHOOK_TABLES = {
  webhooks: {
    id: "serial",
    url: "text",
    /** Names, separated by blanks. */
    events: "text",
    /** Sealed (lib/secret-box.ts), like the previous one. */
    secret: "text",
    previous_secret: "text?",
    previous_until: "int?",
    /** "asked", "gone" or "failing"; null: it is enabled. */
    disabled_because: "text?",
    failing_since: "int?",
    paused_until: "int?",
    /** Ids of events: webhooks/webhook.ts. */
    replay_after: "int?",
    replay_to: "int?",
    created_at: "int",
    updated_at: "int",
  },
  /** The queue, and the log. Those of a deleted webhook stay until retention removes them. */
  webhook_deliveries: {
    id: "serial",
    webhook_id: "int",
    /** With `webhook_id` unique; null: a test. */
    event_id: "int?",
    /** Such as "link.created". */
    event: "text",
    /** "waiting", "sending", "delivered" or "failed". */
    state: "text",
    due_at: "int",
    attempts: "int",
    tried_at: "int?",
    /** JSON: webhooks/webhook.ts. */
    tries: "text",
    created_at: "int",
    delivered_at: "int?",
  },
} as const;
