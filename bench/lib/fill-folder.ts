/** Many files in a folder, as rows with the same content: uploads would take minutes. */
import { join } from "node:path";
import { openDatabase } from "../../src/platform/db/database.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import type { DriveServer } from "./drive-server.ts";

export async function fillFolder(
  server: Pick<DriveServer, "client" | "dataDir">,
  parentId: number,
  entries: number,
  nameOf = (number: number) => `some document number ${number}.txt`,
): Promise<void> {
  const { blob_id, sha256, size } = await newFile(server);
  const database = await openDatabase(
    { url: `sqlite:${join(server.dataDir, "waymark.db")}`, poolSize: 1 },
    { threads: false, logger: silentLogger },
  );
  const now = Date.now();
  const common = { account_id: 0, parent_id: parentId, policy_id: null, created_at: now, updated_at: now };
  const row = { ...common, kind: "file", mime_type: "text/plain", blob_id, sha256, size };
  const rows = Array.from({ length: entries }, (_, i) => ({
    ...row,
    name: nameOf((i * 7919) % entries),
  }));
  await database.transaction(async (tx) => {
    await database.dialect.insertMany(tx, "entries", rows);
    await database.dialect.addToCounters(
      tx,
      { table: "blobs", key: "id", column: "refs" },
      [blob_id],
      [entries],
    );
    const usage = { table: "account_usage", key: "account_id", column: "bytes" } as const;
    await database.dialect.addToCounters(tx, usage, [0], [entries * size]);
  });
  await database.close();
}

async function newFile({ client, dataDir }: Pick<DriveServer, "client" | "dataDir">) {
  const { id } = (await client.upload(`filler ${crypto.randomUUID()}`, "some bytes")).body.data;
  const database = await openDatabase(
    { url: `sqlite:${join(dataDir, "waymark.db")}`, poolSize: 1 },
    { threads: false, logger: silentLogger },
  );
  const query = database.read
    .selectFrom("entries")
    .select(["blob_id", "sha256", "size"])
    .where("id", "=", id);
  const row = await query.executeTakeFirstOrThrow();
  await database.close();
  return { ...row, blob_id: row.blob_id! };
}
