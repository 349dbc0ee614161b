/** See cluster/changes.ts. */
import type { Db } from "../../db/dialect.ts";
import { isUniqueViolation } from "../../db/failures.ts";

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

const MOST_RUNS = 5;

/** Runs again if another writer took a code between look and insert: the next run sees it. */
export const writeLinks =
  (changes: Pick<LinkChanges, "write">) =>
  async <T>(run: (tx: LinkTransaction) => Promise<T>): Promise<T> => {
    for (let runs = 1; ; runs++) {
      try {
        return await changes.write(run);
      } catch (error) {
        if (runs === MOST_RUNS || !isUniqueViolation(error)) throw error;
      }
    }
  };
