import { snakeCased } from "../../lib/case-names.ts";
import type { Queries } from "../../platform/db/database.ts";

/** Stagings of a storage. */
export type StagedCount = {
  objects: number;
  bytes: number;
  /** The part that no running process and no resumable upload uses. */
  abandonedObjects: number;
  abandonedBytes: number;
};

/** `countedAt`: the oldest of the storages' last counts; null before the first. */
export type StagedTotal = StagedCount & { countedAt: number | null };

export type StagedRepository = ReturnType<typeof createStagedRepository>;

/** The last count of each policy. */
export function createStagedRepository({ read, write, dialect }: Queries) {
  return {
    async save(policyId: number, count: StagedCount, now: number): Promise<void> {
      const set = ["objects", "bytes", "abandoned_objects", "abandoned_bytes", "counted_at"] as const;
      await dialect.upsert(write, { table: "staged_counts", keys: ["policy_id"], set }, [
        { policy_id: policyId, ...snakeCased(count), counted_at: now },
      ]);
    },

    async total(): Promise<StagedTotal> {
      const row = await read
        .selectFrom("staged_counts")
        .select(({ fn }) => [
          fn.sum("objects").as("objects"),
          fn.sum("bytes").as("bytes"),
          fn.sum("abandoned_objects").as("abandonedObjects"),
          fn.sum("abandoned_bytes").as("abandonedBytes"),
          fn.min("counted_at").as("countedAt"),
        ])
        .executeTakeFirstOrThrow();
      return {
        objects: Number(row.objects ?? 0),
        bytes: Number(row.bytes ?? 0),
        abandonedObjects: Number(row.abandonedObjects ?? 0),
        abandonedBytes: Number(row.abandonedBytes ?? 0),
        countedAt: row.countedAt === null ? null : Number(row.countedAt),
      };
    },
  };
}
