/** Who did what. Rooms record events in the transactions of the acts. */
import type { Queries } from "../db/database.ts";
import type { Db } from "../db/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import type { EventRecord, RecordEvents } from "../../lib/event.ts";
import { rest } from "../../lib/rest.ts";
import type { StoredEvent } from "./event.ts";
import { createEventsRepository, type EventFilter, type EventPlace } from "./events.repository.ts";

export type EventPage = { events: StoredEvent[]; next: EventPlace | null };

export type Events = ReturnType<typeof createEvents>;

type Deps = { database: Queries; clock: Clock };

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** After each delete. */
const REST_MS = 25;

/** The host of a domain; null for the default one. */
type HostOf = (domain: number) => string | null;

export function createEvents({ database, clock }: Deps) {
  const repository = createEventsRepository(database);
  let hostOf: HostOf = () => null;

  /** `domain_id` becomes `domain`, its host. */
  function withHost(state: object | null = null): object | null {
    if (state === null || !("domain_id" in state)) return state;
    const { domain_id: id, ...others } = state;
    return { ...others, domain: hostOf(Number(id)) };
  }

  let notify: RecordEvents<Db> = async () => {};
  let isPending: (event: EventRecord) => boolean = () => false;

  const add: RecordEvents<Db> = async (db, events) => {
    await repository.insert(
      db,
      events.map((event) => ({ ...event, before: withHost(event.before), after: withHost(event.after) })),
      isPending,
    );
    await notify(db, events);
  };

  return {
    ...repository,
    /** The state with the host of its domain. */
    named: withHost,
    add,
    /** Call it as soon as domains are known. */
    nameDomains: (named: HostOf): void => void (hostOf = named),
    /** Marks those for webhooks (webhooks/delivery.ts) from now on. */
    markPending: (chosen: (event: EventRecord) => boolean): void => void (isPending = chosen),
    /** Calls it in the transactions of all events from now on. */
    onRecorded: (listener: RecordEvents<Db>): void => void (notify = listener),

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
