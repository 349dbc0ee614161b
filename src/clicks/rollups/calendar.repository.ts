import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { remembered } from "../../lib/remembered.ts";
import { type Calendar, type CalendarState, createCalendar } from "./calendar.ts";

const FEW_STATES = 20;

const parsed = remembered(
  (text): { state: CalendarState; calendar: Calendar } => {
    const state = JSON.parse(text) as CalendarState;
    return { state, calendar: createCalendar(state) };
  },
  { most: FEW_STATES },
);

export type Calendars = ReturnType<typeof createCalendars>;

/** The calendar of the sums is stored beside them, so that all processes count in the same one. */
export function createCalendars({ read, dialect }: Pick<Database, "read" | "dialect">) {
  const stored = (db: Db) => db.selectFrom("click_zones").select("zones").where("id", "=", 1);

  return {
    current: async (): Promise<Calendar> =>
      parsed((await stored(read).executeTakeFirstOrThrow()).zones).calendar,

    /** It does not change until the transaction ends. Call it first: a change of the zone locks the sums after it. */
    hold: async (tx: Db): Promise<Calendar> =>
      parsed((await stored(tx).$call(dialect.forShare).executeTakeFirstOrThrow()).zones).calendar,

    state: async (): Promise<CalendarState> =>
      parsed((await stored(read).executeTakeFirstOrThrow()).zones).state,

    /** Waits for everybody who holds it. */
    lock: async (tx: Db): Promise<CalendarState> =>
      parsed((await stored(tx).$call(dialect.forUpdate).executeTakeFirstOrThrow()).zones).state,

    /** In a transaction that locked it. */
    async store(tx: Db, state: CalendarState): Promise<void> {
      await tx
        .updateTable("click_zones")
        .set({ zones: JSON.stringify(state) })
        .where("id", "=", 1)
        .execute();
    },
  };
}
