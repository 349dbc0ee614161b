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
  /** Certificates by host, with the order under way: extras/acme. */
  certificates: {
    host: "text(253)",
    /** Sealed: chain and key in PEM; null: there is none yet. */
    pair: "text?",
    renew_at: "int?",
    /** When the authority is asked for its suggestion. */
    ask_at: "int?",
    order_url: "text(2000)?",
    /** Sealed: the key of the order. */
    order_key: "text?",
    /** What the host serves as proof (RFC 8555, section 8.1). */
    challenge: "text(500)?",
    /** In a row. */
    failures: "int0",
    /** The last one. */
    failure: "text(1000)?",
    /** No order before. */
    try_at: "int0",
  },
  /** Accounts at certificate authorities, by the SHA-256 of the address of their directory. */
  acme_accounts: {
    id: "text(64)",
    /** Sealed. */
    private_key: "text",
    created_at: "int",
  },
  /** One row, id 1. */
  instance: { id: "int", uuid: "text(36)", created_at: "int" },
} as const;
