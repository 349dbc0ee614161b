/** See cluster/changes.ts. */
import type { Db } from "../db/dialect.ts";

export type LinkTransaction = {
  readonly db: Db;
  /** Codes of links that this transaction writes, or tags that it moves to other links. */
  changed(topic: "links" | "tags", keys: readonly string[]): void;
};

export type LinkChanges = {
  write<T>(run: (tx: LinkTransaction) => Promise<T>): Promise<T>;
  subscribe(topic: "links" | "tags", listener: (keys: readonly string[]) => void | Promise<void>): () => void;
  poll(): Promise<void>;
};
