/** Stored files and their places by a database, for backups. */
import { pagesAfter } from "../../lib/pages.ts";
import { resolve } from "node:path";
import type { Queries } from "../../platform/db/database.ts";
import { createBlobsRepository, type StoredBlob } from "../blobs/repository.ts";
import { createPoliciesRepository } from "../policies/repository.ts";
import { markerOf } from "../storage/object-key.ts";
import { createStorageCheckRepository } from "./storage.repository.ts";

const PAGE = 1_000;

export function createStoredFiles(database: Queries, { dataDir }: { dataDir: string }) {
  const policies = createPoliciesRepository(database);
  const checks = createStorageCheckRepository(database);
  const blobs = createBlobsRepository(database);
  return {
    /** One per policy that stores content. `folder` is absolute; null if the files are not in a folder of this machine. */
    async locations() {
      const marker = markerOf(await policies.installation());
      const storing = (await policies.list()).filter(({ driverType }) => driverType !== "linked");
      return storing.map(({ id, name, driverType, basePath }) => ({
        policyId: id,
        name,
        basePath,
        folder: driverType === "local" ? resolve(dataDir, basePath) : null,
        marker,
      }));
    },
    /** Blobs with files, by id, in pages of at most 1,000. */
    async *objects(): AsyncGenerator<StoredBlob[]> {
      for await (const page of pagesAfter(0, PAGE, checks.blobs, ({ id }) => id)) {
        yield page.filter(({ state }) => state !== "dead" && state !== "linked");
      }
    },
    /** Whether a file still needs the object. */
    isLive: async (id: number): Promise<boolean> => (await blobs.find(id))?.state === "live",
  };
}
