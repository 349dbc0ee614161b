/** Decides which clicks get details: a sample, while fewer than a bound wait. */
import { NO_REFUSALS, type Refusals } from "./drops.ts";
import { type DetailRefusal, REFUSALS } from "../journal/format.ts";

export type DetailOutcomes = {
  logged: number;
  stopped: number;
  deleted: number;
  /** Clicks without the wanted details. */
  refused: Refusals;
};

export type DetailDrop = DetailRefusal | "stopped" | "link_deleted";

/** recorded = logged + pending + dropped */
export type DetailStats = {
  /** Counted while detailed logging was on, with those of dead processes. */
  recorded: number;
  /** In the click log and the rollups by value. */
  logged: number;
  /** In the journal. */
  pending: number;
  dropped: Readonly<Record<DetailDrop, number>>;
};

export type DetailGate = ReturnType<typeof createDetailGate>;

export type DetailGateOptions = {
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
    /** Null if the next click should have details. Counts a refusal. @param isSignalled the visitor wants none */
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
    /** Wanted, but no segment had room. */
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
