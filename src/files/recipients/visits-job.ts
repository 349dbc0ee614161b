import type { Clock } from "../../lib/clock.ts";
import { rest } from "../../lib/rest.ts";
import type { RecipientsRepository } from "./repository.ts";

type Deps = { repository: RecipientsRepository; days(): number; clock: Clock };

const DAY_MS = 86_400_000;
const EVERY_MS = 3_600_000;
const PORTION = 1_000;
const REST_MS = 25;

/** Removes visits of recipients that are too old. */
export const createVisitJob = ({ repository, days, clock }: Deps) => ({
  name: "share-visits",
  everyMs: () => EVERY_MS,
  async run(signal: AbortSignal): Promise<void> {
    const before = clock.now() - days() * DAY_MS;
    while (!signal.aborted && (await repository.removeVisits(before, PORTION)) === PORTION)
      await rest(REST_MS, signal);
  },
});
