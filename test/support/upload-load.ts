/**
 * Uploads while faults happen, in forms and resumable, and the record to check the server against. A file that was
 * answered is there. Every file there has the bytes that were sent. A resumable upload continues from at least the last
 * offset that was answered, and ends with its bytes.
 */
import { randomBytes } from "node:crypto";
import { inParallel } from "../../src/lib/in-parallel.ts";
import { addOne } from "./click-tally.ts";
import type { DriveClient } from "./drive.ts";
import { createFolderOn, type StorageName, storagesFor } from "./storages.ts";
import { type TusCalls, tusCalls } from "./tus-calls.ts";

const LARGEST_BYTES = 2 * 1024 * 1024;
const RESUMABLE_BYTES = 12 * 1024 * 1024;
const PATCH_BYTES = 512 * 1024;
const PAUSE_MS = 100;
/** A call that takes longer counts as not answered. */
const CALL_MS = 30_000;
/** Longer than the lease of an upload whose request could not return it. */
const FINISH_MS = 60_000;
const READ_AT_ONCE = 4;
/** Characters of a refusal that are kept. */
export const SAID = 240;

/** A resumable upload, and how many of its bytes were answered. */
type Resumable = { name: string; path: string; bytes: Buffer<ArrayBuffer>; offset: number };

export type UploadRecord = {
  /** SHA-256 of everything that was sent, by file name. */
  tried: Map<string, string>;
  answered: Set<string>;
  unfinished: Resumable[];
  /** How often resumable uploads continued after a call failed. */
  resumed: number;
  /** Calls that the server refused for now: 502, 503, 507, and 409 or 423 of resumable uploads. Nothing of them may count. */
  refused: number;
  /** What the refusals said, and how often. */
  refusals: Map<string, number>;
  /** Calls without an answer: the server died, or refused a body that the client was still sending. */
  broken: number;
  /** Whether a resumable upload may expire: 410, or 404 later, is a refusal then, and ends it. */
  mayExpire: boolean;
  expired: Set<string>;
  /** Lost offsets, and other answers. */
  wrong: string[];
};

export const createUploadRecord = (mayExpire = false): UploadRecord => ({
  tried: new Map(),
  answered: new Set(),
  unfinished: [],
  resumed: 0,
  refused: 0,
  refusals: new Map(),
  broken: 0,
  mayExpire,
  expired: new Set(),
  wrong: [],
});

/** A new folder on that storage; `local` is the absolute path of a policy that replaces the default one. */
export function createUploadFolder(me: DriveClient, storage: StorageName, local?: string): Promise<number> {
  const [, s3] = storagesFor("faults").find(([name]) => name === storage)!;
  const shared = local === undefined ? null : { name: "shared", driver_type: "local", base_path: local };
  return createFolderOn(me, storage, s3 ?? shared);
}

export type UploadOptions = {
  clients: readonly DriveClient[];
  folder: number;
  record: UploadRecord;
  /** Between an answer and the next file or resumption. */
  pauseMs?: number;
};

/** Each client sends forms one after the other; the first one continues resumable uploads instead. */
export function startUploads(options: UploadOptions): { end(): Promise<void> } {
  const { clients, folder, record, pauseMs = 0 } = options;
  const state = { isOver: false };
  const running = clients.map(async (me, at) => {
    const calls = createCalls(me, folder, record);
    while (!state.isOver) {
      await (at === 0 ? calls.sendPieces(state) : calls.sendForm());
      await Bun.sleep(pauseMs);
    }
  });
  return {
    async end() {
      state.isOver = true;
      await Promise.all(running);
    },
  };
}

function createCalls(me: DriveClient, folder: number, record: UploadRecord) {
  const tus: TusCalls = tusCalls(me, CALL_MS);

  /** Null without success. */
  async function succeeded(name: string, calling: Promise<Response>): Promise<Response | null> {
    const answer = await calling.catch(String);
    if (typeof answer !== "string" && answer.ok) return answer;
    const isExpired = record.mayExpire && typeof answer !== "string" && [404, 410].includes(answer.status);
    if (isExpired) record.expired.add(name);
    if (typeof answer === "string") record.broken++;
    else if (
      isExpired ||
      [502, 503, 507].includes(answer.status) ||
      (isResumable(name) && [409, 423].includes(answer.status))
    )
      noteRefusal(record, answer.status, await answer.text().catch(String));
    else record.wrong.push(`${name}: ${answer.status} ${await answer.text().catch(String)}`);
    await Bun.sleep(PAUSE_MS);
    return null;
  }

  async function begin(): Promise<Resumable | null> {
    const { name, bytes } = made("resumable", RESUMABLE_BYTES, record);
    const answer = await succeeded(name, tus.begin(name, bytes.length, folder));
    const path = answer?.headers.get("Location");
    return path ? { name, path, bytes, offset: 0 } : null;
  }

  /** Asks for the offset, then sends pieces until a call fails. Returns whether all bytes were answered. */
  async function proceed(upload: Resumable, state: { isOver: boolean }): Promise<boolean> {
    const { name, path, bytes } = upload;
    let answer = await succeeded(name, tus.head(path));
    for (let known = upload.offset; answer !== null; known = upload.offset) {
      upload.offset = Number(answer.headers.get("Upload-Offset"));
      if (!(upload.offset >= known))
        record.wrong.push(`${name}: ${upload.offset} of ${known} answered bytes`);
      if (upload.offset === bytes.length) return true;
      if (state.isOver) return false;
      const piece = bytes.subarray(upload.offset, upload.offset + PATCH_BYTES);
      answer = await succeeded(name, tus.patch(path, upload.offset, piece));
    }
    return false;
  }

  return {
    async sendForm(): Promise<void> {
      const { name, bytes } = made("form", 1 + Math.floor(Math.random() ** 3 * LARGEST_BYTES), record);
      const form = new FormData();
      form.set("file", new File([bytes], name), name);
      const path = `/files/upload?folder_id=${folder}`;
      const init = { method: "POST", body: form, signal: AbortSignal.timeout(CALL_MS) };
      if ((await succeeded(name, me.send(path, init))) !== null) record.answered.add(name);
    },
    /** Continues the upload that waits longest, or begins one. */
    async sendPieces(state: { isOver: boolean }): Promise<void> {
      const waiting = record.unfinished.shift();
      if (waiting !== undefined) record.resumed++;
      const upload = waiting ?? (await begin());
      if (upload === null) return;
      if (await proceed(upload, state)) record.answered.add(upload.name);
      else if (!record.expired.has(upload.name)) record.unfinished.push(upload);
    },
  };
}

function noteRefusal(record: UploadRecord, status: number, text: string): void {
  record.refused++;
  addOne(record.refusals, `${status} ${text.slice(0, SAID)}`);
}

const isResumable = (name: string): boolean => name.startsWith("resumable");

function made(kind: string, length: number, record: UploadRecord) {
  const bytes = randomBytes(length) as Buffer<ArrayBuffer>;
  const name = `${kind}-${record.tried.size}`;
  record.tried.set(name, sha256(bytes));
  return { name, bytes };
}

/** Finishes the resumable uploads, reads every file, and returns a line for each that is lost or wrong. */
export async function checkUploads(me: DriveClient, folder: number, record: UploadRecord): Promise<string[]> {
  const calls = createCalls(me, folder, record);
  const end = performance.now() + FINISH_MS;
  while (record.unfinished.length > 0 && performance.now() < end) await calls.sendPieces({ isOver: false });
  const lost = record.unfinished.map(
    ({ name, offset }) => `${name}: cannot be finished after byte ${offset}`,
  );
  const { files } = (await me.call("GET", `/folders/${folder}`)).body.data as { files: StoredFile[] };
  const names = new Set(files.map(({ name }) => name));
  for (const name of record.answered) if (!names.has(name)) lost.push(`${name}: answered, and not there`);
  await inParallel(files, READ_AT_ONCE, async ({ id, name }) => {
    let answer = await me.send(`/files/${id}/download`);
    // On a machine that is too busy the database may be silent for a moment.
    for (; answer.status === 503 && performance.now() < end; answer = await me.send(`/files/${id}/download`))
      await Bun.sleep(PAUSE_MS);
    const found = sha256(await answer.bytes());
    if (answer.status !== 200 || found !== record.tried.get(name))
      lost.push(`${name}: ${answer.status}, SHA-256 ${found}`);
  });
  return [...lost, ...record.wrong];
}

type StoredFile = { id: number; name: string };

const sha256 = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
