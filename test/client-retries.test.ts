/** What the TypeScript client sends again, against a server that answers what it is told. */
import { afterAll, beforeEach, expect, test } from "bun:test";
import { createWaymark, dataOf, items, WaymarkError } from "../clients/typescript/client.ts";

type Told = [status: number, headers?: Record<string, string>];

let answers: Told[] = [];
let seen: string[] = [];
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    seen.push(`${request.method} ${pathname}${search} ${await request.text()}`.trim());
    const [status, headers = {}] = answers.shift() ?? [200];
    const failure = { code: 1, error: "Unavailable", message: "Later." };
    return Response.json(status < 400 ? { code: 0, data: [], pagination: {} } : failure, { status, headers });
  },
});
afterAll(() => server.stop(true));
beforeEach(() => {
  answers = [];
  seen = [];
});

const SOON = { "Retry-After": "0" };
const BODY = { target: "https://example.com/" };
const PATH = { path: { code: "a" } };
const KEY = { header: { "Idempotency-Key": "k" } };
const MATCH = { "If-Match": '"x"' };
const client = createWaymark({ url: server.url.origin });
const links = "/admin/v1/links";
const link = "/admin/v1/links/{code}";

test.each<[string, Told, () => Promise<unknown>, number]>([
  ["a read", [503, SOON], () => dataOf(client.GET(links)), 2],
  ["a read through a proxy", [502, SOON], () => dataOf(client.GET(links)), 2],
  ["a change by PUT", [503, SOON], () => dataOf(client.PUT(link, { params: PATH, body: BODY })), 2],
  ["a creation with a key", [503, SOON], () => dataOf(client.POST(links, { params: KEY, body: BODY })), 2],
  [
    "a creation whose key runs",
    [409, SOON],
    () => dataOf(client.POST(links, { params: KEY, body: BODY })),
    2,
  ],
  ["a refusal for rate", [429, SOON], () => dataOf(client.POST(links, { body: BODY })), 2],
  ["a creation without a key", [503, SOON], () => dataOf(client.POST(links, { body: BODY })), 1],
  ["a key whose answer is lost", [409], () => dataOf(client.POST(links, { params: KEY, body: BODY })), 1],
  [
    "a PATCH, where the server knows no key",
    [503, SOON],
    () => dataOf(client.PATCH(link, { params: PATH, headers: KEY.header, body: BODY })),
    1,
  ],
  [
    "a condition",
    [503, SOON],
    () => dataOf(client.PUT(link, { params: { ...PATH, header: MATCH }, body: BODY })),
    1,
  ],
  ["a wait of an hour", [503, { "Retry-After": "3600" }], () => dataOf(client.GET(links)), 1],
  ["what is wrong", [400], () => dataOf(client.GET(links)), 1],
])("%s, answered %j", async (_, told, call, times) => {
  answers = [told];
  const failure = await call().then(
    () => undefined,
    (error: unknown) => error as WaymarkError,
  );
  expect(seen.length).toBe(times);
  expect(new Set(seen).size).toBe(1);
  expect(failure?.status).toBe(times === 1 ? told[0] : undefined);
});

test("it gives up after the retries that it may make", async () => {
  answers = Array.from({ length: 10 }, () => [503, SOON]);
  const failure = dataOf(createWaymark({ url: server.url.origin, retries: 2 }).GET(links));
  expect(failure).rejects.toMatchObject({ status: 503, error: "Unavailable", message: "Later." });
  await failure.catch(() => {});
  expect(seen.length).toBe(3);
});

test("a signal ends the wait", async () => {
  answers = [[503, { "Retry-After": "50" }]];
  const ending = new AbortController();
  const call = client.GET(links, { signal: ending.signal });
  const ended = call.catch((error: unknown) => error);
  while (seen.length === 0) await Bun.sleep(1);
  ending.abort(new Error("enough"));
  expect(await ended).toEqual(new Error("enough"));
});

test("a server that is not there is an error of the same type", async () => {
  const nowhere = createWaymark({ url: "http://127.0.0.1:9", retries: 0 });
  const failure = await dataOf(nowhere.GET(links)).catch((error: unknown) => error as WaymarkError);
  expect(failure).toBeInstanceOf(WaymarkError);
  expect(failure).toMatchObject({ status: 0, cause: expect.any(Error) });
});

test("a list with both kinds of pages goes by cursor, unless it is sorted", async () => {
  for await (const _ of items(client, links)) expect(true).toBe(false);
  for await (const _ of items(client, links, { query: { sort: "code" } })) expect(true).toBe(false);
  for await (const _ of items(client, "/admin/v1/users")) expect(true).toBe(false);
  expect(seen).toEqual([`GET ${links}?cursor=`, `GET ${links}?sort=code`, "GET /admin/v1/users"]);
});
