/** See cluster/changes.ts. */
import type { Db } from "../db/dialect.ts";

export type LinkTransaction = {
  readonly db: Db;
  /** Codes of links that this transaction writes. */
  changed(topic: "links", codes: readonly string[]): void;
};

export type LinkChanges = {
  write<T>(run: (tx: LinkTransaction) => Promise<T>): Promise<T>;
  subscribe(topic: "links", listener: (codes: readonly string[]) => void | Promise<void>): () => void;
};
