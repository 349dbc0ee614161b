/**
 * Counts days and months anew in the time zone that was chosen, as far back as their hours are kept.
 *
 * The clicks of each hour move from its day in the former zone to that in the new one, in one transaction with the
 * instant up to which this is done (calendar.ts). Flushes hold the calendar, so they count each click where its hour is.
 * No sum is ever wrong, and a change that was cut off goes on where it stopped.
 *
 * Hours of zones that differ by a part of an hour begin at other minutes. Their clicks can't be parted: they stay in the
 * hour that has most of them, all at once. Such days are exact from the next midnight on only.
 *
 * The values of days (referrers and the like) follow from the click log afterwards, if it has all of them and the days
 * are exact.
 */
import type { Config } from "../../platform/config/config.service.ts";
import type { Core } from "../../platform/core.ts";
import type { Job } from "../../platform/jobs/runner.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { keptFrom } from "../../platform/db/partitions.ts";
import { createAgents } from "../../lib/agents.ts";
import { rest, waitUntil } from "../../lib/rest.ts";
import { type Calendar, type CalendarState, createCalendar, type ZoneSpan } from "./calendar.ts";
import { createCalendars } from "./calendar.repository.ts";
import { createRebuild } from "./rebuild.ts";
import type { Maintenance } from "./retention.ts";
import { HOUR_MS } from "./time-buckets.ts";
import { createZoneChangeRepository } from "./zone-change.repository.ts";

type Deps = Pick<Core, "database" | "clock" | "logger"> & {
  config: Pick<Config, "get" | "getOne" | "hold" | "followUp">;
  maintenance: Maintenance;
};

const KEY = "analytics.time_zone";
/** Longer ones would keep the lease of the job, so that a new setting waited for it. */
const EVERY_MS = 60_000;
/** While retention or a rebuild runs. */
const WAIT_MS = 2_000;
/** The former zones that are remembered. */
const MOST_ZONES = 30;
/** Rows of the click log that are read on the main thread, in pages. */
const MOST_LOGGED = 200_000;

export function createZoneJob(deps: Deps): Job & { soonAfter: "settings" } {
  const { maintenance } = deps;
  const change = createZoneChange(deps);
  const values = createValueRecount(deps);
  // Whoever changes it sees the sums in the new zone next, unless there are many.
  deps.config.followUp(KEY, () => waitUntil(async () => !(await change.isDue())));
  return {
    name: "analytics-time-zone",
    soonAfter: "settings",
    everyMs: () => EVERY_MS,
    async run(signal) {
      while (!signal.aborted && (await change.isDue())) {
        const done = await maintenance.alone((lost) => change.run(AbortSignal.any([signal, lost])));
        if (done !== null) break;
        await rest(WAIT_MS, signal);
      }
      if (!signal.aborted) await values.recount();
    },
  };
}

/** Ends a change that is under way, then makes the next one. */
function createZoneChange({ database, config, clock }: Deps) {
  const calendars = createCalendars(database);
  const sums = createZoneChangeRepository(database);
  const isSettled = ({ moving, zones }: CalendarState, zone: string) =>
    moving === null && zones.at(-1)!.zone === zone;
  /** As stored, because other nodes may know a change of the setting before this one. */
  const chosen = (tx: Db): Promise<string> | string =>
    config.getOne(KEY).isFixed ? config.get(KEY) : config.hold(KEY, tx);

  /** The first instant from which all hours are kept. */
  const hoursFrom = (): number =>
    config.get("analytics.enable_auto_rollup")
      ? keptFrom(clock.now(), config.get("analytics.hourly_retention_days"))
      : 0;

  async function begin(tx: Db, state: CalendarState, zone: string): Promise<CalendarState> {
    const only: ZoneSpan[] = [{ zone, from: 0 }];
    const [former, target] = [createCalendar(state), createCalendar({ zones: only })];
    const [oldest, now, kept] = [await sums.oldest(tx), clock.now(), hoursFrom()];
    if (oldest.day === null) return { zones: only, moving: null, exactFrom: 0, recount: null };
    const isAll = former.day.startOf(oldest.day) >= kept;
    const first = isAll ? former.hour.startOf(oldest.hour ?? former.hour.of(now)) : kept;
    const from = isAll ? 0 : target.day.startOf(target.day.of(kept - 1) + 1);
    const zones = isAll
      ? only
      : withZone(
          state.zones.filter((span) => span.from < kept),
          { zone, from },
        );
    const next = createCalendar({ zones });
    const moved: CalendarState = {
      zones,
      moving: { former: state.zones, to: first },
      exactFrom: isAll && state.exactFrom <= first ? 0 : state.exactFrom,
      recount: { from: next.day.of(first), to: next.day.of(now) + 2 },
    };
    return havePartHours(former, next, first) ? moveAll(tx, moved, next) : moved;
  }

  /** Zones that differ by a part of an hour at any time. */
  const havePartHours = (former: Calendar, next: Calendar, from: number): boolean =>
    [from, clock.now()].some((at) => (former.offsetAt(at) - next.offsetAt(at)) % HOUR_MS !== 0);

  async function moveAll(
    tx: Db,
    { moving, ...state }: CalendarState,
    next: Calendar,
  ): Promise<CalendarState> {
    const former = createCalendar({ zones: moving!.former });
    for (let from = former.hour.of(moving!.to); ; ) {
      const hours = await sums.hours(tx, from);
      for (const hour of hours) await moveHour(tx, hour, former, next);
      if (hours.length === 0) break;
      from = hours.at(-1)! + 1;
    }
    const exactFrom = next.day.startOf(next.day.of(clock.now()) + 1);
    return { ...state, moving: null, exactFrom, recount: null };
  }

  async function moveHour(tx: Db, hour: number, before: Calendar, after: Calendar): Promise<boolean> {
    const from = before.day.of(before.hour.startOf(hour));
    const to = after.day.of(after.hour.startOf(hour));
    if (from === to) return false;
    await sums.move(tx, { hour, from, to });
    return true;
  }

  /** One hour whose day changes, with all before it. */
  async function goOn(tx: Db, state: CalendarState): Promise<CalendarState> {
    const { former, to } = state.moving!;
    const [before, after] = [createCalendar({ zones: former }), createCalendar({ zones: state.zones })];
    const hours = await sums.hours(tx, before.hour.of(to));
    for (const hour of hours) {
      const isMoved = await moveHour(tx, hour, before, after);
      if (isMoved) return { ...state, moving: { former, to: before.hour.startOf(hour + 1) } };
    }
    const last = hours.at(-1);
    return { ...state, moving: last === undefined ? null : { former, to: before.hour.startOf(last + 1) } };
  }

  return {
    isDue: async (): Promise<boolean> => !isSettled(await calendars.state(), config.get(KEY)),

    async run(signal: AbortSignal): Promise<true> {
      for (let isDone = false; !isDone && !signal.aborted; ) {
        isDone = await database.transaction(
          async (tx) => {
            const zone = await chosen(tx);
            const state = await calendars.lock(tx);
            if (isSettled(state, zone)) return true;
            await calendars.store(
              tx,
              await (state.moving === null ? begin(tx, state, zone) : goOn(tx, state)),
            );
            return false;
          },
          { long: true },
        );
      }
      return true;
    },
  };
}

function withZone(older: readonly ZoneSpan[], added: ZoneSpan): ZoneSpan[] {
  const kept = older.slice(-MOST_ZONES);
  const all = kept.at(-1)?.zone === added.zone ? kept : [...kept, added];
  return all.map((span, at) => (at === 0 ? { ...span, from: 0 } : span));
}

function createValueRecount({ database, config, clock, maintenance, logger }: Deps) {
  const calendars = createCalendars(database);
  const sums = createZoneChangeRepository(database);

  return {
    /** Leaves the values as they are if the click log lacks some of them or is long. */
    async recount(): Promise<void> {
      const { recount } = await calendars.state();
      if (recount === null) return;
      const { day, hour } = await calendars.current();
      const span = { from: day.startOf(recount.from), to: day.startOf(recount.to) };
      const { counted, logged } = await sums.details(database.read, hour.of(span.from), span);
      if (counted > 0 && logged >= counted && logged <= MOST_LOGGED) {
        const rebuild = createRebuild({
          database,
          maintenance,
          clock,
          describeAgent: createAgents().describe,
          hourlyRetentionDays: () => config.get("analytics.hourly_retention_days"),
          trustsLog: true,
        });
        await rebuild.run({ from: recount.from, to: recount.to - 1 }, () => {});
      } else if (counted > 0) {
        logger.info(
          { counted, logged },
          "referrers and other values of the last days stay those of the former time zone",
        );
      }
      await database.transaction(async (tx) => {
        const state = await calendars.lock(tx);
        if (state.moving === null && state.recount?.from === recount.from)
          await calendars.store(tx, { ...state, recount: null });
      });
    },
  };
}
