/**
 * The tables as data, from which types and the columns of the migrations follow; bulk.ts reads how to send a column.
 * Times are epoch milliseconds, booleans 0 or 1, integers below 2^53. For keys and indexes see migrations/. The
 * `*-tables.ts` are as version 1.0 makes them; a column that a later version adds is here:
 * `links: { ...LINK_TABLES.links, mood: "int0" }`.
 */
import type { Generated, Selectable } from "kysely";
import type { CamelCased } from "../../lib/case-names.ts";
import { ACCOUNT_TABLES } from "./account-tables.ts";
import { CLICK_TABLES } from "./click-tables.ts";
import { CLUSTER_TABLES } from "./cluster-tables.ts";
import type { ColumnKind } from "./column-kind.ts";
import { FILE_TABLES } from "./file-tables.ts";
import { IMPORT_TABLES } from "./import-tables.ts";
import { LINK_TABLES } from "./link-tables.ts";
import { REPORT_TABLES } from "./report-tables.ts";
import { WEBHOOK_TABLES } from "./webhook-tables.ts";

export const TABLES = {
  ...LINK_TABLES,
  ...CLICK_TABLES,
  ...FILE_TABLES,
  ...ACCOUNT_TABLES,
  ...WEBHOOK_TABLES,
  ...IMPORT_TABLES,
  ...CLUSTER_TABLES,
  ...REPORT_TABLES,
  /** `key_fingerprint`: SHA-256 of the key that seals secrets, 64 hex digits; null until one is used. */
  instance: { ...CLUSTER_TABLES.instance, key_fingerprint: "text(64)?" },
} as const satisfies Record<string, Record<string, ColumnKind>>;

type ColumnType<K extends ColumnKind> = K extends "serial" | "int0"
  ? Generated<number>
  : K extends "int"
    ? number
    : K extends "int?"
      ? number | null
      : K extends `${string}?`
        ? string | null
        : string;

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
