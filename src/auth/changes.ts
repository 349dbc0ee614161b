/** Part of cluster/changes.ts. */
import type { Db } from "../platform/db/dialect.ts";

/** `users`: account ids as text, 0 included. `sessions`: session ids. `tokens`: hashes of API tokens. `tags`: links got another owner. `mails`: queued ones. */
type AuthTopic = "users" | "sessions" | "tokens" | "tags" | "mails";

export type AuthTransaction = {
  readonly db: Db;
  changed(topic: AuthTopic, keys: readonly string[]): void;
};

export type AuthChanges = {
  write<T>(run: (tx: AuthTransaction) => Promise<T>): Promise<T>;
  subscribe(topic: AuthTopic, heard: (keys: readonly string[]) => void | Promise<void>): () => void;
};
