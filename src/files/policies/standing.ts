/** Asks the storages of the policies for their markers, and writes to them, seldom and at most a few at once. */
import type { Clock } from "../../lib/clock.ts";
import { fileTrouble } from "../../lib/file-trouble.ts";
import { appError, messageOf } from "../../lib/errors.ts";
import { inParallel } from "../../lib/in-parallel.ts";
import { withTimeout } from "../../lib/timeout.ts";
import type { PolicyCache, Drivers } from "./drivers.ts";
import type { Policy } from "./policy.ts";

/** `trouble` is a sentence; null: it works. */
export type StorageStanding = Pick<Policy, "id" | "name" | "driverType" | "isDefault"> & {
  trouble: string | null;
};

const DEADLINE_MS = 2_000;
const AT_ONCE = 4;
const MOST_CHECKED = 50;
/** Longest age of a result; of one with trouble, which somebody may be mending. */
const FRESH_MS = 15_000;
const TROUBLE_FRESH_MS = 2_000;
/** A storage that could be written is not written again for so long: requests to S3 cost money. */
const WRITTEN_MS = { local: 0, s3: 600_000, linked: 0 };

type Deps = {
  policies: PolicyCache;
  drivers: Pick<Drivers, "verify">;
  /** Writes, reads and removes an object. */
  probe(policyId: number): Promise<void>;
  clock: Clock;
};

/** The first fifty policies, by id. Concurrent calls share one look. */
export function createStandings({ policies, drivers, probe, clock }: Deps): () => Promise<StorageStanding[]> {
  let looking: Promise<StorageStanding[]> | undefined;
  let freshUntil = 0;

  const writtenAt = new Map<number, number>();
  const writing = new Map<number, Promise<void>>();

  /** On a hanging storage probes would accumulate: one runs at a time. */
  function write(id: number): Promise<void> {
    const running = writing.get(id) ?? probe(id).finally(() => writing.delete(id));
    writing.set(id, running);
    return running;
  }

  async function probeDriver({ id, driverType }: Pick<Policy, "id" | "driverType">): Promise<void> {
    const since = clock.now() - (writtenAt.get(id) ?? 0);
    if (since >= 0 && since < WRITTEN_MS[driverType]) return void (await drivers.verify(id, { mark: false }));
    writtenAt.delete(id);
    await write(id);
    writtenAt.set(id, clock.now());
  }

  async function troubleOf(policy: Pick<Policy, "id" | "driverType">): Promise<string | null> {
    try {
      await withTimeout<unknown>(DEADLINE_MS, probeDriver(policy), () => {
        throw appError("StorageUnavailable", `The storage did not respond within ${DEADLINE_MS / 1000} s.`);
      });
      return null;
    } catch (error) {
      return fileTrouble((error as Error).cause) ?? messageOf(error);
    }
  }

  async function look(): Promise<StorageStanding[]> {
    const checked = (await policies.list()).slice(0, MOST_CHECKED);
    const found = new Map<number, string | null>();
    await inParallel(checked, AT_ONCE, async (policy) => void found.set(policy.id, await troubleOf(policy)));
    return checked.map(({ id, name, driverType, isDefault }) => ({
      id,
      name,
      driverType,
      isDefault,
      trouble: found.get(id) ?? null,
    }));
  }

  return () => {
    const now = clock.now();
    if (looking !== undefined && now < freshUntil && freshUntil - now <= FRESH_MS) return looking;
    freshUntil = now + FRESH_MS;
    const mine = look().then(
      (standings) => {
        if (looking === mine && standings.some(({ trouble }) => trouble !== null))
          freshUntil = clock.now() + TROUBLE_FRESH_MS;
        return standings;
      },
      (error: unknown) => {
        if (looking === mine) looking = undefined;
        throw error;
      },
    );
    looking = mine;
    return mine;
  };
}
