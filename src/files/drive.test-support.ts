/** Test support: folders and files on a real database, with local storage in a temporary folder. */
import { openProcessLeases } from "../platform/cluster/process-leases.ts";
import type { Database } from "../platform/db/database.ts";
import { AppError } from "../lib/errors.ts";
import { silentLogger } from "../lib/logger.ts";
import { startContent } from "./content.test-support.ts";
import type { TreeChanges } from "./tree/account-tree.ts";
import { createDrive } from "./drive.ts";
import type { Entry, Folder, StoredFile } from "./tree/entry.ts";

export type DriveHarness = Awaited<ReturnType<typeof startDrive>>;

export async function startDrive(
  database: Database,
  { changes, roots = [] }: { changes?: TreeChanges; roots?: string[] } = {},
) {
  const content = await startContent(database, { roots });
  const clock = { now: () => content.time.now };
  const leases = await openProcessLeases({
    database,
    clock,
    logger: silentLogger,
    dataDir: content.dataDir,
    isServer: false,
  });
  const on = (changing: TreeChanges) =>
    createDrive({ ...content.core, changes: { ...content.changes, ...changing }, content, leases });
  const drive = on(changes ?? content.changes);
  let users = 0;

  const upload = async (
    accountId: number,
    folderId: number | null,
    name: string,
    bytes: string | Uint8Array = name,
    mimeType?: string,
  ): Promise<StoredFile> => {
    const destination = await drive.uploads.destination(accountId, folderId);
    const body = chunksOf(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
    return drive.uploads.keep(await drive.uploads.receive(destination, { name, mimeType, body }));
  };

  return {
    ...drive,
    content,
    database,
    /** The same tree with another `write`. */
    on,
    /** Id of another account. */
    async account(quotaBytes = 0): Promise<number> {
      return database.dialect.insertReturningId(database.write, "users", {
        username: `user${users++}-${crypto.randomUUID()}`,
        password_hash: "",
        role: "user",
        disabled: 0,
        quota_bytes: quotaBytes,
        created_at: 0,
        updated_at: 0,
      });
    },
    upload,
    folder: async (accountId: number, parentId: number | null, name: string): Promise<number> =>
      (await drive.folders.create(accountId, { name, parentId })).id,
    /** Names of a folder's folders and files. */
    async names(accountId: number, folderId: number | null): Promise<string[]> {
      const { folder } = await drive.folders.find(accountId, folderId);
      const { folders, files } = await drive.folders.page(accountId, folder, null, 1_000);
      return [...folders.map(({ name }) => `${name}/`), ...files.map(({ name }) => name)];
    },
    read: async (file: StoredFile): Promise<string> =>
      new Response((await content.blobs.open(file.blobId)).body).text(),
    /** The bytes of a folder's archive. */
    async archive(folder: Folder, items?: readonly Entry[]): Promise<Uint8Array> {
      const archive = await drive.archives.make(folder, new AbortController().signal, items);
      const pieces: Buffer[] = [];
      try {
        for await (const piece of archive.pieces()) pieces.push(Buffer.from(piece));
      } finally {
        await archive.close();
      }
      return Buffer.concat(pieces);
    },
    cleanUp: () => drive.jobs[0]!.run(new AbortController().signal),
    /** Findings of the doctor. */
    async wrongs(): Promise<string[]> {
      await content.blobs.settled();
      return (await content.findings()).map(({ message }) => message);
    },
    close: content.close,
  };
}

export async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.slice(at, at + 65_536);
}

/** Name of the AppError of the rejection. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof AppError) return error.name;
    throw error;
  }
  return "no error";
}
