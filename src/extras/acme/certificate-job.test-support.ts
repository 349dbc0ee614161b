/** The job on a database of its own, with a clock that the test moves. */
import type { Changes } from "../../platform/cluster/changes.ts";
import { createChanges } from "../../platform/cluster/changes.ts";
import type { Database } from "../../platform/db/database.ts";
import { silentLogger } from "../../lib/logger.ts";
import { createSecretBox } from "../../lib/secret-box.ts";
import { createServerCertificates } from "../../platform/wire/server-certificates.ts";
import { createCertificateJob } from "./certificate-job.ts";
import { createCertificateRepository } from "./certificates.repository.ts";
import { createKnownCertificates } from "./known-certificates.ts";

type Options = { database: Database; directory: string; hosts: string[]; fetch: typeof fetch };

export async function startJob({ database, directory, hosts, fetch }: Options) {
  const time = { now: Date.now() };
  const clock = { now: () => time.now };
  const changes: Changes = createChanges({ database, clock, logger: silentLogger });
  const box = createSecretBox(() => new Uint8Array(32).fill(7));
  const repository = createCertificateRepository(database);
  const served = createServerCertificates(null);
  const known = createKnownCertificates({
    repository,
    box,
    served,
    hosts: () => hosts,
    now: clock.now,
    logger: silentLogger,
  });
  changes.subscribe("certificates", known.changed);
  await known.load();
  const reports: { hosts: readonly string[]; reason: string }[] = [];
  const { run } = createCertificateJob({
    repository,
    known,
    changes,
    box,
    directory,
    email: "admin@example.com",
    hosts: () => hosts,
    report: async (failed, reason) => void reports.push({ hosts: failed, reason }),
    clock,
    logger: silentLogger,
    fetch,
    pollMs: 100,
  });
  return {
    repository,
    changes,
    known,
    served,
    reports,
    hosts,
    time,
    /** One run of the job, as each minute. */
    run: () => run(new AbortController().signal),
    /** Moves the clock, and runs the job at each step. */
    async pass(ms: number, stepMs: number): Promise<void> {
      for (const end = time.now + ms; time.now < end; ) {
        time.now += stepMs;
        await run(new AbortController().signal);
      }
    },
    troubles: () => known.states().map(({ path, trouble }) => [path, trouble?.level ?? null]),
  };
}
