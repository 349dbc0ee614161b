/**
 * Requests of codes without a link, so that misprints are found. Memory and rows are bounded: a day has a thousand codes,
 * which are counted exactly on all nodes together; requests of further ones add to one row. A killed process loses the
 * counts of its last seconds.
 */
import type { ClientRequest } from "../../lib/automated-visitors.ts";
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { type Calendar, UTC } from "../rollups/calendar.ts";
import { FURTHER, type MissingCount, MOST_MISSING } from "./missing-count.ts";
import type { MissingRepository } from "./repository.ts";

export type MissCounter = ReturnType<typeof createMissCounter<ClientRequest>>;

type Day = { day: number; further: MissingCount; codes: Map<string, MissingCount> };

type Deps<R> = {
  repository: Pick<MissingRepository, "add">;
  /** Read for codes of the list, and now and then for further ones. */
  isAutomated(request: R): boolean;
  isEnabled(): boolean;
  calendar(): Promise<Calendar>;
  clock: Clock;
  logger: Logger;
};

/** Of so many requests of further codes one tells the class of all, because a flood must cost little. */
const FURTHER_SAMPLE = 16;

const none = (seenAt: number): MissingCount => ({ human: 0, automated: 0, seenAt });
const startDay = (day: number): Day => ({ day, further: none(0), codes: new Map() });

export function createMissCounter<R>({
  repository,
  isAutomated,
  isEnabled,
  calendar: current,
  clock,
  logger,
}: Deps<R>) {
  let calendar = UTC;
  let today = startDay(calendar.day.of(clock.now()));
  /** Days that are over, until they are stored. */
  let over: Day[] = [];
  let further = 0;
  let isFurtherAutomated = false;
  let storing: Promise<void> = Promise.resolve();

  function countFor(day: Day, key: string, now: number): MissingCount {
    let count = day.codes.get(key);
    if (count === undefined) {
      if (day.codes.size >= MOST_MISSING) return day.further;
      day.codes.set(key, (count = none(now)));
    }
    return count;
  }

  /** Keeps the counts if that fails. */
  async function store(day: Day): Promise<void> {
    const counted = new Map<string, MissingCount>();
    for (const [key, count] of [[FURTHER, day.further] as const, ...day.codes])
      if (isCounted(count)) counted.set(key, count);
    if (counted.size === 0) return;
    day.further = none(0);
    for (const key of counted.keys()) if (key !== FURTHER) day.codes.set(key, none(0));
    try {
      const listed = await repository.add(day.day, counted);
      for (const [key, count] of day.codes) if (!listed.has(key) && !isCounted(count)) day.codes.delete(key);
      for (const key of listed) if (day.codes.size < MOST_MISSING) day.codes.getOrInsert(key, none(0));
    } catch (error) {
      for (const [key, count] of counted) add(key === FURTHER ? day.further : day.codes.get(key)!, count);
      logger.debug({ reason: messageOf(error) }, "the codes that lead nowhere can't be stored now");
    }
  }

  async function storeAll(): Promise<void> {
    for (const day of over) await store(day);
    over = over.filter((day) => [day.further, ...day.codes.values()].some(isCounted)).slice(-1);
    await store(today);
    calendar = await current().catch(() => calendar);
  }

  return {
    /** Counts a request. Cheap, and never throws. */
    add(key: string, request: R): void {
      if (!isEnabled()) return;
      const now = clock.now();
      const day = calendar.day.of(now);
      if (day !== today.day) {
        over.push(today);
        today = startDay(day);
      }
      const count = countFor(today, key, now);
      count.seenAt = now;
      const isKnown = count === today.further && further++ % FURTHER_SAMPLE !== 0;
      const isOfMachine = isKnown ? isFurtherAutomated : isAutomated(request);
      if (count === today.further) isFurtherAutomated = isOfMachine;
      if (isOfMachine) count.automated++;
      else count.human++;
    },
    /** Never rejects. Calls run in turn. */
    flush: (): Promise<void> => (storing = storing.then(storeAll)),
  };
}

const isCounted = ({ human, automated }: MissingCount): boolean => human + automated > 0;

function add(sum: MissingCount, { human, automated, seenAt }: MissingCount): void {
  sum.human += human;
  sum.automated += automated;
  sum.seenAt = Math.max(sum.seenAt, seenAt);
}
