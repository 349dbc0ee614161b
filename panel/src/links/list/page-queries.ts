/** Pages of the list by number, so every position is one request away. */
import { CancelledError, queryOptions, type QueryClient } from "@tanstack/react-query";
import { responseOf, api, type Link } from "../../base/api.ts";
import { followed } from "../../base/queries.ts";
import { filterOf, type LinkFinding } from "../link-search.ts";

export const LINKS_A_PAGE = 50;
export const pageAt = (row: number): number => Math.floor(row / LINKS_A_PAGE);
/** Rows out of sight are forgotten after this time. */
const KEPT_MS = 60_000;
const AT_ONCE = 4;

/** `isLast`: no link follows. */
export type LinkPageResponse = { links: Link[]; isLast: boolean };

export const pageQuery = (finding: LinkFinding, page: number) =>
  queryOptions({
    queryKey: ["links", "list", finding, page],
    async queryFn({ signal }): Promise<LinkPageResponse> {
      const query = { ...filterOf(finding), page: page + 1, page_size: LINKS_A_PAGE, total: false };
      const response = await responseOf(api.GET("/admin/v1/links", { params: { query }, signal }));
      return { links: response.data, isLast: response.next_cursor === null };
    },
    gcTime: KEPT_MS,
    refetchInterval: followed,
  });

/** Of its own: the rows of a frequent word are found long before its links are counted. */
export const totalQuery = (finding: LinkFinding) =>
  queryOptions({
    queryKey: ["links", "total", finding],
    async queryFn({ signal }): Promise<number> {
      const query = { ...filterOf(finding), page: 1, page_size: 1 };
      const response = await responseOf(api.GET("/admin/v1/links", { params: { query }, signal }));
      return response.pagination?.total ?? 0;
    },
    gcTime: KEPT_MS,
  });

/** Asks again where a refresh of the list has called the request off. */
async function loadedPage(
  queries: QueryClient,
  finding: LinkFinding,
  page: number,
): Promise<LinkPageResponse> {
  try {
    return await queries.ensureQueryData(pageQuery(finding, page));
  } catch (error) {
    if (!(error instanceof CancelledError)) throw error;
    return loadedPage(queries, finding, page);
  }
}

/** Both ends included. Requests missing rows. */
export async function linksBetween(
  queries: QueryClient,
  finding: LinkFinding,
  { from, to }: { from: number; to: number },
): Promise<Link[]> {
  const first = Math.floor(from / LINKS_A_PAGE);
  const pages: LinkPageResponse[] = [];
  const count = Math.floor(to / LINKS_A_PAGE) - first + 1;
  for (let at = 0; at < count; at += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, nth) => first + at + nth);
    pages.push(...(await Promise.all(some.map((page) => loadedPage(queries, finding, page)))));
  }
  return pages
    .flatMap(({ links }) => links)
    .slice(from - first * LINKS_A_PAGE, to - first * LINKS_A_PAGE + 1);
}

/** Shows the server's answer in the rows before they are requested again. */
export function showChanged(queries: QueryClient, old: Link, changed: Link): void {
  queries.setQueriesData<LinkPageResponse>({ queryKey: ["links", "list"] }, (page) =>
    page?.links.some((link) => keyOfLink(link) === keyOfLink(old))
      ? { ...page, links: page.links.map((link) => (keyOfLink(link) === keyOfLink(old) ? changed : link)) }
      : page,
  );
}

/** Codes name a link within its domain. */
export const keyOfLink = ({ code, domain }: Pick<Link, "code" | "domain">): string =>
  `${domain ?? ""}/${code}`;
