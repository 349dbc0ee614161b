/** Part of cluster/changes.ts. */
import type { Db } from "../db/dialect.ts";

export type AuthTransaction = {
  readonly db: Db;
  /** `users`: account ids as text, 0 included. `sessions`: session ids. */
  changed(topic: "users" | "sessions", keys: readonly string[]): void;
};

export type AuthChanges = {
  write<T>(run: (tx: AuthTransaction) => Promise<T>): Promise<T>;
  subscribe(
    topic: "users" | "sessions",
    heard: (keys: readonly string[]) => void | Promise<void>,
  ): () => void;
};
