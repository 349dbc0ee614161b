/**
 * The tables as data, from which types follow; bulk.ts reads how to send a column. `?` means nullable. Times are epoch
 * milliseconds, booleans 0 or 1, integers below 2^53. For keys and lengths see migrations/.
 */
import type { Generated } from "kysely";

export const TABLES = {
  links: {
    id: "serial",
    /** Case-sensitive ASCII. */
    code: "text",
    /** ≤ 8192 bytes. */
    target: "text",
    created_at: "int",
    updated_at: "int",
    expires_at: "int?",
    password_hash: "text?",
  },
  /** One row per link, removed with it. `ranked` is indexed: see links/ranking.ts. */
  link_clicks: { link_id: "int", clicks: "int", ranked: "int" },
  /**
   * For the analytics of deleted links. Retention removes a row with the last row of its clicks. A code may occur
   * several times, and a link may have it again.
   */
  deleted_links: { link_id: "int", code: "text", deleted_at: "int" },
  settings: { key: "text", value: "text", updated_at: "int", updated_by: "text" },
  /** Masks sensitive values. */
  settings_history: {
    id: "serial",
    key: "text",
    old_value: "text?",
    new_value: "text?",
    changed_at: "int",
    changed_by: "text",
  },
  users: {
    id: "serial",
    /** Lower-case. */
    username: "text",
    password_hash: "text",
    /** "admin" or "user". */
    role: "text",
    disabled: "int",
    /** Bytes; 0 is unlimited. */
    quota_bytes: "int",
    created_at: "int",
    updated_at: "int",
  },
  sessions: {
    /** A UUID. */
    id: "text",
    /** 0 is the built-in administrator, who has no row in users. */
    user_id: "int",
    created_at: "int",
    expires_at: "int",
    refresh_jti: "text",
    previous_jti: "text?",
    rotated_at: "int?",
    revoked_at: "int?",
  },
  login_failures: { account: "text", failures: "int", retry_at: "int", updated_at: "int" },
  /** See cluster/changes.ts. */
  changes: { id: "serial", topic: "text", payload: "text", origin: "text", created_at: "int" },
  leases: { name: "text", owner: "text", expires_at: "int" },
  /** Moved in the transaction that counts. */
  journals: { id: "text", position: "int", updated_at: "int" },
  /**
   * Clicks by hour, day and month (UTC): `hour` is epoch milliseconds / 3,600,000, `day` / 86,400,000, `month` counts
   * from January 1970, rounded down. Link 0 is all links and keeps the history of deleted ones. Written in the
   * transaction that counts. A link with rows in hours or days has one in months.
   */
  click_hours: { hour: "int", link_id: "int", clicks: "int" },
  click_days: { day: "int", link_id: "int", clicks: "int" },
  click_months: { month: "int", link_id: "int", clicks: "int" },
  /** Texts by which clicks are counted (clicks/rollups/dimensions.ts). */
  click_values: {
    id: "serial",
    dimension: "int",
    value: "text",
    /** The newest day of a click with this value. */
    seen_day: "int",
  },
  /** By value: for all links (link 0) and per link by day. */
  click_dim_hours: { hour: "int", dimension: "int", value_id: "int", clicks: "int" },
  click_dim_days: { day: "int", link_id: "int", dimension: "int", value_id: "int", clicks: "int" },
  click_dim_months: { month: "int", dimension: "int", value_id: "int", clicks: "int" },
  user_agents: {
    id: "serial",
    /** First 32 hex digits of the text's SHA-256. */
    hash: "text",
    text: "text",
    /** In click_values. */
    value_id: "int",
    seen_day: "int",
  },
  click_log: {
    id: "serial",
    link_id: "int",
    clicked_at: "int",
    /** Cleaned. */
    referrer: "text?",
    /** The utm_source value, `ref:{domain}` or `direct`. */
    source: "text",
    ip_address: "text?",
    /** ISO 3166-1 alpha-2. */
    country: "text?",
    city: "text?",
    user_agent_id: "int?",
  },
  /** Clicks without details in click_log (clicks/details/drops.ts). */
  detail_drops: {
    /** Days since 1970-01-01. */
    day: "int",
    /** "full", "disconnected", "sampled_out" or "stopped". */
    reason: "text",
    clicks: "int",
  },
  /** Keys are sealed (lib/secret-box.ts). */
  policies: {
    id: "serial",
    name: "text",
    /** "local" or "s3". For local the columns up to secret_key are null. */
    driver_type: "text",
    endpoint: "text?",
    bucket: "text?",
    region: "text?",
    access_key: "text?",
    secret_key: "text?",
    base_path: "text",
    /** Bytes; 0 is unlimited. */
    max_file_size: "int",
    /** "relay" or "redirect". */
    download: "text",
    /** 1 or null, so that one row is the default. */
    is_default: "int?",
    created_at: "int",
    updated_at: "int",
  },
  /** Content, stored once per policy (files/blobs/service.ts). */
  blobs: {
    id: "serial",
    policy_id: "int",
    /** 64 hex digits. */
    sha256: "text",
    /** Random, below 2^52. Distinguishes the objects that ever held this content. */
    generation: "int",
    /** 0 for the live blob of its content, later its generation. */
    retired: "int",
    size: "int",
    /** Number of entries. */
    refs: "int",
    /** "live", "dead" (no refs, object being removed) or "damaged" (not served, kept for repair). */
    state: "text",
    /** Relative to the policy's base path. */
    object_key: "text",
    /** When the bytes were last compared with sha256; 0: never. */
    checked_at: "int",
    created_at: "int",
  },
  /** Folders and files in one table, so that one unique index covers their names. */
  entries: {
    id: "serial",
    /**
     * 0 is the built-in administrator, -1 folders being removed (files/tree/removal.ts): their account as parent, their
     * id as name.
     */
    account_id: "int",
    /** A folder of the same account; 0 is the root. */
    parent_id: "int",
    /** "folder" or "file". */
    kind: "text",
    /** NFC, compared by bytes. */
    name: "text",
    /** Folders only: overrides the inherited policy. */
    policy_id: "int?",
    /** Files only, like the next two. */
    blob_id: "int?",
    mime_type: "text?",
    /** Copied from blobs for listings. */
    sha256: "text?",
    /** Likewise; 0 for folders. */
    size: "int",
    created_at: "int",
    updated_at: "int",
  },
  /** Its row is the lock of the account's tree. */
  account_usage: { account_id: "int", bytes: "int" },
  uploads: {
    /** A lower-case UUID, also the storage's id of the bytes. */
    id: "text",
    account_id: "int",
    /** 0 is the root. */
    folder_id: "int",
    name: "text",
    mime_type: "text",
    /** Upload-Metadata as sent. */
    metadata: "text",
    /** Null until the client sends it. */
    size: "int?",
    /** Durable bytes. */
    received: "int",
    policy_id: "int",
    created_at: "int",
    expires_at: "int",
  },
  /** Removed with the link. */
  shares: {
    link_id: "int",
    /** The foreign key requires removing the link with the entry. */
    entry_id: "int",
    max_downloads: "int?",
    downloads: "int",
    created_at: "int",
  },
  /** One row, id 1. */
  instance: { id: "int", uuid: "text", created_at: "int" },
} as const satisfies Record<string, Record<string, ColumnKind>>;

/** `serial`: the database assigns it. */
export type ColumnKind = "serial" | "int" | "int?" | "text" | "text?";

type ColumnType<K extends ColumnKind> = K extends "serial"
  ? Generated<number>
  : K extends "int"
    ? number
    : K extends "int?"
      ? number | null
      : K extends "text"
        ? string
        : string | null;

export type TableName = keyof typeof TABLES;
export type Schema = {
  [T in TableName]: {
    -readonly [C in keyof (typeof TABLES)[T]]: ColumnType<(typeof TABLES)[T][C] & ColumnKind>;
  };
};
export type ColumnName<T extends TableName> = keyof Schema[T] & string;
export type SerialTable = {
  [T in TableName]: "id" extends keyof Schema[T]
    ? Schema[T]["id"] extends Generated<number>
      ? T
      : never
    : never;
}[TableName];
