import type { Actor } from "./actor.ts";

/** The action of events that only undo reads: lists leave them out. */
export const PART_OF_BULK = "bulk.part";

/** What an actor did. See `events` in db/account-tables.ts. */
export type EventRecord = {
  at: number;
  actor: Pick<Actor, "name" | "via">;
  /** Such as "link.update". */
  action: string;
  subject: string;
  /** Of links only: their history survives renames. */
  subjectId?: number | null;
  /** Of a bulk change: what its events have in common. */
  bulk?: number | undefined;
  /** Secrets are masked. */
  before?: object | null;
  after?: object | null;
};

/** Call it in the transaction of what the events say. */
export type RecordEvents<Db> = (db: Db, events: readonly EventRecord[]) => Promise<void>;
