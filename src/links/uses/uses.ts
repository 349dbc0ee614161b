/**
 * Uses of links with `max_clicks`. A use is committed before its visitor passes, so no crash gives it twice, and the
 * row's lock makes the count exact over workers and nodes. Concurrent requests share a transaction. Used-up links are
 * remembered until any link changes, so that their visitors cost no write.
 */
import { createBatches } from "../../lib/batches.ts";
import type { LinkChanges } from "../write/changes.ts";
import type { UsesRepository } from "./repository.ts";

const MOST_TOGETHER = 500;
const MOST_REMEMBERED = 10_000;

type Deps = { repository: UsesRepository; changes: Pick<LinkChanges, "subscribe"> };

export function createLinkUses({ repository, changes }: Deps) {
  const usedUp = new Set<number>();
  /** Counts the changes: a transaction that began before the last one knows nothing about later limits. */
  let version = 0;

  const take = createBatches<"all", number, boolean>({
    most: MOST_TOGETHER,
    async run(ids) {
      const begun = version;
      const requested = new Map<number, number>();
      for (const id of ids) requested.set(id, (requested.get(id) ?? 0) + 1);
      const given = await repository.take(requested);
      return ids.map((id) => {
        const left = given.get(id) ?? 0;
        given.set(id, left - 1);
        if (left <= 0 && begun === version) remember(id);
        return { status: "fulfilled", value: left > 0 };
      });
    },
  });

  function remember(id: number): void {
    if (usedUp.size >= MOST_REMEMBERED) usedUp.clear();
    usedUp.add(id);
  }

  const stop = changes.subscribe("links", () => {
    version++;
    usedUp.clear();
  });

  return {
    /** Whether this visitor may pass. Rejects if the database fails. */
    take: async (linkId: number): Promise<boolean> => !usedUp.has(linkId) && take("all", linkId),
    close: stop,
  };
}
