/** Tables of webhooks; see schema.ts. */
export const WEBHOOK_TABLES = {
  webhooks: {
    id: "serial",
    url: "text(2000)",
    /** Names, separated by blanks. */
    events: "text(1000)",
    /** Sealed (lib/secret-box.ts), like the previous one. */
    secret: "text(300)",
    previous_secret: "text(300)?",
    previous_until: "int?",
    /** "asked", "gone" or "failing"; null: it is enabled. */
    disabled_because: "text(16)?",
    /** No attempt has succeeded since then; null: the last one did. */
    failing_since: "int?",
    /** The receiver wants nothing before. */
    paused_until: "int?",
    /** Events after this id up to `replay_to` are queued, in portions; null: none. */
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
    event: "text(32)",
    /** "waiting", "sending", "delivered" or "failed". */
    state: "text(16)",
    due_at: "int",
    /** Attempts of the present schedule. */
    attempts: "int",
    tried_at: "int?",
    /** JSON, the latest ones: webhooks/webhook.ts. */
    tries: "text",
    created_at: "int",
    delivered_at: "int?",
  },
} as const;
