/**
 * Folders of the server in trees. Their entries mirror what lies there, so that lists, search, shares and WebDAV take
 * the ways of all files; a folder is looked at when somebody opens it, and all of them by a job.
 */
import { close } from "node:fs";
import type { Db } from "../../platform/db/dialect.ts";
import type { Job } from "../../platform/jobs/runner.ts";
import { type Actor, SYSTEM } from "../../lib/actor.ts";
import { AppError, appError, messageOf } from "../../lib/errors.ts";
import type { RecordEvents } from "../../lib/event.ts";
import { outsideFirstWrite } from "../../lib/first-write.ts";
import { checkFileName } from "../../lib/file-name.ts";
import { sha256Of } from "../blobs/hashes.ts";
import type { Blobs } from "../blobs/service.ts";
import type { Logger } from "../../lib/logger.ts";
import { inTime } from "../../lib/timeout.ts";
import type { Policies } from "../policies/service.ts";
import type { Disk } from "../storage/disk.ts";
import { folderAway } from "../storage/storage-failure.ts";
import { type OnDisk, toFolderId } from "../tree/account-tree.ts";
import { type Entry, type Folder, isLinked, MOST_LEVELS, newFolder, type StoredFile } from "../tree/entry.ts";
import { tooDeep } from "../tree/folders.service.ts";
import { createMirror, type Mirror, type MirrorDeps, type MirroredFolder } from "./mirror.ts";
import type { LinkedRoot } from "./repository.ts";

export type { LinkedRoot } from "./repository.ts";

type Deps = Omit<MirrorDeps, "blobs"> & {
  blobs: Blobs;
  policies: Pick<Policies, "find">;
  /** Where a linked file lies. */
  diskFile(blobId: number): Promise<{ policyId: number; names: readonly string[] } | null>;
  diskOf(policyId: number): Promise<Disk>;
  onDisk: Pick<OnDisk, "sweep">;
  record: RecordEvents<Db>;
  logger: Logger;
};

export type LinkedFolders = ReturnType<typeof createLinkedFolders>;

export type NewLinkedFolder = { accountId: number; parentId: number | null; name: string };

const MINUTE_MS = 60_000;
/** The job looks for folders that are due. */
const LOOK_MS = 10_000;
/** A folder that was just looked at is not looked at again. */
const FRESH_MS = 1_000;
const MOST_FRESH = 1_000;
/** Nobody waits longer for a look; it goes on. */
const WAIT_MS = 2_000;
const MOST_TROUBLE = 500;

export function createLinkedFolders(deps: Deps) {
  const { repository, tree, blobs, policies, record, clock } = deps;
  const mirror = createMirror(deps);
  const { expectCurrent, refreshFolder } = createLooks(deps, mirror);

  return {
    /** Shows a linked policy as a folder. @throws PolicyNotFound, BadRequest, FolderNotFound, NameConflict, InvalidName */
    async link(
      policyId: number,
      { accountId, parentId, name: given }: NewLinkedFolder,
      actor = SYSTEM,
    ): Promise<Folder> {
      const policy = await policies.find(policyId);
      if (policy.driverType !== "linked")
        throw appError(
          "BadRequest",
          `The storage '${policy.name}' holds content of its own; only a linked one can be shown as a folder.`,
        );
      const name = checkFileName(given);
      const parent = toFolderId(parentId);
      const folder = await tree.change(accountId, async ({ db }) => {
        const above = await tree.writable(accountId, parent, db);
        if (above.length >= MOST_LEVELS) throw tooDeep();
        const row = { ...newFolder(accountId, parent, name, clock.now()), policyId, diskTime: 0 };
        const id = await deps.entries.insert(db, row);
        await repository.addRoot(db, id);
        await record(db, [
          linkEvent(actor, clock.now(), { policy: policy.name, folder: name, account: accountId }),
        ]);
        return { ...row, id };
      });
      await this.refresh(folder).catch((error: unknown) =>
        deps.logger.warn({ err: error }, "a linked folder can't be read yet"),
      );
      return folder;
    },

    /** Where a policy is shown. @throws PolicyNotFound */
    async places(policyId: number): Promise<LinkedRoot[]> {
      await policies.find(policyId);
      return repository.roots(policyId);
    },

    /** What a folder shows; null if it was not linked. */
    rootOf: (folderId: number): Promise<LinkedRoot | null> => repository.root(folderId),

    /** Has the job look at everything again. @throws PolicyNotFound */
    async rescan(policyId: number): Promise<void> {
      for (const { entryId, accountId } of await this.places(policyId))
        await tree.change(accountId, ({ db }) => repository.updateRoot(db, entryId, { scannedAt: 0 }));
    },

    /** Looks at a folder that is opened. Shows what is known if that takes long. @throws StorageUnavailable if it is away */
    async refresh(entry: Entry): Promise<void> {
      if (isLinked(entry) && entry.kind === "folder") await refreshFolder(entry.id);
    },

    /** The file as it is now. @throws StorageUnavailable if the folder on the server is away, FileNotFound */
    expectCurrent,

    /** Likewise, or as it is known while the folder is away. @throws FileNotFound */
    async current(file: StoredFile): Promise<StoredFile> {
      if (!isLinked(file)) return file;
      try {
        return await expectCurrent(file);
      } catch (error) {
        if (error instanceof AppError && error.name === "StorageUnavailable") return file;
        throw error;
      }
    },

    /** The SHA-256 of a file, read if nobody asked for it before. @throws FileNotFound, StorageUnavailable */
    async withSha256(file: StoredFile, signal?: AbortSignal): Promise<StoredFile> {
      if (file.sha256 !== "") return file;
      const { body } = await blobs.open(file.blobId, { ...(signal && { signal }) });
      const stream = body instanceof Blob ? body.stream() : body;
      const sha256 = await sha256Of(stream as unknown as AsyncIterable<Uint8Array>);
      await tree.change(file.accountId, ({ db }) => repository.setSha256(db, file, sha256));
      return { ...file, sha256 };
    },

    scan: (root: LinkedRoot, signal?: AbortSignal) => scan(deps, mirror, root, signal),

    job: {
      name: "linked-folders",
      everyMs: () => LOOK_MS,
      async run(signal) {
        for (const root of await repository.roots()) {
          if (root.scannedAt > clock.now() - root.rescanMinutes * MINUTE_MS) continue;
          signal.throwIfAborted();
          await scan(deps, mirror, root, signal);
          if ((await policies.find(root.policyId)).readOnly === false) deps.onDisk.sweep(root.policyId);
        }
      },
    } satisfies Job,
  };
}

type Look = "same" | "changed" | "gone";

/** Looks at what somebody opens. Others share a look, so the condition of a request is not that of its look. */
function createLooks({ repository, tree, diskOf, diskFile, clock }: Deps, mirror: Mirror) {
  const fresh = createFresh(clock.now);

  /** If the folder is gone, that around it shows so. */
  async function lookAt(folderId: number): Promise<void> {
    const place = await repository.namesOf(folderId);
    const root = place && (await repository.root(place.rootId));
    if (!place || !root) return;
    const { names, parentId } = place;
    const disk = await diskOf(root.policyId);
    const { unreadable } = await mirror.look(root, disk, { id: folderId, names });
    if (unreadable !== null && parentId !== null)
      await mirror.look(root, disk, { id: parentId, names: names.slice(0, -1) });
  }

  /** Whether the row is as the file; one that has changed gets its size and time. @throws StorageUnavailable if it is away */
  async function lookAtFile({ id, accountId, parentId, blobId, size, diskTime }: StoredFile): Promise<Look> {
    const place = await diskFile(blobId);
    if (place === null) return "gone";
    const answer = await (await diskOf(place.policyId)).open(place.names);
    if (!("value" in answer)) {
      if (answer.where === "root") throw folderAway(answer.code);
      return "gone";
    }
    const { fd, ...now } = answer.value;
    close(fd, () => {});
    if (now.size === size && now.time === diskTime) return "same";
    const changed = { id, name: place.names.at(-1)!, kind: "file" as const, ...now };
    await mirror.apply({ accountId, policyId: place.policyId }, { id: parentId }, [], [changed]);
    return "changed";
  }

  /** Looks at a folder, and gives up waiting if that takes long. @throws StorageUnavailable if it is away */
  async function refreshFolder(folderId: number): Promise<void> {
    const looking = fresh(folderId, () => outsideFirstWrite(() => lookAt(folderId))).then(
      () => null,
      (error: unknown) => error,
    );
    const failure = await inTime(WAIT_MS, looking);
    if (failure instanceof AppError && failure.name === "StorageUnavailable") throw failure;
  }

  async function expectCurrent(file: StoredFile): Promise<StoredFile> {
    if (!isLinked(file)) return file;
    const look = await outsideFirstWrite(() => lookAtFile(file));
    if (look === "same") return file;
    if (look === "gone") await refreshFolder(file.parentId);
    return tree.file(file.accountId, file.id);
  }

  return { expectCurrent, refreshFolder };
}

/** Looks at a whole folder, depth first. What can't be read stays as it was known. */
async function scan(
  { repository, tree, diskOf, clock, logger }: Deps,
  mirror: Mirror,
  root: LinkedRoot,
  signal?: AbortSignal,
): Promise<void> {
  const { accountId, entryId } = root;
  let files = 0;
  let unreadable = 0;
  let trouble: string | null = null;
  try {
    const disk = await diskOf(root.policyId);
    const left: MirroredFolder[] = [{ id: entryId, names: [] }];
    for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
      signal?.throwIfAborted();
      const seen = await mirror.look(root, disk, folder, signal).catch((error: unknown) => {
        // It was removed meanwhile, outside or here.
        if (folder!.names.length > 0 && error instanceof AppError && error.name === "FolderNotFound")
          return null;
        throw error;
      });
      if (seen === null) continue;
      files += seen.files;
      unreadable += Number(seen.unreadable !== null);
      for (const one of seen.folders) left.push(one);
    }
    if (unreadable > 0) trouble = `Folders that the server can't read: ${unreadable}.`;
  } catch (error) {
    signal?.throwIfAborted();
    const isTrashed = error instanceof AppError && error.name === "FolderNotFound";
    if (!isTrashed)
      logger.warn(
        { err: error, folder: entryId },
        "a linked folder could not be scanned; the next scan tries again",
      );
    trouble = isTrashed ? "The folder is in the trash." : messageOf(error).slice(0, MOST_TROUBLE);
  }
  const isWhole = trouble === null || unreadable > 0;
  await tree.change(accountId, ({ db }) =>
    repository.updateRoot(db, entryId, { scannedAt: clock.now(), trouble, ...(isWhole && { files }) }),
  );
}

/** Shares a look that runs, and repeats the outcome of one that just ended. */
function createFresh(now: () => number) {
  /** `at`: when it ended, or null. */
  const looks = new Map<number, { at: number | null; look: Promise<void> }>();
  return (folderId: number, work: () => Promise<void>): Promise<void> => {
    const known = looks.get(folderId);
    if (known !== undefined && (known.at === null || Math.abs(now() - known.at) < FRESH_MS))
      return known.look;
    looks.delete(folderId);
    if (looks.size >= MOST_FRESH) looks.delete(looks.keys().next().value!);
    const one = { at: null as number | null, look: Promise.resolve() };
    one.look = work().finally(() => void (one.at = now()));
    looks.set(folderId, one);
    return one.look;
  };
}

const linkEvent = (
  actor: Pick<Actor, "name" | "via">,
  now: number,
  { policy, ...after }: Record<string, unknown>,
) => ({
  at: now,
  actor,
  action: "policy.link",
  subject: String(policy),
  before: null,
  after,
});
