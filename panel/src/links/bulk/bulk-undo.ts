/** Puts back what bulk work has deleted. */
import { answerOf, api, type Link } from "../../app/api.ts";
import { type Course, orRefused, overEach, type Refusals } from "./bulk-work.ts";
import { keyOfLink } from "../list/page-queries.ts";

const PAGE_OF_DELETED = 100;

/** The newest deletions so far, so that later ones are known. */
export type LastDeletions = { at: string; ids: ReadonlySet<number> };

export async function lastDeletions(): Promise<LastDeletions> {
  const query = { limit: PAGE_OF_DELETED };
  const { data } = await answerOf(api.GET("/admin/v1/links/deleted", { params: { query } }));
  return { at: data[0]?.deleted_at ?? "", ids: new Set(data.map(({ id }) => id)) };
}

/** Of these links, those that were deleted since. */
export async function putBack(
  links: readonly Link[],
  since: LastDeletions,
  course: Course,
  refusals: Refusals,
): Promise<void> {
  const wanted = new Set(links.map(keyOfLink));
  const ids: number[] = [];
  let cursor: string | undefined = "";
  while (cursor !== undefined && wanted.size > 0) {
    const params: { query: { limit: number; cursor: string } } = {
      query: { limit: PAGE_OF_DELETED, cursor },
    };
    const page = await answerOf(api.GET("/admin/v1/links/deleted", { params }));
    // The newest of a code comes first.
    const later = page.data.filter(({ id, deleted_at: at }) => at >= since.at && !since.ids.has(id));
    for (const link of later) if (wanted.delete(keyOfLink(link))) ids.push(link.id);
    cursor = later.length < page.data.length ? undefined : (page.next_cursor ?? undefined);
  }
  await overEach(ids, course, async (id) => {
    const params = { path: { id } };
    const back = answerOf(api.POST("/admin/v1/links/deleted/{id}/restore", { params, body: {} }));
    await orRefused(refusals, back);
  });
}
