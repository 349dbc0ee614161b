import type { Queries } from "../db/database.ts";
import type { Db, Dialect } from "../db/dialect.ts";
import { oncePer, prepared, preparedWrite } from "../db/prepared.ts";
import { countRows, deleteFound } from "../db/queries.ts";
import { type EventRecord, PART_OF_BULK } from "../../lib/event.ts";
import type { StoredEvent } from "./event.ts";

export type EventFilter = {
  actor?: string | undefined;
  via?: string | undefined;
  action?: string | undefined;
  subject?: string | undefined;
  subjectId?: number | undefined;
  /** Inclusive, epoch milliseconds. */
  from?: number | undefined;
  to?: number | undefined;
};

export type BulkEvent = Pick<StoredEvent, "id" | "action" | "subject" | "before" | "after"> & {
  subjectId: number | null;
};

/** Where a page ended. */
export type EventPlace = { at: number; id: number };

/** A bulk change of links that one account made. */
export type BulkRun = { actor: string; at: number; bulk: number };

const ACTOR_LENGTH = 140;
const SUBJECT_LENGTH = 300;
const REMOVED_AT_ONCE = 1_000;
const COLUMNS = ["id", "at", "actor", "via", "tool", "action", "subject", "before", "after"] as const;

function rowOf(event: EventRecord, isPending = false) {
  const { at, actor, action, subject, subjectId = null, bulk = null, before, after } = event;
  return {
    at,
    actor: actor.name.slice(0, ACTOR_LENGTH),
    via: actor.via,
    tool: actor.tool ?? null,
    action,
    subject: subject.slice(0, SUBJECT_LENGTH),
    subject_id: subjectId,
    before: before ? JSON.stringify(before) : null,
    after: after ? JSON.stringify(after) : null,
    bulk,
    untold: isPending ? 1 : null,
  };
}

type IsPending = (event: EventRecord) => boolean;

const rowsOf = (events: readonly EventRecord[], isPending: IsPending = () => false) =>
  events.map((event) => rowOf(event, isPending(event)));

export function createEventsRepository({ read, write, dialect }: Queries) {
  return {
    linksOfBulk,

    /** `isPending`: whether an event waits for webhooks. */
    insert: (db: Db, events: readonly EventRecord[], isPending?: IsPending): Promise<void> =>
      dialect.insertMany(db, "events", rowsOf(events, isPending)),

    /** Adds the event, which grows with long work, or replaces the one with that id. Returns its id. */
    async keep(db: Db, event: EventRecord, id: number | null): Promise<number> {
      if (id === null) return dialect.insertReturningId(db, "events", rowOf(event));
      await db.updateTable("events").set(rowOf(event)).where("id", "=", id).execute();
      return id;
    },

    /** Newest first, after a place. */
    async page(filter: EventFilter, after: EventPlace | null, limit: number): Promise<StoredEvent[]> {
      if (after === null) return matching(read, filter, limit).execute();
      // Two ranges of the index: not every server finds a pair of values in one.
      const same = await matching(read, filter, limit)
        .where("at", "=", after.at)
        .where("id", "<", after.id)
        .execute();
      if (same.length === limit) return same;
      return [
        ...same,
        ...(await matching(read, filter, limit - same.length)
          .where("at", "<", after.at)
          .execute()),
      ];
    },

    async find(id: number): Promise<(StoredEvent & { subjectId: number | null }) | null> {
      const row = await read
        .selectFrom("events")
        .select([...COLUMNS, "subject_id as subjectId"])
        .where("id", "=", id)
        .executeTakeFirst();
      return row ?? null;
    },

    /** About the subject, after the event, oldest first. */
    async newer(subjectId: number, id: number, limit: number) {
      return read
        .selectFrom("events")
        .select(["id", "before", "after", "subject_id as subjectId"])
        .where("subject_id", "=", subjectId)
        .where("id", ">", id)
        .orderBy("id")
        .limit(limit)
        .execute();
    },

    /** Events not undone yet, by id, after one. */
    async ofBulk({ actor, at, bulk }: BulkRun, after: number, limit: number): Promise<BulkEvent[]> {
      return read
        .selectFrom("events")
        .select(["id", "action", "subject", "subject_id as subjectId", "before", "after"])
        .where("actor", "=", actor.slice(0, ACTOR_LENGTH))
        .where("at", "=", at)
        .where("id", ">", after)
        .where("bulk", "=", bulk)
        .orderBy("id")
        .limit(limit)
        .execute();
    },

    /** Number of links that it has changed, without undone ones. */
    countOfBulk({ actor, at, bulk }: BulkRun): Promise<number> {
      const changed = read
        .selectFrom("events")
        .where("actor", "=", actor.slice(0, ACTOR_LENGTH))
        .where("at", "=", at)
        .where("bulk", "=", bulk)
        .where("subject_id", "is not", null);
      return countRows(changed);
    },

    /** Which of them still belong to a bulk change. Locked until the transaction ends. */
    async lockBulk(tx: Db, bulk: number, ids: readonly number[]): Promise<Set<number>> {
      const rows = await lockEvents(dialect)(tx, bulk, ids);
      return new Set(rows.map(({ id }) => id));
    },

    /** Call it for undone events. */
    async leaveBulk(tx: Db, ids: readonly number[]): Promise<void> {
      if (ids.length > 0) await leaveBulk(tx, ids);
    },

    /** At most 1,000. Returns how many. */
    removeBefore(at: number): Promise<number> {
      const old = read.selectFrom("events").select("id").where("at", "<", at);
      return deleteFound(write, "events", old.orderBy("at").orderBy("id").limit(REMOVED_AT_ONCE));
    },
  };
}

/** Newest first. */
function matching(db: Db, filter: EventFilter, most: number) {
  let query = db.selectFrom("events").select(COLUMNS).where("action", "!=", PART_OF_BULK);
  for (const column of ["actor", "via", "action", "subject"] as const) {
    const value = filter[column];
    if (value !== undefined) query = query.where(column, "=", value);
  }
  if (filter.subjectId !== undefined) query = query.where("subject_id", "=", filter.subjectId);
  if (filter.from !== undefined) query = query.where("at", ">=", filter.from);
  if (filter.to !== undefined) query = query.where("at", "<=", filter.to);
  return query.orderBy("at", "desc").orderBy("id", "desc").limit(most);
}

const lockEvents = oncePer(({ forUpdate }: Dialect) =>
  prepared((db, bulk: number, ids: readonly number[]) =>
    db
      .selectFrom("events")
      .select("id")
      .where("id", "in", ids)
      .where("bulk", "=", bulk)
      .orderBy("id")
      .$call(forUpdate),
  ),
);

const leaveBulk = preparedWrite((db, ids: readonly number[]) =>
  db.updateTable("events").set({ bulk: null }).where("id", "in", ids),
);

const changedLinks = prepared((db, at: number, bulk: number, links: readonly number[]) =>
  db
    .selectFrom("events")
    .select("subject_id as id")
    .where("subject_id", "in", links)
    .where("at", "=", at)
    .where("bulk", "=", bulk),
);

/** Which of at most 1,000 links it has changed, without undone ones. */
async function linksOfBulk(db: Db, { at, bulk }: Omit<BulkRun, "actor">, links: readonly number[]) {
  const rows = await changedLinks(db, at, bulk, links);
  return new Set(rows.map(({ id }) => id!));
}
