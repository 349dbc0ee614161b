/**
 * What an import knows of another product. A reader streams: it holds one record at a time, bounds it, and gives the
 * event loop a turn. The same source has the same places each time, so that a killed import continues.
 */
import type { Outbound } from "../../../lib/outbound.ts";
import { csvLine } from "../../../lib/csv.ts";

export type Reader = {
  /** The name of the product. */
  title: string;
  /** What SOURCE may be; a folder on the command line only. */
  takes: readonly ("file" | "folder" | "address")[];
  /** The schemes of addresses that it takes, without the colon. */
  schemes?: readonly string[];
  needsKey?: boolean;
  /** Sentences: what the product does not export, or Waymark has no place for. */
  notImported: readonly string[];
  /** @throws AppError that explains what to do */
  open(input: SourceInput): Promise<Source>;
};

export type SourceInput = {
  /** A path or a URL. */
  source: string;
  key: string | null;
  /** Our columns to theirs. */
  map: Readonly<Record<string, string>>;
  signal: AbortSignal;
  outbound: Outbound;
};

export type Source = {
  /** The totals for the progress, where they are known at once. */
  size?: { links?: number; visits?: number };
  /** The origin of visits of links that are here (see write-visits.ts), which are imported once. */
  origin?: string;
  /** The columns of a table with a header, and which of ours each one is. */
  columns?: SourceColumn[];
  /** After that place; 0: all. */
  links(after: number): AsyncIterable<SourceLink | SourceProblem>;
  visits?(after: number): AsyncIterable<SourceVisit | SourceProblem>;
  /** The files of links with a share. */
  files?(after: number): AsyncIterable<SourceFile | SourceProblem>;
  close?(): Promise<void>;
};

export type SourceColumn = { name: string; field: string | null; samples: string[] };

/** Nothing can be read. */
export type SourceProblem = {
  position: number;
  /** As far as known. */
  code: string;
  /** A sentence for people. */
  problem: string;
};

export type SourceLink = {
  /** Row, line or number, from 1, ascending. */
  position: number;
  /**
   * Texts as in the CSV of an export with all columns; the import validates them. Without `code` it is random. A
   * password is plain, or a hash that `lib/password-hash.ts` knows.
   */
  cells: Readonly<Record<string, string>> & { target: string };
  /** The reason why it is imported disabled. */
  disabled?: string;
  /** Sentences: what of it is not imported. */
  lost?: readonly string[];
  /** It serves `files` in a folder; its target is unused. */
  share?: SourceShare;
};

export type SourceShare = {
  /** The owner in the source, if it is known. */
  owner: { email: string; name: string } | null;
  /** Name of the folder. */
  folder: string;
  message: string;
  /** The limit of downloads, or null for none. */
  maxDownloads: number | null;
  recipients: readonly string[];
};

export type SourceFile = {
  position: number;
  /** The code of the link that shares it. */
  code: string;
  name: string;
  size: number;
  /** The time of the content in epoch milliseconds; else it is that of the file at the path. */
  modifiedAt?: number;
  /** On this machine. */
  path: string;
};

export type SourceVisit = {
  position: number;
  /** As in the link's cells. */
  code: string;
  domain?: string;
  /** Epoch milliseconds. */
  at: number;
  /** The number of clicks of a sum, which has no details. */
  count?: number;
  referrer?: string | null;
  userAgent?: string | null;
  address?: string | null;
  /** ISO 3166-1 alpha-2. */
  country?: string | null;
  city?: string | null;
  language?: string | null;
  /** Else by the user agent; without one: a person. */
  automated?: boolean;
  /** Set for a visit of a link that is here, by its code. */
  isOurs?: true;
};

export const isProblem = <T extends object>(record: T | SourceProblem): record is SourceProblem =>
  "problem" in record;

const MOST_TAGS = 16;
const LONGEST = 64;

/** Makes a cell of the tags that a link of ours can have, and adds the others to `lost`. */
export function tagsCell(tags: readonly string[], lost: string[]): string {
  const fitting = [...new Set(tags.map((tag) => tag.trim().toLowerCase()))].filter((tag) => tag !== "");
  const short = fitting.filter((tag) => [...tag].length <= LONGEST);
  if (short.length < fitting.length) lost.push(`Tags of more than ${LONGEST} characters are left out.`);
  const left = short.slice(MOST_TAGS);
  if (left.length > 0)
    lost.push(`It has more than ${MOST_TAGS} tags; left out: ${left.join(", ").slice(0, 300)}.`);
  return csvLine(short.slice(0, MOST_TAGS)).trimEnd();
}
