/**
 * The tables as data. The query builder's types follow from it, and bulk.ts reads how to send a column. A word is a
 * column's kind; `?` means nullable. Times are epoch milliseconds, booleans 0 or 1, integers below 2^53. Migrations
 * create it.
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
  /**
   * One row per link, made in its transaction and removed with it (on delete cascade). `ranked` is indexed and follows
   * `clicks` by a job: see links/ranking.ts.
   */
  link_clicks: { link_id: "int", clicks: "int", ranked: "int" },
  /**
   * Codes of links that are gone, for the analytics of their clicks: made in the transaction that deletes the link, by
   * links/deletion.repository.ts, and removed by retention with the last row of its clicks. A code may be here several
   * times, and a link may have it again.
   */
  deleted_links: { link_id: "int", code: "text", deleted_at: "int" },
  settings: { key: "text", value: "text", updated_at: "int", updated_by: "text" },
  /** Sensitive values are masked here. */
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
    /** Lower-case, unique, ≤ 64 characters. */
    username: "text",
    password_hash: "text",
    /** "admin" or "user". */
    role: "text",
    disabled: "int",
    /** Bound for all files of the account, bytes; 0 is unlimited. */
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
  /** The counted position of each click journal, moved in the transaction that counts. */
  journals: { id: "text", position: "int", updated_at: "int" },
  /**
   * Clicks by hour, day and month (UTC): `hour` is epoch milliseconds / 3,600,000, `day` / 86,400,000, `month` counts
   * from January 1970, rounded down. Link 0 is all links together and keeps the history of deleted ones. Written in the
   * transaction that counts. A link with rows in hours or days has one in months.
   */
  click_hours: { hour: "int", link_id: "int", clicks: "int" },
  click_days: { day: "int", link_id: "int", clicks: "int" },
  click_months: { month: "int", link_id: "int", clicks: "int" },
  /** Texts by which clicks are counted, per dimension (clicks/rollups/dimensions.ts). Unique together, ≤ 255 bytes. */
  click_values: {
    id: "serial",
    dimension: "int",
    value: "text",
    /** The newest day of a click with this value. */
    seen_day: "int",
  },
  /** Clicks recorded in detail, by value: for all links (link 0) and per link by day. */
  click_dim_hours: { hour: "int", dimension: "int", value_id: "int", clicks: "int" },
  click_dim_days: { day: "int", link_id: "int", dimension: "int", value_id: "int", clicks: "int" },
  click_dim_months: { month: "int", dimension: "int", value_id: "int", clicks: "int" },
  user_agents: {
    id: "serial",
    /** First 32 hex digits of the text's SHA-256; unique. */
    hash: "text",
    /** ≤ 1,024 bytes. */
    text: "text",
    /** Its profile in click_values. */
    value_id: "int",
    /** As in click_values. */
    seen_day: "int",
  },
  /** Clicks recorded in detail. */
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
  /** Clicks without details in click_log (clicks/details/drops.ts). */
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
    /** 1 or null; unique, so there is one default. */
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
    /** 0 for the live blob of its content, later its generation. Unique with policy_id and sha256. */
    retired: "int",
    size: "int",
    /** Number of entries. */
    refs: "int",
    /** "live", "dead" (no refs, object being removed) or "damaged" (not served, kept for repair). */
    state: "text",
    /** Unique over all policies. Relative to the policy's base path. */
    object_key: "text",
    /** When the bytes were last compared with sha256; 0: never. */
    checked_at: "int",
    created_at: "int",
  },
  /** Folders and files in one table, so that one unique index covers their names: (account_id, parent_id, name). */
  entries: {
    id: "serial",
    /**
     * 0 is the built-in administrator. -1 holds folders being removed, with their account as parent and their id as
     * name (files/tree/removal.ts).
     */
    account_id: "int",
    /** A folder of the same account; 0 is the root. */
    parent_id: "int",
    /** "folder" or "file". */
    kind: "text",
    /** NFC, 1 to 255 bytes, compared by bytes. */
    name: "text",
    /** Folders only: the policy that overrides the inherited one. */
    policy_id: "int?",
    /** Files only, like the next two. */
    blob_id: "int?",
    mime_type: "text?",
    /** Copied from blobs, so that a listing needs no join. */
    sha256: "text?",
    /** Copied from blobs; 0 for folders. */
    size: "int",
    created_at: "int",
    updated_at: "int",
  },
  /** Bytes of an account's files, changed in their transactions. Its row is the lock of the account's tree. */
  account_usage: { account_id: "int", bytes: "int" },
  /** Unfinished resumable uploads. */
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
  /** Short links to files and folders. Removed with the link (on delete cascade). */
  shares: {
    link_id: "int",
    /** The foreign key requires removing the link with the entry. */
    entry_id: "int",
    max_downloads: "int?",
    downloads: "int",
    created_at: "int",
  },
  /** One row, id 1: the identity of this installation. */
  instance: { id: "int", uuid: "text", created_at: "int" },
} as const satisfies Record<string, Record<string, ColumnKind>>;

/** `serial` is an integer key that the database assigns. */
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
/** Tables whose key the database assigns. */
export type SerialTable = {
  [T in TableName]: "id" extends keyof Schema[T]
    ? Schema[T]["id"] extends Generated<number>
      ? T
      : never
    : never;
}[TableName];
