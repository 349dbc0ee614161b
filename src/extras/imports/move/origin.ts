/** A source of visits alone, of links that are here: it is brought once. */
import { appError } from "../../../lib/errors.ts";
import type { Source } from "../readers/reader.ts";
import type { ImportRepository, StoredImport } from "./repository.ts";

type Origin = Pick<Source, "origin" | "size">;

/** It has nothing else to bring. */
export const bringsVisits = ({ options }: Pick<StoredImport, "options">, { origin }: Origin): boolean =>
  options.visits || origin !== undefined;

/** @throws Conflict if another import has brought it, or does so now */
export async function refuseTwice(
  row: Pick<StoredImport, "id" | "product">,
  { origin }: Origin,
  repository: Pick<ImportRepository, "ofProduct">,
): Promise<void> {
  if (origin === undefined) return;
  const other = (await repository.ofProduct(row.product)).find(
    ({ id, state, report, visitPlace }) =>
      id !== row.id &&
      report.origin === origin &&
      state !== "undone" &&
      (state !== "stopped" || visitPlace > 0),
  );
  if (other === undefined) return;
  const remedy =
    other.state === "confirmed"
      ? "It is confirmed, so they stay as they are."
      : "To bring newer ones of the same successor, undo that import first.";
  throw appError("Conflict", `Import ${other.id} has brought clicks of this successor. ${remedy}`);
}

/**
 * `claim` stores the report: of two that begin at once each sees the other. @throws Conflict, too if the import goes on
 * with another file
 */
export async function claimOrigin(
  row: StoredImport,
  source: Origin,
  repository: Pick<ImportRepository, "ofProduct">,
  claim: () => Promise<void>,
): Promise<void> {
  if (source.origin === undefined) return;
  await refuseTwice(row, source, repository);
  if (row.linkPlace > 0) {
    const { origin, total } = row.report;
    if (origin === source.origin && (row.visitPlace === 0 || total === source.size?.visits)) return;
    throw appError("Conflict", "This is another file. Give the one with which the import began, or undo it.");
  }
  row.report.origin = source.origin;
  await claim();
  await refuseTwice(row, source, repository);
}
