/** Records and bytes of uploads in IndexedDB. If the browser has no room, nothing is kept, and uploads continue. */
import type { UploadRecord } from "./upload-record.ts";

export const UPLOADS_DATABASE = "waymark-uploads";
const RECORDS = "records";
const BYTES = "bytes";
/** Larger files are read again from their place on disk. */
export const MOST_KEPT_BYTES = 256 * 1024 * 1024;
const MOST_KEPT_TOGETHER = 1024 * 1024 * 1024;

let opened: Promise<IDBDatabase> | undefined;
/** Of all files that this tab has kept. */
let kept = 0;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(UPLOADS_DATABASE, 1);
    request.addEventListener("upgradeneeded", () => {
      request.result.createObjectStore(RECORDS, { keyPath: "id" });
      request.result.createObjectStore(BYTES);
    });
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("no IndexedDB")));
  });
  return opened;
}

async function change(run: (records: IDBObjectStore, bytes: IDBObjectStore) => void): Promise<void> {
  const transaction = (await open()).transaction([RECORDS, BYTES], "readwrite");
  run(transaction.objectStore(RECORDS), transaction.objectStore(BYTES));
  await new Promise<void>((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", () => reject(transaction.error ?? new Error("refused")));
  });
}

async function read<T>(store: string, ask: (store: IDBObjectStore) => IDBRequest): Promise<T> {
  const request = ask((await open()).transaction(store).objectStore(store));
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result as T));
    request.addEventListener("error", () => reject(request.error ?? new Error("refused")));
  });
}

/** Whether it is kept. */
const tryTo = (work: Promise<void>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

export const saveRecords = (records: readonly UploadRecord[]): Promise<boolean> =>
  tryTo(change((store) => records.forEach((record) => store.put(record))));

export const forgetRecords = (ids: readonly string[]): Promise<boolean> =>
  tryTo(
    change((records, bytes) => {
      for (const id of ids) {
        records.delete(id);
        bytes.delete(id);
      }
    }),
  );

export const readRecords = (): Promise<UploadRecord[]> =>
  read<UploadRecord[]>(RECORDS, (store) => store.getAll()).catch(() => []);

/** A copy of the file, if it is not too large. */
export async function keepBytes(id: string, file: File): Promise<void> {
  if (file.size > MOST_KEPT_BYTES || kept + file.size > MOST_KEPT_TOGETHER) return;
  kept += file.size;
  const isKept = await tryTo(change((_, bytes) => bytes.put(file, id)));
  if (!isKept) kept -= file.size;
}

export const keptBytes = (id: string): Promise<File | undefined> =>
  read<File | undefined>(BYTES, (store) => store.get(id)).catch(() => undefined);

/** They no longer count. */
export function freeBytes(size: number): void {
  if (size <= MOST_KEPT_BYTES) kept = Math.max(0, kept - size);
}
