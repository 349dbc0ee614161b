/** Responses as the references of these APIs describe them; none was recorded from a real server. */
import { afterAll, expect, test } from "bun:test";
import { createOutbound } from "../../../lib/outbound.ts";
import { bitly } from "./bitly.ts";
import { dub } from "./dub.ts";
import type { Reader } from "./reader.ts";
import { sink } from "./sink.ts";

let respond: (url: URL) => unknown;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    if (request.headers.get("authorization") !== "Bearer key") return new Response("", { status: 401 });
    return Response.json(respond(new URL(request.url)));
  },
});
afterAll(() => server.stop(true));

const open = (reader: Reader, path = "", key: string | null = "key") =>
  reader.open({
    source: `${server.url.origin}${path}`,
    key,
    map: {},
    signal: new AbortController().signal,
    outbound: createOutbound({ isAllowed: () => true, ports: null }),
  });
const read = async (reader: Reader, after = 0, path = "") =>
  Array.fromAsync((await open(reader, path)).links(after));

test("imports links of Sink by its cursor, and names fields that it does not know", async () => {
  const first = {
    id: "1",
    url: "https://example.com/a",
    slug: "a",
    comment: "mine",
    createdAt: 1_718_119_809,
    updatedAt: 1,
  };
  respond = ({ searchParams }) =>
    searchParams.get("cursor") === "two"
      ? {
          list_complete: true,
          links: [{ url: "https://example.com/b", slug: "b", expiration: 1_900_000_000, cloaking: true }],
        }
      : searchParams.get("cursor") === "one"
        ? { list_complete: false, cursor: "two", links: [] }
        : { list_complete: false, cursor: "one", links: [first, null] };
  const all = await read(sink);
  expect(all).toMatchObject([
    {
      position: 1,
      cells: {
        code: "a",
        target: "https://example.com/a",
        note: "mine",
        created_at: "2024-06-11T15:30:09.000Z",
        expires_at: "",
      },
    },
    { position: 2, problem: "The record is not as the API describes it." },
    {
      position: 3,
      cells: { code: "b", expires_at: "2030-03-17T17:46:40.000Z" },
      lost: ["cloaking is not imported."],
    },
  ]);
  expect(await read(sink, 2)).toEqual(all.slice(2));
  respond = () => ({ list_complete: false, cursor: "one", links: [first] });
  await expect(read(sink)).rejects.toThrow("has no end");
});

test("imports links of Dub with their targets by system and country", async () => {
  const link = {
    domain: "dub.sh",
    key: "try",
    url: "https://example.com",
    tags: [{ id: "t", name: "Spring", color: "red" }],
    createdAt: "2024-01-01T00:00:00.000Z",
    expiresAt: null,
    clicks: 12,
    ios: "https://apple.test",
    geo: { DE: "https://de.test" },
    archived: true,
  };
  respond = ({ searchParams }) =>
    searchParams.get("page") === "1"
      ? Array.from({ length: 100 }, (_, at) => ({ ...link, key: `k${at}` }))
      : [{ ...link, domain: "go.test", archived: false }];
  const all = await read(dub);
  expect(all).toHaveLength(101);
  expect(all[0]).toMatchObject({
    cells: { domain: "", click_count: "12" },
    lost: ["It is archived in Dub; Waymark has no archive."],
  });
  expect(all[100]).toMatchObject({
    position: 101,
    cells: {
      domain: "go.test",
      code: "try",
      tags: "spring",
      rules: JSON.stringify([
        { if: { os: "iOS" }, target: "https://apple.test" },
        { if: { country: "DE" }, target: "https://de.test" },
      ]),
    },
  });
});

test("imports every back-half of Bitly, and asks for a key and the address of the group", async () => {
  const link = {
    id: "bit.ly/3xyz",
    link: "https://bit.ly/3xyz",
    long_url: "https://example.com",
    custom_bitlinks: ["https://bit.ly/mine", "https://go.test/own", "bit.ly/3xyz"],
    tags: ["a", "b"],
    created_at: "2023-05-06T07:08:09+0000",
    deeplinks: [],
  };
  respond = ({ pathname, searchParams }) => {
    if (pathname !== "/v4/groups/G1/bitlinks") return { message: "FORBIDDEN" };
    return searchParams.get("search_after") === "c1"
      ? { links: [], pagination: { next: "", search_after: "" } }
      : { links: [link], pagination: { next: "https://api.test", search_after: "c1" } };
  };
  expect(await read(bitly, 0, "/v4/groups/G1")).toMatchObject([
    {
      position: 1,
      cells: { code: "3xyz", domain: "", tags: "a,b", created_at: "2023-05-06T07:08:09+00:00" },
    },
    { position: 2, cells: { code: "mine", domain: "" } },
    { position: 3, cells: { code: "own", domain: "go.test" } },
  ]);
  await expect(open(bitly)).rejects.toThrow("/v4/groups/ and the GUID");
  await expect(open(bitly, "", null)).rejects.toThrow("asks for an access token");
  await expect(open(dub, "", "wrong")).rejects.toThrow("refuses the key");
});
