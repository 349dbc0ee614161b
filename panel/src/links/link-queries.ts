/** Queries of the pages of links. Every change refreshes the lists. */
import { t } from "@lingui/core/macro";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import {
  responseOf,
  api,
  ApiError,
  whenReachable,
  type Link,
  type LinkPatch,
  type NewLink,
} from "../base/api.ts";
import { followed } from "../base/queries.ts";
import { changedSince, type LinkPlace, paramsOf, statesOf } from "../base/link-states.ts";

export const tagsQuery = queryOptions({
  queryKey: ["links", "tags"],
  queryFn: async ({ signal }) => (await responseOf(api.GET("/admin/v1/tags", { signal }))).data,
  staleTime: 60_000,
});

/** `domain`: a host; empty: the default domain. */
export const availabilityQuery = (code: string, domain: string) =>
  queryOptions({
    queryKey: ["links", "available", code, domain],
    async queryFn({ signal }) {
      const query = { code, ...(domain !== "" && { domain }) };
      return (await responseOf(api.GET("/admin/v1/links/available", { params: { query }, signal }))).data;
    },
    enabled: code !== "",
    staleTime: 0,
  });

export const refreshLinks = (queries: QueryClient): Promise<void> =>
  queries.invalidateQueries({ queryKey: ["links"] });

/** Codes name a link within its domain. */
const placeOf = ({ code, domain }: Pick<Link, "code" | "domain">): LinkPlace => ({
  code,
  domain: domain ?? undefined,
});

const readLink = async (place: LinkPlace, signal?: AbortSignal): Promise<Link> => {
  const init = { params: paramsOf(place), ...(signal && { signal }) };
  return (await responseOf(api.GET("/admin/v1/links/{code}", init))).data;
};

export const createLink = async (link: NewLink): Promise<Link> =>
  (await responseOf(api.POST("/admin/v1/links", { body: link }))).data;

export const changeLink = async (link: Link, patch: LinkPatch): Promise<Link> =>
  (await responseOf(api.PATCH("/admin/v1/links/{code}", { params: paramsOf(placeOf(link)), body: patch })))
    .data;

/** Somebody has changed fields that a form shows otherwise. */
export class ChangedElsewhere extends Error {
  readonly now: Link;
  readonly fields: readonly string[];
  /** The account of the newest change. */
  readonly by: string | null;

  constructor(now: Link, fields: readonly string[], by: string | null) {
    super();
    this.now = now;
    this.fields = fields;
    this.by = by;
  }
}

/** The names whose values differ. */
const differing = (names: readonly string[], one: object, other: object): string[] =>
  names.filter(
    (name) => JSON.stringify(one[name as keyof object]) !== JSON.stringify(other[name as keyof object]),
  );

/** @param seen the link when its form was opened. @throws ChangedElsewhere if a field of the patch was changed since */
export async function changeSeen(seen: Link, patch: LinkPatch): Promise<Link> {
  const place = placeOf(seen);
  const now = await whenReachable(() => readLink(place));
  const shown = Object.keys(patch).filter((name) => name in seen);
  const fields = differing(differing(shown, now, seen), now, patch);
  if (fields.length === 0) return changeLink(seen, patch);
  const [newest] = (await statesOf(place, { limit: 1 })).data;
  throw new ChangedElsewhere(now, fields, newest?.actor ?? null);
}

export const deleteLink = (link: Link): Promise<unknown> =>
  responseOf(api.DELETE("/admin/v1/links/{code}", { params: paramsOf(placeOf(link)) }));

/**
 * Called after undo too. `before`: the link until then. Settles when its page has moved to the saved link: the former
 * code may lead nowhere.
 */
export type OnLinkSaved = (saved: Link, before: Link) => void | Promise<void>;

/** Restores exactly this deleted link, not another one of its code. */
export async function restoreLink({ code, domain, created_at: made }: Link): Promise<void> {
  let cursor = "";
  do {
    const query = { search: code, cursor };
    const page = await responseOf(api.GET("/admin/v1/links/deleted", { params: { query } }));
    const deleted = page.data.find(
      (link) => link.code === code && link.domain === domain && link.created_at === made,
    );
    if (deleted !== undefined) {
      const params = { path: { id: deleted.id } };
      await responseOf(api.POST("/admin/v1/links/deleted/{id}/restore", { params, body: {} }));
      return;
    }
    cursor = page.next_cursor ?? "";
  } while (cursor !== "");
  throw new ApiError(404, { message: t`${code} is not among the deleted links any more.` });
}

/** Restores fields of a saved link. @throws ApiError if somebody has changed them since */
export async function setLinkBack(saved: Link, back: LinkPatch): Promise<Link> {
  const now = await readLink(placeOf(saved));
  if (differing(Object.keys(back), now, saved).length > 0) throw changedSince(saved.code);
  return changeLink(saved, back);
}

export const linkQuery = (place: LinkPlace) =>
  queryOptions({
    queryKey: ["links", "one", place],
    queryFn: ({ signal }) => readLink(place, signal),
    // The router asks when the page is opened. A code that leads nowhere is asked for once.
    retryOnMount: false,
    refetchInterval: followed,
  });

/** The link as lists and earlier visits show it: until the answer, and to know that there is one. */
export function listedLink(queries: QueryClient, place: LinkPlace): Link | undefined {
  const known = queries.getQueryData(linkQuery(place).queryKey);
  if (known !== undefined) return known;
  const lists = queries.getQueriesData<{ links: Link[] }>({ queryKey: ["links", "list"] });
  return lists
    .flatMap(([, list]) => list?.links ?? [])
    .find(({ code, domain }) => code === place.code && domain === (place.domain ?? null));
}
