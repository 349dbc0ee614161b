/** What an import is: its states, options and report. */
import { z } from "zod";
import { namedObject } from "../../../lib/named-object.ts";

/** Those that end in -ing are worked on, and go on after the death of the process that did. */
export const STATES = [
  "previewing",
  "previewed",
  "running",
  "stopped",
  "done",
  "undoing",
  "undone",
  "confirming",
  "confirmed",
] as const;
export type ImportState = (typeof STATES)[number];

export const ON_CONFLICT = ["skip", "rename", "fail"] as const;

export const moveOptions = z.object({
  map: z.record(z.string().max(100), z.string().max(200)),
  visits: z.boolean(),
  on_conflict: z.enum(ON_CONFLICT),
  disabled: z.boolean(),
  add_domains: z.boolean(),
});
export type MoveOptions = z.output<typeof moveOptions>;

export const NOTE_KINDS = [
  "refused",
  "skipped",
  "renamed",
  "disabled",
  "partial",
  "visit",
  "file",
  "kept",
] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

export const noteView = namedObject("ImportNote", {
  position: z.int().describe("row or number in the source; 0: none"),
  kind: z.enum(NOTE_KINDS),
  code: z.string(),
  reason: z.string(),
});
export type Note = z.output<typeof noteView>;

const COUNTS = [
  "links_read",
  "links_imported",
  "links_renamed",
  "links_disabled",
  "links_skipped",
  "links_refused",
  "links_partial",
  "visits_read",
  "visits_imported",
  "visits_refused",
  "clicks_imported",
  "clicks_without_date",
  "files_read",
  "files_imported",
  "files_refused",
  "files_removed",
  "bytes_read",
  "bytes_imported",
  "links_removed",
  "links_kept",
] as const;
const importCounts = z.object(
  Object.fromEntries(COUNTS.map((name) => [name, z.int()])) as Record<(typeof COUNTS)[number], z.ZodInt>,
);
type ImportCounts = z.output<typeof importCounts>;

/** What is stored of its course, as it is shown. */
const reportSchema = z.object({
  counts: importCounts.describe("of the preview until the import starts; one visit may be a sum"),
  reasons: z.array(z.object({ kind: z.enum(NOTE_KINDS), reason: z.string(), count: z.int() })),
  samples: z
    .array(
      z.object({
        code: z.string(),
        target: z.string(),
        title: z.string().nullable(),
        created_at: z.string().nullable(),
        click_count: z.int(),
        disabled: z.boolean(),
      }),
    )
    .describe("the first ten links that will be imported"),
  domains: z
    .array(z.object({ host: z.string(), links: z.int() }))
    .describe("those that are missing here, at most 100; with add_domains the import adds them"),
  columns: z
    .array(z.object({ name: z.string(), field: z.string().nullable(), samples: z.array(z.string()) }))
    .describe("of a CSV file: its columns, and what each of them is here"),
  notes: z.array(noteView).describe("the first 1,000 of a preview; /notes has those of an import"),
});
export const reportFields = reportSchema.shape;
export type ImportReport = z.output<typeof reportSchema> & {
  stage: "preview" | "links" | "visits" | "files" | "undo" | "confirm" | null;
  total: number | null;
  problem: string | null;
  /** See `Source`. */
  origin?: string;
};

const MOST_REASONS = 100;
const MOST_NOTES = 1_000;
const OTHER_REASONS = "other reasons";
const COUNT_OF_KIND = {
  refused: "links_refused",
  skipped: "links_skipped",
  renamed: "links_renamed",
  disabled: "links_disabled",
  partial: "links_partial",
  visit: "visits_refused",
  file: "files_refused",
  kept: "links_kept",
} as const satisfies Record<NoteKind, keyof ImportCounts>;

export const emptyReport = (): ImportReport => ({
  counts: Object.fromEntries(COUNTS.map((name) => [name, 0])) as ImportCounts,
  reasons: [],
  samples: [],
  domains: [],
  columns: [],
  notes: [],
  stage: null,
  total: null,
  problem: null,
});

/** @param count visits that a note is about */
export function countNote(report: ImportReport, { kind, reason }: Note, count = 1): void {
  report.counts[COUNT_OF_KIND[kind]] += count;
  const known = report.reasons.find((one) => one.kind === kind && one.reason === reason);
  if (known !== undefined) known.count += count;
  else if (report.reasons.length < MOST_REASONS) report.reasons.push({ kind, reason, count });
  else {
    const last = report.reasons.at(-1)!;
    if (last.reason !== OTHER_REASONS)
      report.reasons[MOST_REASONS - 1] = { kind, reason: OTHER_REASONS, count: last.count + count };
    else last.count += count;
  }
}

/** Keeps notes in the report of a preview, which stores nothing. */
export function keepNotes(report: ImportReport, notes: readonly Note[]): void {
  report.notes.push(...notes.slice(0, Math.max(0, MOST_NOTES - report.notes.length)));
}
