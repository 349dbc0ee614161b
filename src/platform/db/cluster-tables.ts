/** Tables of what processes and nodes share; see schema.ts. */
export const CLUSTER_TABLES = {
  /** See cluster/changes.ts. */
  changes: { id: "serial", topic: "text(32)", payload: "text", origin: "text(36)", created_at: "int" },
  /** Requests with an Idempotency-Key: see cluster/repeats.ts. */
  repeats: {
    /** SHA-256 of account and key, 64 hex digits. */
    id: "text(64)",
    account_id: "int",
    /** HMAC of method, address and body, 64 hex digits. */
    fingerprint: "text(64)",
    /** A UUID. */
    claim: "text(36)",
    /** "claimed", "written" or "done". */
    state: "text(8)",
    claimed_until: "int",
    expires_at: "int",
    /** Characters of `answer`. */
    size: "int",
    /** Sealed. */
    answer: "text?",
  },
  leases: { name: "text(64)", owner: "text(128)", expires_at: "int" },
  /** One row, id 1. */
  instance: { id: "int", uuid: "text(36)", created_at: "int" },
} as const;
