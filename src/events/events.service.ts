/** Who did what. Rooms record their events in the transactions that do it. */
import type { Database } from "../db/database.ts";
import type { Db } from "../db/dialect.ts";
import type { Clock } from "../lib/clock.ts";
import type { RecordEvents } from "../lib/event.ts";
import { rest } from "../lib/rest.ts";
import type { StoredEvent } from "./event.ts";
import { createEventsRepository, type EventFilter, type EventPlace } from "./events.repository.ts";

export type EventPage = { events: StoredEvent[]; next: EventPlace | null };

export type Events = ReturnType<typeof createEvents>;

type Deps = { database: Pick<Database, "read" | "write" | "dialect">; clock: Clock };

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** After each delete. */
const REST_MS = 25;

export function createEvents({ database, clock }: Deps) {
  const repository = createEventsRepository(database);
  const add: RecordEvents<Db> = repository.insert;

  return {
    add,
    find: repository.find,

    /** Newest first. `next`: null on the last page. */
    async page(filter: EventFilter, after: EventPlace | null, limit: number): Promise<EventPage> {
      const found = await repository.page(filter, after, limit + 1);
      const events = found.slice(0, limit);
      const last = found.length > limit ? events.at(-1) : undefined;
      return { events, next: last === undefined ? null : { at: last.at, id: last.id } };
    },

    /** Removes events beyond `events.retention_days`. */
    retentionJob: (days: () => number) => ({
      name: "events-retention",
      everyMs: () => HOUR_MS,
      async run(signal: AbortSignal): Promise<void> {
        const before = clock.now() - days() * DAY_MS;
        while (!signal.aborted && (await repository.removeBefore(before)) > 0) await rest(REST_MS, signal);
      },
    }),
  };
}
