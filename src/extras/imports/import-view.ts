/** An import as the API and the command line show it. */
import { z } from "zod";
import { createView } from "../../lib/case-names.ts";
import { namedObject } from "../../lib/named-object.ts";
import type { StoredImport } from "./move/repository.ts";
import { moveOptions, reportFields, STATES } from "./move/state.ts";
import { PRODUCT_NAMES, PRODUCTS } from "./readers/products.ts";

export const importView = namedObject("ProductImport", {
  id: z.int(),
  product: z.enum(PRODUCT_NAMES),
  source: z.string().describe("name of the file, or address"),
  state: z
    .enum(STATES)
    .describe(
      "those that end in -ing are worked on; stopped: `problem` says why, `start` continues and `undo` reverts",
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
  ...reportFields,
  not_imported: z.array(z.string()).describe("what the product does not export or Waymark does not store"),
  problem: z.string().nullable(),
});

const viewFields = createView(importView);

export function viewOfImport(row: StoredImport) {
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
  return viewFields({
    ...row,
    ...report,
    progress: { stage, done, total: stage === "undo" ? counts.links_imported : report.total },
    notes: row.state === "previewed" ? report.notes : [],
    notImported: [...PRODUCTS[row.product].notImported],
  });
}
