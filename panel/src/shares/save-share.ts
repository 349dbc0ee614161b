import type { Share } from "../app/api.ts";
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
  /** From now on. */
  use: ShareUse;
  /** Null: it was there before. */
  made: Share | null;
};

/** Sends what was given, or what differs from before. */
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
  // A link knows no downloads: the share that it is now does.
  const { max_downloads: most } = change;
  if (most !== undefined && after.use !== "url") await changeShare(code, { max_downloads: most });
  return { code, use: after.use, made: null };
}
