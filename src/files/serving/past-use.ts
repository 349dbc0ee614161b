/** What a code served in a state of its history. */
import { z } from "zod";
import { AppError, appError } from "../../lib/errors.ts";
import { readInternalTarget } from "../../links/link/internal-target.ts";
import { pastRecipients, type Recipients } from "../recipients/recipients.ts";
import type { Wanted } from "./served.ts";

/** As `servedFields` tells them in events. */
const limits = z.object({
  max_downloads: z.int().nullish().default(null),
  max_bytes: z.int().nullish(),
  max_files: z.int().nullish(),
  max_file_size: z.int().nullish().default(null),
  items: z.array(z.int()).nullish(),
});

type PastUse = { wanted: Exclude<Wanted, { kind: "url" }>; maxDownloads: number | null; says: Recipients };

/** Null for a URL. @param state of the link, from its events */
export function pastUse(target: string, state: Readonly<Record<string, unknown>>): PastUse | null {
  const served = readInternalTarget(target);
  if (served === null) return null;
  const told = limits.parse(state);
  const says = pastRecipients(state);
  if (served.kind === "items") {
    const items = { ids: told.items ?? [], isPast: true };
    return { wanted: { kind: "items", items }, maxDownloads: told.max_downloads, says };
  }
  const isDrop = served.kind === "drop";
  const drop = {
    maxBytes: told.max_bytes ?? 0,
    maxFiles: told.max_files ?? 0,
    maxFileSize: told.max_file_size,
    isTwoWay: !isDrop,
  };
  const place = { kind: served.kind === "file" ? served.kind : "folder", id: served.id } as const;
  return {
    wanted: { kind: "entry", place, drop: isDrop || drop.maxFiles > 0 ? drop : null },
    maxDownloads: isDrop ? null : told.max_downloads,
    says,
  };
}

export const servedThen = (why: string): AppError =>
  appError("Conflict", `What this code served then ${why}.`);

export const isGone = (error: unknown): boolean =>
  error instanceof AppError && (error.name === "FileNotFound" || error.name === "FolderNotFound");
