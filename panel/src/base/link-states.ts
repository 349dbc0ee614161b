/** Earlier states of links and shares, to go back to. */
import { t } from "@lingui/core/macro";
import { responseOf, api, ApiError } from "./api.ts";

/** A code and its domain; without one the default domain. */
export type LinkPlace = { code: string; domain: string | undefined };

export const changedSince = (code: string): ApiError =>
  new ApiError(409, { message: t`${code} was changed since; it stays as it is.` });

/** Of requests about one link. */
export const paramsOf = ({ code, domain }: LinkPlace) => ({
  path: { code },
  query: domain === undefined ? {} : { domain },
});

/** Of the history, newest first. */
export function statesOf(
  place: LinkPlace,
  { limit, cursor }: { limit: number; cursor?: string },
  signal?: AbortSignal,
) {
  const { path, query } = paramsOf(place);
  const params = { path, query: { ...query, limit, ...(cursor !== undefined && { cursor }) } };
  return responseOf(api.GET("/admin/v1/links/{code}/history", { params, ...(signal && { signal }) }));
}

export function restoreState(place: LinkPlace, id: number, state: "before" | "after"): Promise<unknown> {
  const { path, query } = paramsOf(place);
  const params = { path: { ...path, id }, query };
  return responseOf(api.POST("/admin/v1/links/{code}/history/{id}/restore", { params, body: { state } }));
}

/** The events of one change, and one more. */
const FEW = 4;

/**
 * Runs a change of a link. Returns its result, and a function that undoes it, unless somebody has changed the link
 * since.
 */
export async function withWayBack<T>(
  place: LinkPlace,
  run: () => Promise<T>,
): Promise<{ result: T; undo: () => Promise<void> }> {
  const [before] = (await statesOf(place, { limit: 1 })).data;
  const result = await run();
  const own = (await statesOf(place, { limit: FEW })).data.filter(({ id }) => id > (before?.id ?? 0));
  async function undo(): Promise<void> {
    const [last, first] = [own[0], own.at(-1)];
    if (last === undefined || first === undefined) return;
    if ((await statesOf(place, { limit: 1 })).data[0]?.id !== last.id) throw changedSince(place.code);
    await restoreState(place, first.id, "before");
  }
  return { result, undo };
}
