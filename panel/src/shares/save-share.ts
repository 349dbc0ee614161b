import type { Share } from "../base/api.ts";
import { changeCode, changeShare, openBox, shareItem } from "./share-queries.ts";
import {
  changeOf,
  linkChangeOf,
  newBoxOf,
  newShareOf,
  type ShareSubject,
  type ShareUse,
  type ShareValues,
} from "./share-values.ts";

export type SavedShare = {
  code: string;
  /** The new use. */
  use: ShareUse;
  /** Null: it existed before. */
  made: Share | null;
};

/** Sends the given values, or those that differ. */
export async function saveShare(
  subject: ShareSubject,
  before: ShareValues,
  after: ShareValues,
): Promise<SavedShare> {
  if (subject.form === "new") {
    const item = after.item!;
    const made =
      after.use === "drop"
        ? await openBox(item.id, newBoxOf(after))
        : await shareItem(item, newShareOf(after));
    return { code: made.code, use: after.use, made };
  }
  const change = changeOf(before, after);
  if (subject.form === "edit") {
    if (Object.keys(change).length > 0) await changeShare(subject.share.code, change);
    return { code: subject.share.code, use: after.use, made: null };
  }
  const { code } = subject.link;
  const rest = linkChangeOf(change);
  if (Object.keys(rest).length > 0) await changeCode(code, rest);
  // A link has no downloads, but the share that it has become does.
  const { max_downloads: most } = change;
  if (most !== undefined && after.use !== "url") await changeShare(code, { max_downloads: most });
  return { code, use: after.use, made: null };
}
