import { pagesAfter } from "../../lib/pages.ts";
import type { Leases } from "../../platform/cluster/leases.ts";
import type { Job } from "../../platform/jobs/runner.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Blobs } from "../blobs/service.ts";
import { uploadLease, type TusRepository, type Upload } from "./tus.repository.ts";

const CHECK_MS = 60_000;
const EXPIRED_AT_ONCE = 100;
const LEASES_MS = 3_600_000;
const LEASES_AT_ONCE = 1_000;
/** Of a lease. */
export const LOCK_MS = 30_000;

export type UploadJobDeps = {
  repository: TusRepository;
  blobs: Pick<Blobs, "forgetUpload">;
  leases: Leases;
  clock: Clock;
  logger: Logger;
};

/** Removes it and its stored bytes. A file that it became stays. @throws StorageUnavailable */
export async function forgetUpload(
  { blobs, repository }: Pick<UploadJobDeps, "blobs" | "repository">,
  { id, policyId, received, size }: Upload,
): Promise<void> {
  if (size === null || received < size) await blobs.forgetUpload(policyId, id);
  await repository.remove(id);
}

export function createUploadJobs(deps: UploadJobDeps) {
  const { repository, leases, clock, logger } = deps;

  async function forgetExpired(id: string): Promise<void> {
    try {
      // Whoever holds it gives it more time, or ends it.
      await leases.hold(uploadLease(id), LOCK_MS, async () => {
        const upload = await repository.find(id);
        if (upload !== null && upload.expiresAt <= clock.now()) await forgetUpload(deps, upload);
      });
    } catch (error) {
      logger.warn({ err: error, upload: id }, "an expired upload could not be removed; it will be retried");
    }
  }

  const expiry: Job = {
    name: "uploads-expiry",
    everyMs: () => CHECK_MS,
    async run(signal) {
      const find = (after: string, limit: number) => repository.expired(clock.now(), after, limit);
      for await (const page of pagesAfter("", EXPIRED_AT_ONCE, find, ({ id }) => id)) {
        for (const { id } of page) {
          signal.throwIfAborted();
          await forgetExpired(id);
        }
      }
    },
  };

  const leasesOfGone: Job = {
    name: "uploads-leases",
    everyMs: () => LEASES_MS,
    async run(signal) {
      for (let after: string | null = uploadLease(""); after !== null; ) {
        signal.throwIfAborted();
        after = await repository.forgetLeases(clock.now(), after, LEASES_AT_ONCE);
      }
    },
  };

  return [expiry, leasesOfGone] as const;
}
