/** A drop box: a row of `shares` whose entry is the folder that takes the files of strangers. */
import { appError } from "../../lib/errors.ts";
import type { DropLimits } from "../serving/served.ts";

/** The visitor's name in forms and Upload-Metadata. */
export const NAME_FIELD = "sender_name";

/** What the box received, including files that are gone. */
type Taken = { bytes: number; files: number };

/** For its visitors. */
export type OpenDrop = DropLimits &
  Taken & {
    linkId: number;
    code: string;
    title: string | null;
    message: string | null;
    /** The account or team that gets the files, if the box has a message; as of shares (`shares/share.ts`). */
    from: string | null;
    createdAt: number;
    expiresAt: number | null;
    passwordHash: string | null;
    folderId: number;
    accountId: number;
  };

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
