/** Asks the storages of the policies for their markers, seldom and at most a few at once. */
import type { Clock } from "../../lib/clock.ts";
import { appError, messageOf } from "../../lib/errors.ts";
import { inParallel } from "../../lib/in-parallel.ts";
import { withTimeout } from "../../lib/timeout.ts";
import type { PolicyCache } from "./cache.ts";
import type { Drivers } from "./drivers.ts";
import type { Policy } from "./policy.ts";

/** `trouble` is a sentence; null: it works. */
export type StorageStanding = Pick<Policy, "id" | "name" | "driverType" | "isDefault"> & {
  trouble: string | null;
};

const DEADLINE_MS = 2_000;
const AT_ONCE = 4;
const MOST_ASKED = 50;
/** Longest age of an answer. */
const FRESH_MS = 15_000;

type Deps = { policies: PolicyCache; drivers: Pick<Drivers, "verify">; clock: Clock };

/** The first fifty policies, by id. Concurrent calls share one look. */
export function createStandings({ policies, drivers, clock }: Deps): () => Promise<StorageStanding[]> {
  let looking: Promise<StorageStanding[]> | undefined;
  let lookedAt = 0;

  async function troubleOf(policyId: number): Promise<string | null> {
    try {
      const asked = drivers.verify(policyId, { mark: false });
      await withTimeout<unknown>(DEADLINE_MS, asked, () => {
        throw appError("StorageUnavailable", `The storage did not respond within ${DEADLINE_MS / 1000} s.`);
      });
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }

  async function look(): Promise<StorageStanding[]> {
    const asked = (await policies.list()).slice(0, MOST_ASKED);
    const found = new Map<number, string | null>();
    await inParallel(asked, AT_ONCE, async ({ id }) => void found.set(id, await troubleOf(id)));
    return asked.map(({ id, name, driverType, isDefault }) => ({
      id,
      name,
      driverType,
      isDefault,
      trouble: found.get(id) ?? null,
    }));
  }

  return () => {
    if (looking !== undefined && clock.now() - lookedAt < FRESH_MS) return looking;
    lookedAt = clock.now();
    const mine = look().catch((error: unknown) => {
      if (looking === mine) looking = undefined;
      throw error;
    });
    looking = mine;
    return mine;
  };
}
