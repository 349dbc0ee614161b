/**
 * Uploads a file or folder of this machine. A file becomes visible when it is complete, so a run that was killed leaves
 * no half files, and the next one skips what is there already with the same content.
 */
import { lstat, opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import { COMMAND } from "../../lib/actor.ts";
import { AppError, appError, type ErrorKind } from "../../lib/errors.ts";
import { checkFileName } from "../../lib/file-name.ts";
import { inParallel } from "../../lib/in-parallel.ts";
import type { LinkedFolders } from "../linked/service.ts";
import { type Entry, ROOT, type StoredFile } from "../tree/entry.ts";
import type { Lookup } from "../tree/lookup.ts";
import type { Files } from "../tree/files.service.ts";
import { type Destination, overwriting, type ReceivedFile, type Uploads } from "../uploads/service.ts";
import { openLocal, type OpenFile, readTrouble } from "../local-file.ts";
import { sha256Of } from "../blobs/hashes.ts";

/** The most uploads at once. They share transactions and syncs. */
const FILES_AT_ONCE = 32;
/** The most notes in a report. */
export const MOST_NOTES = 1_000;
/** Kinds of errors after which no other file would succeed. */
const ENDS_RUN: readonly ErrorKind[] = ["unavailable", "full", "bad_gateway", "internal", "unauthorized"];

export type PutJob = {
  accountId: number;
  /** The path of the folder that gets the files. It is made if it is missing. */
  to: readonly string[];
  /** Files with other content get the new one and keep their shares. Otherwise they stay, and the file counts as failed. */
  replace: boolean;
  /** The run stores nothing. */
  dryRun: boolean;
  follow: boolean;
};

export type PutReport = {
  uploaded: number;
  /** The size of all uploaded files. */
  bytes: number;
  /** The number of files that are there already with the same content. */
  unchanged: number;
  /** The number of uploaded files that replaced another. */
  replaced: number;
  left_out: number;
  failed: number;
  /** The first files that were left out or failed, and why. */
  notes: { path: string; reason: string; failed: boolean }[];
};

export type PutProgress = { files: number; bytes: number };
export type Put = ReturnType<typeof createPut>;

type Deps = {
  lookup: Lookup;
  uploads: Uploads;
  files: Pick<Files, "put">;
  /** A file that lies on the server has no hash yet, and may have changed. */
  linked: Pick<LinkedFolders, "current" | "withSha256">;
};
type Target = { id: number; destination: Destination | null; known: ReadonlyMap<string, Entry> };
type Run = { job: PutJob; report: PutReport; done: PutProgress; onProgress(done: PutProgress): void };

function createTargets({ lookup, uploads }: Pick<Deps, "lookup" | "uploads">) {
  /** The id of the folder, or null if a dry run would make it. */
  async function folderOf({ accountId, to, dryRun }: PutJob, names: readonly string[]) {
    const all = [...to, ...names];
    if (!dryRun) return lookup.folder(accountId, all);
    let id = ROOT;
    for (const given of all) {
      const found: Entry | null = await lookup.child(accountId, id, checkFileName(given));
      if (found?.kind !== "folder") return null;
      id = found.id;
    }
    return id;
  }

  /** @param files names, in stored form */
  return async function targetOf(
    job: PutJob,
    names: readonly string[],
    files: readonly string[],
  ): Promise<Target> {
    const id = await folderOf(job, names);
    if (id === null) return { id: ROOT, destination: null, known: new Map() };
    const destination = await uploads.destination(job.accountId, id === ROOT ? null : id);
    return { id, destination, known: await lookup.named(job.accountId, id, files) };
  };
}

export function createPut({ lookup, uploads, files: tree, linked }: Deps) {
  const targetOf = createTargets({ lookup, uploads });

  /** @throws AppError, errors of the file system */
  async function putOne(
    { job, report, done, onProgress }: Run,
    target: Target,
    given: string,
    source: OpenFile,
  ) {
    const name = checkFileName(given);
    const there = target.known.get(name);
    if (there?.kind === "folder") throw appError("NameConflict", "A folder has this name there.");
    if (there !== undefined) {
      if (await isSame({ linked }, there, source)) {
        report.unchanged++;
        done.bytes += source.size;
        return;
      }
      if (!job.replace) {
        throw appError(
          "NameConflict",
          "A file with this name is there, with other content; --replace replaces it.",
        );
      }
    }
    const destination = target.destination && overwriting(target.destination, there ?? null);
    if (destination !== null) uploads.checkSize(destination, source.size);
    let bytes = source.size;
    if (!job.dryRun) {
      const body = source.bytes((count) => {
        done.bytes += count;
        onProgress(done);
      });
      const incoming = { name, mimeType: undefined, body, isNumbered: true };
      const { modifiedAt } = source;
      const received = { ...(await uploads.receive(destination!, incoming)), modifiedAt };
      const { mimeType, stored } = received;
      bytes = stored.size;
      if (there !== undefined) {
        const file = { accountId: job.accountId, parentId: target.id, name, mimeType, modifiedAt };
        await tree.put({ ...file, createdBy: COMMAND.name }, stored);
      } else if (!(await keepOnce({ lookup, uploads }, received))) {
        report.unchanged++;
        return;
      }
    }
    report.uploaded++;
    report.bytes += bytes;
    if (there !== undefined) report.replaced++;
  }

  async function putPiece(run: Run, { names, files }: LocalPiece): Promise<void> {
    const { job, report, done, onProgress } = run;
    const fail = ({ path }: { path: string }, error: unknown): void => {
      if (error instanceof AppError && ENDS_RUN.includes(error.kind)) throw error;
      if (!isExpected(error)) throw error;
      report.failed++;
      note(report, { path, reason: readTrouble(error), failed: true });
    };
    let target: Target;
    try {
      const valid = files.flatMap(({ name }) => validName(name) ?? []);
      target = await targetOf(job, names, valid);
    } catch (error) {
      for (const file of files.length > 0 ? files : [{ path: names.join("/") }]) fail(file, error);
      return;
    }
    await inParallel(files, FILES_AT_ONCE, async (file) => {
      try {
        const source = await openLocal(file.path, job.follow);
        await putOne(run, target, file.name, source).finally(source.close);
      } catch (error) {
        fail(file, error);
      }
      done.files++;
      onProgress(done);
    });
  }

  return {
    /**
     * Continues after files that can't be read or stored. @throws ServiceUnavailable, StorageUnavailable, InsufficientStorage,
     * Unauthorized (account gone)
     */
    async folder(top: string, job: PutJob, onProgress: Run["onProgress"]): Promise<PutReport> {
      const run = newRun(job, onProgress);
      const { report } = run;
      for await (const piece of reportedPieces(top, job.follow, report)) await putPiece(run, piece);
      return report;
    },

    /** Uploads one file under this name. @throws like Uploads.keep, errors of the file system */
    async file(
      source: OpenFile,
      name: string,
      job: PutJob,
      onProgress: Run["onProgress"],
    ): Promise<PutReport> {
      const run = newRun(job, onProgress);
      await putOne(run, await targetOf(job, [], [checkFileName(name)]), name, source);
      return run.report;
    },

    /** Uploads what comes from a pipe, whose size is unknown. @throws like Uploads.keep */
    async stream(body: AsyncIterable<Uint8Array>, name: string, job: PutJob): Promise<PutReport> {
      const { report } = newRun(job, () => undefined);
      const { destination } = await targetOf({ ...job, dryRun: false }, [], []);
      const received = await uploads.receive(destination!, { name, mimeType: undefined, body });
      report.bytes = (await uploads.keep(received, { createdBy: COMMAND.name })).size;
      report.uploaded++;
      return report;
    },
  };
}

/** Whether the file has that content. */
async function isSame(
  { linked }: Pick<Deps, "linked">,
  there: StoredFile,
  source: OpenFile,
): Promise<boolean> {
  if (there.size !== source.size) return false;
  const sha256 = await sha256Of(source.bytes());
  return sha256 === (await linked.withSha256(await linked.current(there))).sha256;
}

/** False if another process has put the same content there meanwhile. @throws like Uploads.keep */
async function keepOnce({ lookup, uploads }: Pick<Deps, "lookup" | "uploads">, received: ReceivedFile) {
  const { destination, name, stored } = received;
  try {
    await uploads.keep(received, { createdBy: COMMAND.name });
    return true;
  } catch (error) {
    if ((error as Error).name !== "NameConflict") throw error;
    const there = await lookup.child(destination.accountId, destination.parentId, name);
    if (there?.kind !== "file" || there.sha256 !== stored.sha256) throw error;
    return false;
  }
}

/** The pieces of a folder. What is left out or can't be read is in the report. */
const reportedPieces = (top: string, follow: boolean, report: PutReport) =>
  localPieces(top, {
    follow,
    onLeftOut(path, reason) {
      report.left_out++;
      note(report, { path, reason, failed: false });
    },
    onUnreadable(path, reason) {
      report.failed++;
      note(report, { path, reason, failed: true });
    },
  });

const newRun = (job: PutJob, onProgress: Run["onProgress"]): Run => ({
  job,
  report: { uploaded: 0, bytes: 0, unchanged: 0, replaced: 0, left_out: 0, failed: 0, notes: [] },
  done: { files: 0, bytes: 0 },
  onProgress,
});

/** The number and size of the files that a walk would upload. */
export async function localTotals(top: string, follow: boolean): Promise<PutProgress> {
  const nothing = () => undefined;
  const totals = { files: 0, bytes: 0 };
  for await (const { files } of localPieces(top, { follow, onLeftOut: nothing, onUnreadable: nothing })) {
    totals.files += files.length;
    totals.bytes += files.reduce((sum: number, file: LocalFile) => sum + file.size, 0);
  }
  return totals;
}

function validName(name: string): string | null {
  try {
    return checkFileName(name);
  } catch {
    return null;
  }
}

/** Whether the error concerns one file or the file system. */
const isExpected = (error: unknown): boolean =>
  error instanceof AppError || (error as { syscall?: unknown }).syscall !== undefined;

function note(report: PutReport, one: PutReport["notes"][number]): void {
  if (report.notes.length < MOST_NOTES) report.notes.push(one);
}

type LocalFile = { path: string; name: string; size: number };

/** Some files of one folder, or none if it is empty. */
type LocalPiece = {
  /** The names of the folders from the top folder to this one. */
  names: readonly string[];
  files: readonly LocalFile[];
};

type WalkSettings = {
  /** Whether symbolic links are followed. Otherwise they are left out. */
  follow: boolean;
  /** Gets each path that is left out because of what it is. */
  onLeftOut(path: string, reason: string): void;
  /** Gets each path that can't be read. */
  onUnreadable(path: string, reason: string): void;
};

/** The most files of a piece. */
const PIECE = 256;

/** Yields the folder and those inside it, a folder before its content. Holds the names of one folder for each level. */
async function* localPieces(top: string, settings: WalkSettings): AsyncGenerator<LocalPiece, void> {
  yield* piecesOf({ path: top, names: [], around: new Set() }, settings);
}

type Place = { path: string; names: readonly string[]; around: ReadonlySet<string> };

async function* piecesOf(
  { path, names, around }: Place,
  settings: WalkSettings,
): AsyncGenerator<LocalPiece, void> {
  const { follow, onLeftOut, onUnreadable } = settings;
  const look = follow ? stat : lstat;
  const folders: string[] = [];
  let files: LocalFile[] = [];
  let within: ReadonlySet<string>;
  let isYielded = false;
  try {
    const own = await stat(path);
    const key = `${own.dev}:${own.ino}`;
    if (around.has(key)) return onLeftOut(path, "leads back to a folder around it");
    within = new Set([...around, key]);
    for await (const { name } of await opendir(path)) {
      const one = join(path, name);
      const found = await look(one).catch((error: unknown) => void onUnreadable(one, readTrouble(error)));
      if (found === undefined) continue;
      if (found.isDirectory()) folders.push(name);
      else if (found.isFile()) files.push({ path: one, name, size: found.size });
      else if (found.isSymbolicLink()) onLeftOut(one, "is a symbolic link");
      else onLeftOut(one, "is neither a file nor a folder");
      if (files.length < PIECE) continue;
      isYielded = true;
      yield { names, files };
      files = [];
    }
  } catch (error) {
    return onUnreadable(path, readTrouble(error));
  }
  if (files.length > 0 || !isYielded) yield { names, files };
  for (const name of folders) {
    yield* piecesOf({ path: join(path, name), names: [...names, name], around: within }, settings);
  }
}
