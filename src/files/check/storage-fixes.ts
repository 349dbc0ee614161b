import type { Database } from "../../platform/db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import type { BlobsRepository, DeadBlob, StoredBlob } from "../blobs/repository.ts";
import type { BlobCondition, Scrub } from "../blobs/scrub.ts";
import type { Blobs } from "../blobs/service.ts";
import type { StorageFinding, StorageProblem } from "./storage-report.ts";
import type { StorageCheckRepository } from "./storage.repository.ts";

export type BlobFixDeps = {
  database: Database;
  repository: BlobsRepository;
  checks: StorageCheckRepository;
  scrub: Scrub;
  blobs: Blobs;
  clock: Clock;
};

type Counted = { problem: StorageProblem; message: string; dead: DeadBlob[] };

export function createBlobFixes({ database, repository, checks, scrub, blobs, clock }: BlobFixDeps) {
  /** Under the row's lock, so that no reference changes meanwhile. */
  const recount = (id: number, fix: boolean): Promise<Counted | null> =>
    database.transaction(async (tx) => {
      const blob = await repository.lock(tx, id);
      if (blob === null) return null;
      const held = (await checks.holders(id, id, tx)).get(id) ?? 0;
      if (blob.state === "dead") {
        if (held === 0) return null;
        return {
          problem: "dead_blob_in_use",
          message: `Blob ${id} is dead, but ${held} files use it.`,
          dead: [],
        };
      }
      if (held === blob.refs && held > 0) return null;
      const dead = fix ? await setCount(blob, held) : [];
      const problem = held === 0 ? "unheld_blob" : "wrong_refs";
      return { problem, message: `Blob ${id} counts ${blob.refs} files, but ${held} use it.`, dead };

      async function setCount(one: StoredBlob, refs: number): Promise<DeadBlob[]> {
        await repository.setRefs(tx, one.id, refs);
        return refs === 0 ? repository.release(tx, new Map([[one.id, 0]])) : [];
      }
    });

  /** Moves the blob's files to a live one of the same content. False without one. */
  const replace = (blob: StoredBlob): Promise<{ dead: DeadBlob[] } | null> =>
    database.transaction(async (tx) => {
      const twin = await checks.liveTwin(blob, tx);
      if (twin === null) return null;
      const locked = new Map<number, StoredBlob | null>();
      for (const id of [blob.id, twin].sort((a, b) => a - b)) locked.set(id, await repository.lock(tx, id));
      const [from, to] = [locked.get(blob.id), locked.get(twin)];
      if (from?.state !== "damaged" || to?.state !== "live") return null;
      const moved = await checks.moveHolders(tx, from.id, to.id);
      await repository.setRefs(tx, to.id, to.refs + moved);
      await repository.setRefs(tx, from.id, 0);
      return { dead: await repository.release(tx, new Map([[from.id, 0]])) };
    });

  return {
    async *checkCount(id: number, fix: boolean): AsyncGenerator<StorageFinding> {
      const counted = await recount(id, fix);
      if (counted === null) return;
      await blobs.discard(counted.dead);
      const { problem, message } = counted;
      yield { problem, message, fixed: fix && problem !== "dead_blob_in_use" };
    },

    /** "sound": the blob's files have their content again. Null: unknown. */
    async repair(blob: StoredBlob, signal?: AbortSignal): Promise<BlobCondition | null> {
      const replaced = await replace(blob);
      if (replaced !== null) {
        await blobs.discard(replaced.dead);
        return "sound";
      }
      const verdict = await scrub.examineTwice(blob, signal).catch(() => null);
      if (verdict === "sound" && !(await repository.setLive(blob.id, clock.now()))) return null;
      return verdict;
    },
  };
}
