/**
 * Uploads of this tab. A few run at once. Temporary failures (no network, a server that restarts, an ended session)
 * are retried for as long as it takes; a refusal shows the server's message. Records and bytes are in IndexedDB, so a
 * reload continues. A lock tells other tabs whether the tab that runs an upload still lives.
 */
import { ApiError } from "../../base/api.ts";
import { nameOfFile } from "../file-queries.ts";
import { numberedName } from "./free-names.ts";
import { allItems, changeItem, dropItems, itemOf, setItem, uploadRate } from "./upload-list.ts";
import type { UploadItem, UploadRecord } from "./upload-record.ts";
import { forgetRecords, freeBytes, keepBytes, saveRecords } from "./upload-store.ts";
import { beginAttempt } from "./upload-attempt.ts";
import { discard, transfer } from "./upload-transfer.ts";

const AT_ONCE = 3;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** Available bytes. */
const files = new Map<string, File>();
const keeping = new Map<string, Promise<void>>();
const running = new Map<string, AbortController>();
let onStored: (() => void) | null = null;
let isSomeStored = false;
/** Called after each stored file, and at once if one was stored before: who listens may load later. */
export function whenStored(tell: () => void): void {
  onStored = tell;
  if (isSomeStored) tell();
}

export function addUploads(added: readonly { record: UploadRecord; file: File }[]): void {
  let before: Promise<unknown> = saveRecords(added.map(({ record }) => record));
  for (const { record, file } of added) {
    files.set(record.id, file);
    const saved = before.then(() => keepBytes(record.id, file));
    keeping.set(record.id, saved);
    before = saved;
    setItem({ record, state: "queued", sent: 0, problem: "" });
  }
  startNext();
}

/** Continues with bytes that are available again. */
export function giveFile(id: string, file: File): void {
  const item = itemOf(id);
  if (item === undefined) return;
  files.set(id, file);
  changeItem(id, { state: item.record.isPaused ? "paused" : "queued", problem: "" });
  startNext();
}

/** Also after a rest. */
export const heldFile = (id: string): File | null => files.get(id) ?? null;
function update(id: string, next: Partial<UploadRecord>): void {
  const item = itemOf(id);
  if (item === undefined) return;
  const record = { ...item.record, ...next };
  changeItem(id, { record });
  void saveRecords([record]);
}

function startNext(): void {
  for (const { record, state } of allItems()) {
    if (running.size >= AT_ONCE) return;
    if (state === "queued" && files.has(record.id) && !running.has(record.id)) void run(record.id);
  }
}

async function run(id: string): Promise<void> {
  const stop = new AbortController();
  running.set(id, stop);
  try {
    await keeping.get(id);
    await untilStored(id, stop.signal);
  } finally {
    keeping.delete(id);
    running.delete(id);
    startNext();
  }
}

async function untilStored(id: string, signal: AbortSignal): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; !signal.aborted; ) {
    const item = itemOf(id);
    const file = files.get(id);
    if (item === undefined || file === undefined) return;
    changeItem(id, { state: "running", problem: "" });
    const attempt = beginAttempt(signal);
    // What an earlier attempt has sent says nothing about the rate.
    let before = item.record.tusId === null ? 0 : null;
    try {
      const fileId = await transfer(item.record, file, {
        signal: attempt.signal,
        onBegin: (tusId) => update(id, { tusId }),
        onProgress(sent) {
          attempt.touch();
          uploadRate.add(sent - (before ?? sent));
          before = sent;
          if (sent > (itemOf(id)?.sent ?? 0)) pause = FIRST_PAUSE_MS;
          changeItem(id, { sent });
        },
      });
      await settle(item, fileId);
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!attempt.signal.aborted && !mayPass(id, error)) return;
      changeItem(id, { state: "waiting", problem: error instanceof ApiError ? error.message : "" });
      await rest(pause, signal);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    } finally {
      attempt.end();
    }
  }
}

/** Whether the next try may succeed; prepares it. False ends the upload. */
function mayPass(id: string, error: unknown): boolean {
  const { record } = itemOf(id)!;
  const failure = error instanceof ApiError ? error : new ApiError(-1, { message: String(error) });
  const { status } = failure;
  if (failure.error === "NameConflict") {
    update(id, { name: numberedName(record.name), tusId: null });
    return true;
  }
  // It expired, or the storage changed.
  if (record.tusId !== null && (status === 404 || status === 410)) {
    update(id, { tusId: null });
    changeItem(id, { sent: 0 });
    return true;
  }
  const isOtherOffset = status === 409;
  if (isOtherOffset || status === 0 || [401, 423, 429].includes(status) || status >= 500) return true;
  changeItem(id, { state: "failed", problem: failure.message });
  return false;
}

/** Until the pause is over or the network is back. */
const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    addEventListener("online", end, { once: true });
    signal.addEventListener("abort", end, { once: true });
  });

async function settle({ record }: UploadItem, fileId: number | null): Promise<void> {
  const { id, finalName } = record;
  let storedAs: string | undefined;
  if (fileId !== null) {
    // The server numbers a name that was taken meanwhile.
    const name = await nameOfFile(fileId);
    if (name !== null && name !== finalName) storedAs = name;
  }
  changeItem(id, { state: "done", sent: record.size, problem: "", ...(storedAs && { storedAs }) });
  forget(id);
  isSomeStored = true;
  onStored?.();
}

function forget(id: string): void {
  const file = files.get(id);
  if (file !== undefined) freeBytes(file.size);
  files.delete(id);
  void (keeping.get(id) ?? Promise.resolve()).then(() => forgetRecords([id]));
}

export function pauseUpload(id: string): void {
  changeItem(id, { state: "paused" });
  update(id, { isPaused: true });
  running.get(id)?.abort();
}

export function resumeUpload(id: string): void {
  update(id, { isPaused: false });
  changeItem(id, { state: files.has(id) ? "queued" : "again", problem: "" });
  startNext();
}

/** Removes everything of it, here and on the server. */
export function cancelUpload(id: string): void {
  const tusId = itemOf(id)?.record.tusId ?? null;
  const isDone = itemOf(id)?.state === "done";
  running.get(id)?.abort();
  forget(id);
  dropItems([id]);
  if (tusId !== null && !isDone) void discard(tusId);
}

/** Removes finished uploads from the list. */
export function clearUploads(): void {
  for (const { record, state } of allItems()) {
    if (state === "failed") cancelUpload(record.id);
    if (state === "done") dropItems([record.id]);
  }
}

/** Nobody is signed in: nothing is sent, and what is there is held for the same account. */
export function restUploads(): void {
  for (const attempt of running.values()) attempt.abort();
  dropItems(allItems().map(({ record }) => record.id));
}

/** Another account has signed in. */
export function stopUploads(): void {
  restUploads();
  files.clear();
}
