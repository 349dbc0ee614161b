/** Decides which clicks get details: a sample, while fewer than a bound wait. */
import { type DetailRefusal, REFUSALS, detailRefusalOf } from "../journal/format.ts";
import type { Detail } from "./details.ts";
import type { ClickBatch } from "../journal/reader.ts";
import { UTC } from "../rollups/calendar.ts";

export type DetailOutcomes = {
  logged: number;
  stopped: number;
  deleted: number;
  /** Clicks whose details were refused. */
  refused: Refusals;
};

type DetailDrop = DetailRefusal | "stopped" | "link_deleted";

/** recorded = logged + pending + dropped */
export type DetailStats = {
  /** Counted while detailed logging was on, with those of dead processes. */
  recorded: number;
  /** Clicks in the click log and the rollups by value. */
  logged: number;
  /** Clicks in the journal. */
  pending: number;
  dropped: Readonly<Record<DetailDrop, number>>;
};

export type DetailGate = ReturnType<typeof createDetailGate>;

type DetailGateOptions = {
  /** Clicks with details in the journal since the start. */
  written(): number;
  sampleRate(): number;
  random?: () => number;
  mostPending: number;
};

export function createDetailGate({
  written,
  sampleRate,
  random = Math.random,
  mostPending,
}: DetailGateOptions) {
  const refused = { ...NO_REFUSALS };
  const ended = { logged: 0, stopped: 0, link_deleted: 0 };
  let replayed = 0;
  const pending = () => written() + replayed - ended.logged - ended.stopped - ended.link_deleted;

  return {
    /**
     * Returns null if the next click should have details, and counts a refusal. @param isSignalled the visitor refuses
     * details
     */
    refusal(isSignalled = false): DetailRefusal | null {
      if (isSignalled) {
        refused.signal += 1;
        return "signal";
      }
      const rate = sampleRate();
      if (rate < 1 && random() >= rate) {
        refused.sampled_out += 1;
        return "sampled_out";
      }
      if (pending() < mostPending) return null;
      refused.full += 1;
      return "full";
    },
    /** Counts a click whose details found no room in a segment. */
    disconnected: (): void => void (refused.disconnected += 1),
    settled({ logged, stopped, deleted, refused: found }: DetailOutcomes, isReplayed: boolean): void {
      ended.logged += logged;
      ended.stopped += stopped;
      ended.link_deleted += deleted;
      if (!isReplayed) return;
      replayed += logged + stopped + deleted;
      for (const reason of REFUSALS) refused[reason] += found[reason];
    },
    stats(): DetailStats {
      const { full, disconnected, sampled_out, signal } = refused;
      return {
        recorded: written() + replayed + full + disconnected + sampled_out + signal,
        logged: ended.logged,
        pending: pending(),
        dropped: { ...refused, stopped: ended.stopped, link_deleted: ended.link_deleted },
      };
    },
  };
}

/** `stopped`: analytics.max_log_rows was reached. `imported`: the click was imported without a row in the log. */
export type DropReason = DetailRefusal | "stopped" | "imported";
/** Those that were wanted and could not be kept. The others are left out by choice. */
export const lostDetails = (drops: Partial<Record<DropReason, number>>): number =>
  (drops.full ?? 0) + (drops.disconnected ?? 0) + (drops.stopped ?? 0);

/** The clicks of a day whose details are missing in the click log, for one reason. */
export type DropCount = { day: number; reason: DropReason; clicks: number };
type Refusals = Readonly<Record<DetailRefusal, number>>;

export const NO_REFUSALS: Refusals = { full: 0, disconnected: 0, sampled_out: 0, signal: 0 };
const NONE: ReadonlySet<number> = new Set();

export function countRefusals(batch: ClickBatch): Refusals {
  const counts = { ...NO_REFUSALS };
  for (const { reason, clicks } of refusedByDay(batch, NONE)) counts[reason] += clicks;
  return counts;
}

/** Without clicks of removed links. */
export function refusedByDay(
  batch: ClickBatch,
  gone: ReadonlySet<number>,
): (DropCount & { reason: DetailRefusal })[] {
  if (batch.refused === 0) return [];
  const days = new Map<number, Record<DetailRefusal, number>>();
  for (let at = 0; at < batch.count; at++) {
    const reason = detailRefusalOf(batch.kinds[at]!);
    if (reason === null || gone.has(batch.links[at]!)) continue;
    const day = UTC.day.of(batch.times[at]!);
    let counts = days.get(day);
    if (counts === undefined) days.set(day, (counts = { ...NO_REFUSALS }));
    counts[reason] += 1;
  }
  return [...days].flatMap(([day, counts]) =>
    REFUSALS.map((reason) => ({ day, reason, clicks: counts[reason] })).filter(({ clicks }) => clicks > 0),
  );
}

/** Kept out of the log by the row limit. */
export function stoppedByDay(details: readonly Pick<Detail, "atMs">[]): DropCount[] {
  const days = Map.groupBy(details, ({ atMs }) => UTC.day.of(atMs));
  return [...days].map(([day, { length }]) => ({ day, reason: "stopped", clicks: length }));
}
