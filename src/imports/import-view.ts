/** An import as the API and the command line show it. */
import { z } from "zod";
import { namedObject } from "../lib/named-object.ts";
import { formatRfc3339 } from "../lib/rfc3339.ts";
import type { StoredImport } from "./move/repository.ts";
import { importCounts, moveOptions, NOTE_KINDS, STATES } from "./move/state.ts";
import { PRODUCT_NAMES, PRODUCTS } from "./readers/products.ts";

export const noteView = namedObject("ImportNote", {
  place: z.int().describe("row or number in the source; 0: none"),
  kind: z.enum(NOTE_KINDS),
  code: z.string(),
  reason: z.string(),
});

export const importView = namedObject("ProductImport", {
  id: z.int(),
  product: z.enum(PRODUCT_NAMES),
  source: z.string().describe("name of the file, or address"),
  state: z
    .enum(STATES)
    .describe(
      "those that end in -ing are worked on; stopped: problem says why, start goes on and undo takes back",
    ),
  created_at: z.iso.datetime(),
  created_by: z.string(),
  updated_at: z.iso.datetime(),
  options: moveOptions,
  progress: z.object({
    stage: z.enum(["preview", "links", "visits", "files", "undo", "confirm"]).nullable(),
    done: z.int().describe("links or visits read, bytes of files read, or links left"),
    total: z.int().nullable(),
  }),
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
    .describe("the first ten links that come in"),
  domains: z
    .array(z.object({ host: z.string(), links: z.int() }))
    .describe("those that are missing here, at most 100; with add_domains the import adds them"),
  columns: z
    .array(z.object({ name: z.string(), field: z.string().nullable(), samples: z.array(z.string()) }))
    .describe("of a CSV file: its columns, and what each of them is here"),
  notes: z.array(noteView).describe("the first 1,000 of a preview; /notes has those of an import"),
  loses: z.array(z.string()).describe("what the product does not export, or Waymark has no place for"),
  problem: z.string().nullable(),
});

export function viewOfImport(row: StoredImport): z.output<typeof importView> {
  const { report } = row;
  const { counts } = report;
  const stage = row.state === "undoing" ? "undo" : row.state === "confirming" ? "confirm" : report.stage;
  const done =
    stage === "undo"
      ? counts.links_removed + counts.links_kept
      : stage === "visits"
        ? counts.visits_read
        : stage === "files"
          ? counts.bytes_read
          : counts.links_read;
  return {
    id: row.id,
    product: row.product,
    source: row.source,
    state: row.state,
    created_at: formatRfc3339(row.createdAt),
    created_by: row.createdBy,
    updated_at: formatRfc3339(row.updatedAt),
    options: row.options,
    progress: { stage, done, total: stage === "undo" ? counts.links_brought : report.total },
    counts,
    reasons: report.reasons,
    samples: report.samples,
    domains: report.domains,
    columns: report.columns.map((column) => ({ ...column, samples: [...column.samples] })),
    notes: row.state === "previewed" ? report.notes : [],
    loses: [...PRODUCTS[row.product].loses],
    problem: report.problem,
  };
}
