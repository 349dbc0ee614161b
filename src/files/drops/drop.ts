/** A drop box: a row of `shares` whose entry is the folder that takes the files of strangers. */
import { appError } from "../../lib/errors.ts";
import type { DropLimits } from "../serving/served.ts";
import type { SharedEntry } from "../shares/share.ts";

/** The visitor's name in forms and Upload-Metadata. */
export const NAME_FIELD = "sender_name";

/** What the box received, including files that are gone. */
type Taken = { bytes: number; files: number };

/** For its visitors. `from`: who gets the files, if the box has a message. */
export type OpenDrop = DropLimits &
  Taken &
  Pick<SharedEntry, "linkId" | "code" | "title" | "message" | "from" | "createdAt" | "expiresAt"> &
  Pick<SharedEntry, "passwordHash" | "accountId"> & { folderId: number };

/** A file as its sender sees it. */
export type SentFile = { name: string; size: number; at: number };

const REFUSALS = {
  ended: ["NotFound", 410, "This drop box has ended. Nothing was stored."],
  full: ["Conflict", 409, "No more files can be added here. Nothing was stored."],
  room: ["FileTooLargeForPolicy", 413, "There is not enough room left here. Nothing was stored."],
  size: ["FileTooLargeForPolicy", 413, "A file is larger than allowed here. Nothing was stored."],
  busy: ["RateLimitExceeded", 429, "Others are sending files just now. Try again in a moment."],
  rate: ["RateLimitExceeded", 429, "You are sending too many files at once. Try again in a moment."],
} as const;

export type DropRefusal = keyof typeof REFUSALS;

/** For strangers: a sentence without private facts. */
export function dropRefusal(drop: DropRefusal, more: Record<string, unknown> = {}) {
  const [name, status, message] = REFUSALS[drop];
  const wait = status === 429 ? { retryAfterSeconds: 5 } : {};
  return appError(name, message, { details: { drop, status, ...wait, ...more } });
}

/** Bytes that it may still take. */
export const roomIn = ({ maxBytes, bytes }: OpenDrop): number => Math.max(0, maxBytes - bytes);
