import { ApiError, type Share, type ShareUpdate } from "../../base/api.ts";
import { changedSince, withWayBack } from "../../base/link-states.ts";
import {
  changeCode,
  changeShare,
  folderForShare,
  openBox,
  readShare,
  removeFolder,
  shareItem,
  shareItems,
} from "../share-queries.ts";
import type { SharedItem } from "../share-search.ts";
import {
  changeOf,
  chosenItems,
  isOtherUse,
  linkChangeOf,
  newBoxOf,
  newFolderShareOf,
  newShareOf,
  type ShareSubject,
  type ShareUse,
  type ShareValues,
  valuesOfSubject,
} from "./share-values.ts";

export type SavedShare = {
  code: string;
  /** The new use. */
  use: ShareUse;
  /** Null: it existed before. */
  made: Share | null;
  /** Null: nothing has changed that could be restored. */
  undo: (() => Promise<unknown>) | null;
};

type Surroundings = {
  team: string | undefined;
  /** The name of a folder that a drop box gets. */
  placeName: string;
  /** The folder that a failed attempt has made. */
  spare: { current: SharedItem | null };
};

/** Sends the given values, or those that differ. */
export async function saveShare(
  subject: ShareSubject,
  before: ShareValues,
  after: ShareValues,
  surroundings: Surroundings,
): Promise<SavedShare> {
  if (subject.form === "new") {
    const made = await makeShare(after, surroundings);
    return { code: made.code, use: after.use, made, undo: null };
  }
  const { code } = subject.form === "edit" ? subject.share : subject.link;
  const change = changeOf(before, after);
  const kept = { code, use: after.use, made: null };
  if (Object.keys(change).length === 0) return { ...kept, undo: null };
  const losesPassword = change.password !== undefined && before.isProtected;
  const canGoBack = isOtherUse(change) || !losesPassword;
  // The history knows the items.
  const isOfItems = isOtherUse(change) && (before.use === "items" || after.use === "items");
  if (subject.form === "edit" && after.use !== "url" && !isOfItems) {
    const saved = await changeShare(code, change);
    return { ...kept, undo: canGoBack ? () => setShareBack(saved, before) : null };
  }
  // A URL has options that no form of shares knows, so the history restores it.
  const { undo } = await withWayBack<unknown>({ code, domain: undefined }, () =>
    subject.form === "edit" ? changeShare(code, change) : changeLink(code, change, after.use),
  );
  return { ...kept, undo: canGoBack ? undo : null };
}

function makeShare(after: ShareValues, surroundings: Surroundings): Promise<Share> {
  const { use, item } = after;
  if (use === "drop")
    return item?.kind === "folder" ? openBox(item.id, newBoxOf(after)) : openBoxInNew(after, surroundings);
  const [first, ...others] = chosenItems(after);
  return others.length > 0
    ? shareItems([first!, ...others], newShareOf(after))
    : shareItem(first!, newFolderShareOf(after));
}

/** A refused box leaves no folder. After other failures the next attempt takes the same one. @throws ApiError */
async function openBoxInNew(after: ShareValues, { team, placeName, spare }: Surroundings): Promise<Share> {
  spare.current ??= await folderForShare(after.title.trim() || placeName, team);
  const { id } = spare.current;
  try {
    const made = await openBox(id, newBoxOf(after));
    spare.current = null;
    return made;
  } catch (error) {
    const isRefused = error instanceof ApiError && error.status >= 400 && error.status < 500;
    if (isRefused) {
      const isRemoved = await removeFolder(id).then(
        () => true,
        () => false,
      );
      if (isRemoved) spare.current = null;
    }
    throw error;
  }
}

async function changeLink(code: string, change: ShareUpdate, use: ShareUse): Promise<void> {
  const rest = linkChangeOf(change);
  if (Object.keys(rest).length > 0) await changeCode(code, rest);
  // What no link has, the share that it has become does.
  const more = Object.entries(change).filter(([name]) => !(name in rest));
  if (more.length > 0 && use !== "url") await changeShare(code, Object.fromEntries(more));
}

/** @throws ApiError if somebody has changed the share since */
async function setShareBack(saved: Share, before: ShareValues): Promise<void> {
  const valuesOf = (share: Share): ShareValues => valuesOfSubject({ form: "edit", share });
  const [now, then] = [valuesOf(await readShare(saved.code)), valuesOf(saved)];
  if (JSON.stringify(now) !== JSON.stringify(then)) throw changedSince(saved.code);
  await changeShare(saved.code, changeOf(then, before));
}
