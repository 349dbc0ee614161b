import type { Actor } from "./actor.ts";

/** Only undo reads these events; lists leave them out. */
export const PART_OF_BULK = "bulk.part";

/** See `events` in db/account-tables.ts. */
export type EventRecord = {
  at: number;
  actor: Pick<Actor, "name" | "via" | "tool"> & Partial<Pick<Actor, "accountId">>;
  /** Such as "link.update". */
  action: string;
  subject: string;
  /** Set for links only: history survives renames. */
  subjectId?: number | null;
  /** Common to all events of a bulk change. */
  bulk?: number | undefined;
  /** Secrets are masked. */
  before?: object | null;
  after?: object | null;
};

/** Call it in the transaction that the events describe. */
export type RecordEvents<Db> = (db: Db, events: readonly EventRecord[]) => Promise<void>;
