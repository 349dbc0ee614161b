/** Which shares and drop boxes serve entries. Whoever changes a share refreshes these too. */
import { queryOptions } from "@tanstack/react-query";
import { responseOf, api, type Share, type ShareMark } from "../../base/api.ts";
import { inTree } from "../../ui/tree-names.ts";

export type Marks = ReadonlyMap<number, ShareMark>;

/** The entries of a folder that are shared by themselves; null is the root. */
export const marksQuery = (folder: number | null, team?: string) =>
  queryOptions({
    queryKey: ["shares", "marks", folder, folder === null ? team : undefined],
    async queryFn({ signal }): Promise<Marks> {
      const query = folder === null ? inTree(team) : { folder_id: String(folder) };
      const { data } = await responseOf(api.GET("/files/shared", { params: { query }, signal }));
      return new Map(data.map((mark) => [mark.id, mark]));
    },
  });

/** The server's most. */
const IDS_AT_ONCE = 100;

/** What serves the entries or something in them; `around`: or a folder around them. @throws ApiError */
export async function sharesOf(
  ids: readonly number[],
  around: boolean,
  signal?: AbortSignal,
): Promise<Share[]> {
  const found = new Map<string, Share>();
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
    const entries = ids.slice(at, at + IDS_AT_ONCE).join();
    const query = { entries, page_size: IDS_AT_ONCE, ...(around && { around: true }) };
    const { data } = await responseOf(api.GET("/shares", { params: { query }, ...(signal && { signal }) }));
    for (const share of data) found.set(share.code, share);
  }
  return [...found.values()];
}

export const sharesOfQuery = (ids: readonly number[], around: boolean) =>
  queryOptions({
    queryKey: ["shares", "of entries", ids, around],
    queryFn: ({ signal }) => sharesOf(ids, around, signal),
    enabled: ids.length > 0,
  });
