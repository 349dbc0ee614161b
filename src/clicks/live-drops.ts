/** Files in drop boxes, for the live view of the boxes' owners. */
import type { Clock } from "../lib/clock.ts";
import type { LiveDrop, LiveRepository } from "./live.repository.ts";

type Deps = { repository: Pick<LiveRepository, "lastDropId" | "dropsAfter">; clock: Clock };

const MOST = 500;
/** Ids become visible in the order of commits, which may differ by this much. */
const SETTLED_MS = 10_000;

export function createLiveDrops({ repository, clock }: Deps) {
  let floor: number | null = null;
  let seen = new Map<number, number>();

  return {
    /** Only later files are news. */
    restart(): void {
      floor = null;
      seen = new Map();
    },

    /** Drops since the last call, oldest first. The first call only notes the position. */
    async news(): Promise<LiveDrop[]> {
      if (floor === null) {
        floor = await repository.lastDropId();
        return [];
      }
      const now = clock.now();
      const found = (await repository.dropsAfter(floor, MOST)).filter(({ fileId }) => !seen.has(fileId));
      for (const { fileId } of found) seen.set(fileId, now);
      for (const [id, at] of seen) {
        if (seen.size <= MOST / 2 && now - at <= SETTLED_MS) continue;
        floor = Math.max(floor, id);
        seen.delete(id);
      }
      return found;
    },
  };
}
