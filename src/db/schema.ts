/**
 * The tables as data: the query builder's types follow from it, and the bulk statements (bulk.ts) read from it
 * how to send a column. A word is a column's kind; `?` means it may be null. Times are epoch milliseconds,
 * booleans 0 or 1, and every integer stays below 2^53. The migrations create what stands here.
 */
import type { Generated } from "kysely";

export const TABLES = {
  links: {
    id: "serial",
    /** Case-sensitive, unique, ≤ 128 characters of ASCII. */
    code: "text",
    /** ≤ 8192 bytes. */
    target: "text",
    created_at: "int",
    updated_at: "int",
    expires_at: "int?",
    password_hash: "text?",
  },
  /** One row for each link, made in its transaction and removed with it (on delete cascade). */
  link_clicks: { link_id: "int", clicks: "int" },
  settings: { key: "text", value: "text", updated_at: "int", updated_by: "text" },
  /** Sensitive values are masked before they are written here. */
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
    /** Lower-cased by the writer, unique, ≤ 64 characters. */
    username: "text",
    password_hash: "text",
    /** "admin" or "user". */
    role: "text",
    disabled: "int",
    /** Bytes that the account's files may have together; 0 is unlimited. */
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
  /** The change feed: see cluster/changes.ts. */
  changes: { id: "serial", topic: "text", payload: "text", origin: "text", created_at: "int" },
  leases: { name: "text", owner: "text", expires_at: "int" },
  /** How far each click journal has been counted: the position moves in the transaction that counts. */
  journals: { id: "text", position: "int", updated_at: "int" },
  /**
   * Clicks by hour, day and month (UTC): `hour` is the epoch milliseconds divided by 3,600,000, `day` by 86,400,000,
   * `month` counts from January 1970, all rounded down. Link 0 stands for all links together and keeps the history
   * of deleted ones. Written in the transaction that counts the clicks. A link with a row in hours or days has one
   * in months, so the few rows there tell which links have any.
   */
  click_hours: { hour: "int", link_id: "int", clicks: "int" },
  click_days: { day: "int", link_id: "int", clicks: "int" },
  click_months: { month: "int", link_id: "int", clicks: "int" },
  /** Texts by which clicks are counted, for each dimension of clicks/rollups/dimensions.ts; unique together, ≤ 255 bytes. */
  click_values: {
    id: "serial",
    dimension: "int",
    value: "text",
    /** The newest day of a click with this value, raised in the transaction that counts it. */
    seen_day: "int",
  },
  /** Clicks recorded in detail, by value: for all links together (link 0) and for each link by day. */
  click_dim_hours: { hour: "int", dimension: "int", value_id: "int", clicks: "int" },
  click_dim_days: { day: "int", link_id: "int", dimension: "int", value_id: "int", clicks: "int" },
  click_dim_months: { month: "int", dimension: "int", value_id: "int", clicks: "int" },
  user_agents: {
    id: "serial",
    /** The first 32 hex digits of the text's SHA-256; unique. */
    hash: "text",
    /** ≤ 1,024 bytes. */
    text: "text",
    /** Its profile in click_values. */
    value_id: "int",
    /** As in click_values. */
    seen_day: "int",
  },
  /** Clicks recorded in detail, one row each. */
  click_log: {
    id: "serial",
    link_id: "int",
    clicked_at: "int",
    /** As sent, cleaned, ≤ 2,048 bytes. */
    referrer: "text?",
    /** The utm_source value, `ref:{domain}` or `direct`; ≤ 255 bytes. */
    source: "text",
    ip_address: "text?",
    /** ISO 3166-1 alpha-2. */
    country: "text?",
    /** ≤ 200 bytes. */
    city: "text?",
    user_agent_id: "int?",
  },
  /** Clicks whose details are not in click_log: see clicks/details/drops.ts. */
  detail_drops: {
    /** Days since 1970-01-01. */
    day: "int",
    /** "full", "disconnected", "sampled_out" or "stopped"; unique with the day. */
    reason: "text",
    clicks: "int",
  },
  /** Where content is stored. Keys are sealed (lib/secret-box.ts). */
  policies: {
    id: "serial",
    /** Unique, ≤ 255 bytes. */
    name: "text",
    /** "local" or "s3"; the columns up to secret_key are null for a local one. */
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
    /** 1 or null; unique, so there is never a second default. */
    is_default: "int?",
    created_at: "int",
    updated_at: "int",
  },
  /** Content, stored once within a policy: see files/blobs/service.ts. */
  blobs: {
    id: "serial",
    policy_id: "int",
    /** 64 hex digits. */
    sha256: "text",
    /** Random, below 2^52: tells apart the objects that ever held this content. */
    generation: "int",
    /** 0 while this is the live blob of its content, later its generation; unique with policy_id and sha256. */
    retired: "int",
    size: "int",
    /** How many entries hold it. */
    refs: "int",
    /** "live", "dead" (no refs, the object is being removed) or "damaged" (never served, kept for repair). */
    state: "text",
    /** Unique over all policies; below the policy's base path. */
    object_key: "text",
    /** When the bytes were last read and compared with sha256; 0 is never. */
    checked_at: "int",
    created_at: "int",
  },
  /** Folders and files, in one table so that one unique index holds their names: (account_id, parent_id, name). */
  entries: {
    id: "serial",
    /**
     * 0 is the built-in administrator; -1 has the folders that are being removed, each with its account as its parent
     * and its id as its name: see files/tree/removal.ts.
     */
    account_id: "int",
    /** A folder of the same account; 0 is the root. */
    parent_id: "int",
    /** "folder" or "file". */
    kind: "text",
    /** NFC, 1 to 255 bytes, compared byte by byte. */
    name: "text",
    /** Folders: the policy that overrides the inherited one. */
    policy_id: "int?",
    /** Files; null for folders, as are the next two. */
    blob_id: "int?",
    mime_type: "text?",
    /** As in blobs, so that a listing needs no join. */
    sha256: "text?",
    /** As in blobs; 0 for folders. */
    size: "int",
    created_at: "int",
    updated_at: "int",
  },
  /** Sum of the sizes of an account's files, changed in their transactions; its row is the lock of the account's tree. */
  account_usage: { account_id: "int", bytes: "int" },
  /** Resumable uploads under way. */
  uploads: {
    /** A UUID, lower-case: also the id under which the storage has the bytes. */
    id: "text",
    account_id: "int",
    /** 0 is the root. */
    folder_id: "int",
    name: "text",
    mime_type: "text",
    /** Upload-Metadata as sent. */
    metadata: "text",
    /** Null until the client says it. */
    size: "int?",
    /** Bytes that are durable. */
    received: "int",
    policy_id: "int",
    created_at: "int",
    expires_at: "int",
  },
  /** What a short link serves instead of redirecting; goes with the link (on delete cascade). */
  shares: {
    link_id: "int",
    /** The link must be removed with the entry: the foreign key refuses otherwise. */
    entry_id: "int",
    max_downloads: "int?",
    downloads: "int",
    created_at: "int",
  },
  /** One row, id 1: who this installation is. */
  instance: { id: "int", uuid: "text", created_at: "int" },
} as const satisfies Record<string, Record<string, ColumnKind>>;

/** `serial` is an integer key that the database gives out. */
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
/** The tables whose key the database gives out. */
export type SerialTable = {
  [T in TableName]: "id" extends keyof Schema[T]
    ? Schema[T]["id"] extends Generated<number>
      ? T
      : never
    : never;
}[TableName];
