import { expect, test } from "bun:test";
import type { Given } from "./call.ts";
import { tagStats } from "./shlink-tags.ts";

type TagStats = { tag: string; shortUrlsCount: number; visitsSummary: object };

test("tags beyond the thousand with the most clicks are counted too", async () => {
  const tags = Array.from({ length: 1_002 }, (_, at) => `t${String(at).padStart(4, "0")}`);
  const rowOf = (tag: string) => ({ value: tag, clicks: 5, human: 3 });
  const queries: Given["query"][] = [];
  const statsOf = async (search: string) => {
    const { body } = await tagStats({
      async call(_, path, { query = {} } = {}) {
        const listed = tags.map((tag) => ({ tag, links: 1 }));
        if (path === "/tags") return { status: 200, body: { data: listed }, retryAfter: null };
        queries.push(query);
        const { tag } = query;
        const data = tag === undefined ? tags.slice(0, 1_000) : ["t0000", tag as string];
        return { status: 200, body: { data: data.map(rowOf) }, retryAfter: null };
      },
      query: new URLSearchParams(search),
      send: async () => new Response(),
      name: "",
      body: {},
      defaultHost: "",
      defaultUrl: null,
      origin: "",
      signal: new AbortController().signal,
    });
    return (body as { tags: { data: TagStats[] } }).tags.data;
  };
  const visitsSummary = { total: 5, nonBots: 3, bots: 2 };
  expect(await statsOf("searchTerm=t1001")).toEqual([{ tag: "t1001", shortUrlsCount: 1, visitsSummary }]);
  expect(queries.map((query) => query?.["tag"])).toEqual([undefined, "t1001"]);
  const all = await statsOf("");
  expect(all.filter((one) => Bun.deepEquals(one.visitsSummary, visitsSummary))).toHaveLength(1_002);
  queries.length = 0;
  await statsOf("searchTerm=t0000");
  expect(queries).toHaveLength(1);
});
