/**
 * Which tab runs which upload. A tab holds a lock while it lives. Another tab takes over the uploads of a closed one.
 */
import { randomName } from "../../app/random-name.ts";
import type { UploadRecord } from "./upload-record.ts";
import { forgetRecords, keptBytes, readRecords, saveRecords } from "./upload-store.ts";
import { setItem } from "./upload-list.ts";
import { sourceFile } from "./upload-source.ts";
import { giveFile, stopUploads } from "./uploads.ts";

const LOCK = "waymark-upload-tab";
/** Missing over plain HTTP. Then only one tab should upload. */
const LOCKS = "locks" in navigator;

let mine: Promise<string> | undefined;
let account: string | undefined;

/** Takes the lock of this tab, which the browser frees with the page. */
export function tabName(): Promise<string> {
  mine ??= new Promise((resolve) => {
    const name = `${LOCK} ${randomName()}`;
    if (!LOCKS) return resolve(name);
    void navigator.locks.request(name, () => {
      resolve(name);
      return new Promise(() => {});
    });
  });
  return mine;
}

/** Once per account. Forgets uploads of other accounts: this browser is no longer theirs. */
export async function takeOverUploads(name: string): Promise<void> {
  if (account === name) return;
  if (account !== undefined) stopUploads();
  account = name;
  const records = await readRecords();
  await forgetRecords(records.filter((record) => record.account !== name).map(({ id }) => id));
  const own = await tabName();
  const others = new Set(records.filter((record) => record.account === name).map(({ tab }) => tab));
  others.delete(own);
  // A living tab keeps its lock, so its turn comes when it closes.
  for (const tab of others) {
    void (LOCKS ? navigator.locks.request(tab, () => adopt(tab, own)) : adopt(tab, own));
  }
}

async function adopt(tab: string, own: string): Promise<void> {
  const left = (await readRecords()).filter((record) => record.tab === tab && record.account === account);
  const records = left.map((record) => ({ ...record, tab: own }));
  await saveRecords(records);
  for (const record of records) await takeUp(record);
}

async function takeUp(record: UploadRecord): Promise<void> {
  const kept = await keptBytes(record.id);
  const file = kept ?? (await sourceFile(record, false));
  const asks = record.source !== null && file === null;
  setItem({ record, state: asks ? "asks" : "again", sent: 0, problem: "" });
  if (file !== null) giveFile(record.id, file);
}
