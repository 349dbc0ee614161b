/** Makes the links of a table, some at a time, and says what becomes of each. */
import { ApiError, responseOf, api, type Link, type NewLink } from "../../base/api.ts";
import { linkErrorsOf } from "../form/link-values.ts";
import { partsIn } from "../../base/targets.ts";
import { createLink } from "../link-queries.ts";
import type { PastedLink } from "./pasted-links.ts";

export type NewRow = PastedLink & { key: number; errors: RowErrors };
type RowErrors = Partial<Record<keyof PastedLink, string>> & { other?: Error };
/** What all links of the table get. */
export type ForAll = { domain: string; tags: readonly string[] };
type Outcome = { row: NewRow; made: Link | null };

const AT_ONCE = 4;

const newLinkOf = ({ target, code, title, tags }: NewRow, shared: ForAll): NewLink => ({
  target: target.trim(),
  code: code.trim() || null,
  title: title.trim() || null,
  tags: [...new Set([...shared.tags, ...partsIn(tags)])],
  ...(shared.domain !== "" && { domain: shared.domain }),
});

async function makeOne(row: NewRow, shared: ForAll): Promise<Outcome> {
  try {
    return { row: { ...row, errors: {} }, made: await createLink(newLinkOf(row, shared)) };
  } catch (error) {
    const placed = error instanceof ApiError ? linkErrorsOf(error) : {};
    const errors: RowErrors = Object.fromEntries(Object.entries(placed).filter(([name]) => name in row));
    const isPlaced = Object.keys(errors).length > 0;
    return { row: { ...row, errors: isPlaced ? errors : { other: error as Error } }, made: null };
  }
}

/** In the order of the rows. */
export async function makeLinks(
  rows: readonly NewRow[],
  shared: ForAll,
  onDone: (count: number) => void,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE).map((row) => makeOne(row, shared));
    outcomes.push(...(await Promise.all(some)));
    onDone(outcomes.length);
  }
  return outcomes;
}

/** @throws ApiError for the first that can't be deleted */
export async function unmakeLinks(links: readonly Link[]): Promise<void> {
  const codes = links.map(({ code, domain }) => (domain === null ? { code } : { code, domain }));
  const { failed } = (await responseOf(api.DELETE("/admin/v1/links/batch", { body: { codes } }))).data;
  if (failed[0] !== undefined) throw new ApiError(409, { message: failed[0].error });
}
