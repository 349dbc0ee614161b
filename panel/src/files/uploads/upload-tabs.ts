/**
 * Which tab runs which upload. A tab holds a lock while it lives. Another tab takes over the uploads of a closed one.
 */
import { randomName } from "../../base/random-name.ts";
import { isMoving, type UploadRecord } from "./upload-record.ts";
import { forgetRecords, keptBytes, readRecords, saveRecords } from "./upload-store.ts";
import { itemOf, setItem } from "./upload-list.ts";
import { storedBytes } from "./upload-transfer.ts";
import { sourceFile } from "./upload-source.ts";
import { giveFile, heldFile, restUploads, stopUploads } from "./uploads.ts";

const LOCK = "waymark-upload-tab";
/** Missing over plain HTTP. Then only one tab should upload. */
const LOCKS = "locks" in navigator;

let mine: Promise<string> | undefined;
let account: string | undefined;
let isAway = false;

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

/** Until an account takes them over, the same one or another. */
export function leaveUploads(): void {
  isAway = true;
  restUploads();
}

/** When an account has signed in. Forgets uploads of other accounts: this browser is no longer theirs. */
export async function takeOverUploads(name: string): Promise<void> {
  if (account === name && !isAway) return;
  if (account !== undefined && account !== name) stopUploads();
  isAway = false;
  account = name;
  const records = await readRecords();
  await forgetRecords(records.filter((record) => record.account !== name).map(({ id }) => id));
  const own = await tabName();
  const left = records.filter((record) => record.account === name);
  for (const record of left) if (record.tab === own) await takeUp(record);
  const others = new Set(left.map(({ tab }) => tab));
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
  const kept = heldFile(record.id) ?? (await keptBytes(record.id));
  // What was added meanwhile runs already.
  if (isAway || record.account !== account || itemOf(record.id) !== undefined) return;
  const file = kept ?? (await sourceFile(record, false));
  const asks = record.source !== null && file === null;
  setItem({ record, state: asks ? "asks" : "again", sent: 0, problem: "" });
  if (file !== null) giveFile(record.id, file);
  void showStored(record);
}

/** One that continues by itself asks the server anyway. */
async function showStored({ id, tusId }: UploadRecord): Promise<void> {
  const resting = () => {
    const item = itemOf(id);
    return item === undefined || isMoving(item) ? null : item;
  };
  if (tusId === null || resting() === null) return;
  const sent = await storedBytes(tusId);
  const item = resting();
  if (sent !== null && item !== null) setItem({ ...item, sent });
}
