/**
 * The tables as data, from which types follow; bulk.ts reads how to send a column. `?` means nullable. Times are epoch
 * milliseconds, booleans 0 or 1, integers below 2^53. For keys and lengths see migrations/.
 */
import type { Generated, Selectable } from "kysely";
import type { CamelCased } from "../lib/case-names.ts";
import { ACCOUNT_TABLES } from "./account-tables.ts";
import { CLICK_TABLES } from "./click-tables.ts";
import { FILE_TABLES } from "./file-tables.ts";
import { IMPORT_TABLES } from "./import-tables.ts";
import { LINK_TABLES } from "./link-tables.ts";
import { WEBHOOK_TABLES } from "./webhook-tables.ts";

export const TABLES = {
  ...LINK_TABLES,
  ...CLICK_TABLES,
  ...FILE_TABLES,
  ...ACCOUNT_TABLES,
  ...WEBHOOK_TABLES,
  ...IMPORT_TABLES,
  /** See cluster/changes.ts. */
  changes: { id: "serial", topic: "text", payload: "text", origin: "text", created_at: "int" },
  /** Requests with an Idempotency-Key: see cluster/repeats.ts. */
  repeats: {
    /** SHA-256 of account and key, 64 hex digits. */
    id: "text",
    account_id: "int",
    /** HMAC of method, address and body, 64 hex digits. */
    fingerprint: "text",
    /** A UUID. */
    claim: "text",
    /** "claimed", "written" or "done". */
    state: "text",
    claimed_until: "int",
    expires_at: "int",
    /** Characters of `answer`. */
    size: "int",
    /** Sealed. */
    answer: "text?",
  },
  leases: { name: "text", owner: "text", expires_at: "int" },
  /** One row, id 1. */
  instance: { id: "int", uuid: "text", created_at: "int" },
} as const satisfies Record<string, Record<string, ColumnKind>>;

/** `serial`: the database assigns it. `int0`: 0 unless given. */
export type ColumnKind = "serial" | "int" | "int0" | "int?" | "text" | "text?";

type ColumnType<K extends ColumnKind> = K extends "serial" | "int0"
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
/** A row in code: fields are named `createdAt`, and have the types in `Own` where a column is a code for them. */
export type RowFields<T extends TableName, Own = unknown> = Omit<
  CamelCased<Selectable<Schema[T]>>,
  keyof Own
> &
  Own;
export type ColumnName<T extends TableName> = keyof Schema[T] & string;
export type SerialTable = {
  [T in TableName]: "id" extends keyof Schema[T]
    ? Schema[T]["id"] extends Generated<number>
      ? T
      : never
    : never;
}[TableName];
