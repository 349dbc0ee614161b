/** What a code is to serve, as a request gives it, and what it serves then. */
import { appError, badField, AppError } from "../../lib/errors.ts";
import type { Actor } from "../../lib/actor.ts";
import { internalTarget, readInternalTarget } from "../../links/link/internal-target.ts";
import type { PatchInput, UsesInput } from "../../links/link/link.ts";
import { type AccountTree, nullIfNoFolder, type TreeTransaction } from "../tree/account-tree.ts";
import {
  addingAfter,
  type AddingInput,
  isDropBox,
  notAFolder,
  type Serving,
  type CodeUse,
  type UsedItems,
} from "./served.ts";
import {
  NO_RECIPIENTS,
  type RecipientInput,
  type Recipients,
  pastRecipients,
} from "../recipients/recipients.ts";
import { z } from "zod";
import { ASKS_NOTHING, asksAfter } from "../../links/link/drop-fields.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { type Entry, isLinked, noUploadsThere } from "../tree/entry.ts";
import type { PathsRepository } from "../tree/paths.repository.ts";

/** Absent: unchanged. */
export type ShareChange = UsesInput &
  Pick<PatchInput, "target" | "expires_at" | "password" | "title"> & {
    max_downloads?: number | null | undefined;
  } & AddingInput &
  RecipientInput;

/** Locked until the transaction ends. `serves`: null if it redirects. */
export type HeldLink = { target: string; ownerId: number | null; serves: Serving | null };

export type Plan = {
  actor: Actor;
  accountId: number;
  /** What the code is to serve; null keeps it. */
  use: CodeUse | null;
  maxDownloads: number | null | undefined;
  /** Absent: what the folder takes stays. */
  adding?: AddingInput | undefined;
  /** What it audienceAfter to whom, after the change. */
  audienceAfter(before: Recipients): Recipients;
  /** New recipients get a mail. */
  invites: boolean;
  /** Before the change. */
  isShare: boolean;
  isOwner(link: HeldLink): boolean;
};

/** A change that leaves message and recipients as they are. */
export const QUIET = { audienceAfter: (before: Recipients) => before, invites: false };

/** @param other what has no recipients @throws BadRequest */
function audienceFor(
  audienceAfter: Plan["audienceAfter"],
  { message, verify, recipients }: Recipients,
  other: "a drop box" | "a URL" | null,
): Recipients {
  if (other === null) return audienceAfter({ message, verify, recipients });
  const isBox = other === "a drop box";
  const audience = audienceAfter({ ...NO_RECIPIENTS, message, ...(isBox && { recipients }) });
  const field = audience.verify
    ? "verify"
    : audience.recipients.length > 0 && !isBox
      ? "recipients"
      : other === "a URL" && audience.message !== null
        ? "message"
        : null;
  if (field === null) return audience;
  throw badField(field, `${field} is for shared files and folders, not for ${other}.`);
}

/** Plans what a code serves after a change; null for a URL. */
export function createServingAfter(tree: Pick<AccountTree, "entry">, items: SharedItems) {
  /** One in the trash takes nothing either. @throws Forbidden */
  async function refuseLinked(accountId: number, folderId: number, db: Db): Promise<void> {
    const folder = await tree.entry(accountId, { kind: "folder", id: folderId }, db).catch(nullIfNoFolder);
    if (folder !== null && isLinked(folder)) throw noUploadsThere();
  }

  return async function servingAfter(
    tx: TreeTransaction,
    accountId: number,
    held: HeldLink,
    { use, maxDownloads, adding, audienceAfter }: Plan,
  ): Promise<{ serving: Serving; target: string } | null> {
    const { serves } = held;
    const limit = maxDownloads === undefined ? (serves?.maxDownloads ?? null) : maxDownloads;
    const audienceBefore = serves ?? NO_RECIPIENTS;
    const adds = adding?.add === true;
    if (use === null && serves !== null) {
      if (isDropBox(serves.drop) && limit !== null) throw noDownloads("a drop box");
      const drop = adding === undefined ? serves.drop : addingAfter(serves.drop, adding);
      const isFolder = readInternalTarget(held.target)?.kind === "folder";
      if (adds && isFolder) await refuseLinked(accountId, serves.entryId, tx.db);
      const isOther = !isFolder && !isDropBox(serves.drop);
      if (adding !== undefined && isOther && (drop ?? serves.drop) !== null) throw notAFolder();
      const audience = audienceFor(audienceAfter, serves, isDropBox(drop) ? "a drop box" : null);
      return { serving: { ...serves, ...audience, maxDownloads: limit, drop }, target: "" };
    }
    if (use === null || use.kind === "url") {
      if (typeof maxDownloads === "number") throw noDownloads("a URL");
      if (adds) throw notAFolder();
      audienceFor(audienceAfter, NO_RECIPIENTS, "a URL");
      return null;
    }
    if (use.kind === "items") {
      if (adds) throw notAFolder();
      const ids = await items.checked(accountId, use.items, tx.db);
      const audience = audienceFor(audienceAfter, audienceBefore, null);
      const serving = {
        ...audience,
        accountId,
        entryId: ids[0]!,
        items: ids,
        maxDownloads: limit,
        drop: null,
      };
      return { serving, target: internalTarget("items", 0) };
    }
    const { place } = use;
    if (adds && (use.drop !== null || place.kind === "file")) throw notAFolder();
    const drop = adding === undefined ? use.drop : (use.drop ?? addingAfter(null, adding));
    const isDrop = isDropBox(drop);
    const entry = await tree.entry(accountId, place, tx.db);
    if (drop !== null && isLinked(entry)) throw noUploadsThere();
    if (isDrop && typeof maxDownloads === "number") throw noDownloads("a drop box");
    const audience = audienceFor(audienceAfter, audienceBefore, isDrop ? "a drop box" : null);
    const of = { accountId, entryId: entry.id, items: null };
    const serving = { ...audience, ...of, maxDownloads: isDrop ? null : limit, drop };
    return { serving, target: internalTarget(isDrop ? "drop" : entry.kind, entry.id) };
  };
}

/** @throws BadRequest for more than one use */
export function parseUse({
  target,
  file_id: fileId,
  folder_id: folderId,
  drop,
  items,
}: ShareChange): CodeUse | null {
  const uses: CodeUse[] = [];
  if (target !== undefined) uses.push({ kind: "url" });
  if (fileId !== undefined) uses.push({ kind: "entry", place: { kind: "file", id: fileId }, drop: null });
  if (folderId !== undefined) {
    uses.push({ kind: "entry", place: { kind: "folder", id: folderId }, drop: null });
  }
  if (drop !== undefined) {
    const { max_bytes: maxBytes, max_files: maxFiles, max_file_size: maxFileSize = null } = drop;
    const limits = { maxBytes, maxFiles, maxFileSize, isTwoWay: false, ...asksAfter(ASKS_NOTHING, drop) };
    uses.push({ kind: "entry", place: { kind: "folder", id: drop.folder_id }, drop: limits });
  }
  if (items !== undefined) uses.push({ kind: "items", items: { ids: idsOfItems(items), isPast: false } });
  if (uses.length <= 1) return uses[0] ?? null;
  throw appError(
    "BadRequest",
    "A code serves one thing: give only one of target, file_id, folder_id, drop and items.",
  );
}

const noDownloads = (what: string) =>
  badField("max_downloads", `max_downloads is for shared files and folders, not for ${what}.`);

/** As `servedFields` writes them to events. */
const pastLimits = z.object({
  max_downloads: z.int().nullish().default(null),
  max_bytes: z.int().nullish(),
  max_files: z.int().nullish(),
  max_file_size: z.int().nullish().default(null),
  require: z.enum(["name", "email"]).nullish().default(null),
  sender_folders: z.boolean().nullish(),
  types: z.array(z.string()).nullish(),
  items: z.array(z.int()).nullish(),
});

type PastUse = { use: Exclude<CodeUse, { kind: "url" }>; maxDownloads: number | null; audience: Recipients };

/** What a code served in a state of its history, which its events gave; null for a URL. */
export function pastUse(target: string, state: Readonly<Record<string, unknown>>): PastUse | null {
  const served = readInternalTarget(target);
  if (served === null || served.kind === "report") return null;
  const limits = pastLimits.parse(state);
  const audience = pastRecipients(state);
  if (served.kind === "items") {
    const items = { ids: limits.items ?? [], isPast: true };
    return { use: { kind: "items", items }, maxDownloads: limits.max_downloads, audience };
  }
  const isDrop = served.kind === "drop";
  const drop = {
    maxBytes: limits.max_bytes ?? 0,
    maxFiles: limits.max_files ?? 0,
    maxFileSize: limits.max_file_size,
    requires: limits.require,
    senderFolders: limits.sender_folders ?? false,
    types: limits.types ?? [],
    isTwoWay: !isDrop,
  };
  const place = { kind: served.kind === "file" ? served.kind : "folder", id: served.id } as const;
  return {
    use: { kind: "entry", place, drop: isDrop || drop.maxFiles > 0 ? drop : null },
    maxDownloads: isDrop ? null : limits.max_downloads,
    audience,
  };
}

export const servedThen = (why: string): AppError =>
  appError("Conflict", `What this code served then ${why}.`);

export const isGone = (error: unknown): boolean =>
  error instanceof AppError && (error.name === "FileNotFound" || error.name === "FolderNotFound");

/** Ascending, each once. */
export const idsOfItems = (items: NonNullable<UsesInput["items"]>): number[] =>
  [...new Set(items.map(({ file_id, folder_id }) => (file_id ?? folder_id)!))].sort((a, b) => a - b);

type ItemsDeps = {
  repository: {
    entriesOf(ids: readonly number[], db?: Db): Promise<Entry[]>;
  };
  paths: Pick<PathsRepository, "pathsOf">;
};

export type SharedItems = ReturnType<typeof createSharedItems>;

/** Several files and folders that are one share. They stay where they are. */
export function createSharedItems({ repository, paths }: ItemsDeps) {
  /** Those of the account that are not in the trash or being removed. */
  async function found(accountId: number, ids: readonly number[], db?: Db): Promise<Entry[]> {
    if (ids.length === 0) return [];
    const entries = (await repository.entriesOf(ids, db)).filter((entry) => entry.accountId === accountId);
    const reached = await paths.pathsOf(
      accountId,
      entries.map(({ parentId }) => parentId),
      db,
    );
    return entries.filter(({ parentId }) => reached.has(parentId));
  }

  return {
    found,

    /** The ids, ascending. @throws FileNotFound if one is missing; of a past state, if all are */
    async checked(accountId: number, { ids, isPast }: UsedItems, db: Db): Promise<number[]> {
      const known = new Set((await found(accountId, ids, db)).map((entry) => entry.id));
      const missing = ids.find((one) => !known.has(one));
      if (known.size === 0 || (missing !== undefined && !isPast)) {
        throw appError("FileNotFound", `There is no file or folder with the id ${missing ?? 0}.`);
      }
      return ids.filter((one) => known.has(one));
    },
  };
}
