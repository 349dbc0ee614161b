/** Test support: content on a real database with local storage in a temporary folder, and files as bare rows. */
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLeases } from "../platform/cluster/leases.ts";
import { createChanges } from "../platform/cluster/changes.ts";
import type { Database } from "../platform/db/database.ts";
import { openConfig } from "../platform/config/config.test-support.ts";
import type { Db } from "../platform/db/dialect.ts";
import { createEvents } from "../platform/events/events.service.ts";
import { usedInDataFolder } from "../lib/data-folder.ts";
import { silentLogger } from "../lib/logger.ts";
import { createSecretBox } from "../lib/secret-box.ts";
import { type Content, type ContentDeps, createContent } from "./content.ts";
import type { Blobs, StoredBytes } from "./blobs/service.ts";
import type { StorageFinding } from "./check/storage-report.ts";
import { markerOf } from "./storage/object-key.ts";

export type ContentHarness = Awaited<ReturnType<typeof startContent>>;

export const makeFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), "waymark-content-")));

/** `dataDir`: an existing folder, which its maker removes. `roots` as in LocationRules. */
export async function startContent(
  database: Database,
  {
    dataDir = makeFolder(),
    roots = [],
    changes: given,
    ...more
  }: Partial<ContentDeps> & { dataDir?: string; roots?: string[] } = {},
) {
  const time = { now: Date.now() };
  const clock = { now: () => time.now };
  const changes = given ?? createChanges({ database, clock, logger: silentLogger });
  const core = {
    database,
    changes,
    record: createEvents({ database, clock }).add,
    config: openConfig(database).config,
    clock,
    logger: silentLogger,
  };
  const content = createContent({
    ...core,
    processes: {
      number: async () => crypto.randomUUID(),
      look: async () => ({ running: new Set(), ended: new Set() }),
      forget: async () => {},
    },
    leases: createLeases({ database, clock }),
    graceMs: 0,
    box: createSecretBox(() => new Uint8Array(32).fill(7)),
    locations: { dataDir, roots, used: usedInDataFolder(dataDir) },
    ...more,
  });
  await content.start();
  const storedIn = (folder: string) =>
    namesIn(join(dataDir, folder)).filter((name) => !name.startsWith(".waymark-"));
  const { uuid } = await database.read.selectFrom("instance").select("uuid").executeTakeFirstOrThrow();
  const policy = await content.policies.defaultPolicy();
  return {
    ...content,
    core,
    database,
    changes,
    time,
    dataDir,
    policy,
    /** The contents of the default policy's folder, without its marker. */
    stored: () => storedIn(policy.basePath),
    storedIn,
    /** Name of the marker file of the default policy's folder. */
    marker: markerOf(uuid),
    files: fileRows(database, content),
    findings: (fix = false): Promise<StorageFinding[]> => Array.fromAsync(content.checkStorage({ fix })),
    runJob: async (name: string): Promise<void> => {
      await content.jobs.find((job) => job.name === name)!.run(new AbortController().signal);
    },
    async close(): Promise<void> {
      await content.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export const namesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort()
    : [];

/** Rejects when the bytes could not be kept. */
export async function keepOne<T>(
  blobs: Pick<Blobs, "keep">,
  stored: StoredBytes,
  write: (commit: (tx: Db) => Promise<number>) => Promise<T>,
): Promise<T> {
  const [outcome] = await blobs.keep([{ stored }], async (_, commit) => [
    await write(async (tx) => (await commit(tx))[0]!),
  ]);
  if (outcome!.status === "rejected") throw outcome!.reason;
  return outcome!.value;
}

let names = 0;
const newName = (): string => `file-${process.pid}-${names++}`;

/** The least that makes a file. tree/files.service.ts makes real ones. */
export function fileRows(database: Database, { blobs }: Pick<Content, "blobs">) {
  const insert = async (tx: Db, blobId: number, name: string): Promise<number> => {
    const blob = await tx
      .selectFrom("blobs")
      .select(["size", "sha256"])
      .where("id", "=", blobId)
      .executeTakeFirstOrThrow();
    return database.dialect.insertReturningId(tx, "entries", {
      account_id: 1,
      parent_id: 0,
      kind: "file",
      name,
      policy_id: null,
      blob_id: blobId,
      mime_type: "application/octet-stream",
      sha256: blob.sha256,
      size: blob.size,
      created_at: 0,
      updated_at: 0,
    });
  };
  return {
    /** Returns the file's id. */
    async add(bytes: Uint8Array, policyId: number, name = newName()): Promise<number> {
      const stored = await blobs.store(once(bytes), policyId, { maxBytes: 0 });
      return keepOne(blobs, stored, (commit) =>
        database.transaction(async (tx) => insert(tx, await commit(tx), name)),
      );
    },
    /** Several at once, in one transaction. Returns their ids. */
    async addTogether(contents: readonly Uint8Array[], policyId: number): Promise<number[]> {
      const storing = contents.map((bytes) => blobs.store(once(bytes), policyId, { maxBytes: 0 }));
      const items = (await Promise.all(storing)).map((stored) => ({ stored }));
      const outcomes = await blobs.keep(items, (some, commit) =>
        database.transaction(async (tx) => {
          const ids = await commit(tx);
          const made: number[] = [];
          for (let n = 0; n < some.length; n++) made.push(await insert(tx, ids[n]!, newName()));
          return made;
        }),
      );
      return outcomes.map((outcome) => {
        if (outcome.status === "rejected") throw outcome.reason;
        return outcome.value;
      });
    },
    async blobOf(id: number): Promise<number> {
      const query = database.read.selectFrom("entries").select("blob_id").where("id", "=", id);
      return (await query.executeTakeFirstOrThrow()).blob_id!;
    },
    async read(id: number): Promise<Uint8Array> {
      const { body } = await blobs.open(await this.blobOf(id));
      return new Uint8Array(await new Response(body).arrayBuffer());
    },
    async remove(...ids: number[]): Promise<void> {
      const dead = await database.transaction(async (tx) => {
        const query = tx.selectFrom("entries").select("blob_id").where("id", "in", ids);
        const rows = await query.execute();
        await tx.deleteFrom("entries").where("id", "in", ids).execute();
        return blobs.release(
          tx,
          rows.map((row) => row.blob_id!),
        );
      });
      await blobs.discard(dead);
    },
  };
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.slice(at, at + 65_536);
}
