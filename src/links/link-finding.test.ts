/** Tags, cursors and batches by filter over HTTP, mounted as in the server, as an administrator. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { failure, type LinksApi, openLinksApi } from "./links-api.test-support.ts";
import { TARGET } from "./links.test-support.ts";

let api: LinksApi;
let call: LinksApi["call"];
let create: LinksApi["create"];
let codes: LinksApi["codes"];

beforeAll(async () => {
  api = await openLinksApi();
  ({ call, create, codes } = api);
});
afterAll(() => api.close());
beforeEach(() => api.room.clear());

describe("tags", () => {
  test("are created, filtered by all of them, renamed, merged and removed", async () => {
    expect((await create({ code: "a", tags: ["X", "y/z", "50% off?"] })).body.data.tags).toEqual([
      "50% off?",
      "x",
      "y/z",
    ]);
    await create({ code: "b", tags: ["x"] });
    expect(await codes("?tag=x&sort=code")).toEqual(["a", "b"]);
    expect(await codes("?tag=x&tag=Y%2FZ")).toEqual(["a"]);
    expect(await codes("?tag=&sort=code")).toEqual(["a", "b"]);
    expect((await call("GET", "/tags")).body.data[0]).toEqual({ tag: "x", links: 2 });
    const renamed = await call("PATCH", "/tags/y%2Fz", { tag: "X" });
    expect(renamed.body.data).toEqual({ tag: "x", links: 2, change: expect.any(String) });
    const removed = (await call("DELETE", "/tags/50%25%20off%3F")).body.data;
    expect(removed).toEqual({ tag: "50% off?", links: 1, change: expect.any(String) });
    const undone = await call("POST", "/links/batch/undo", { change: removed.change });
    expect(undone.body.data).toEqual({ restored: 1, failed: [], next: null });
    expect((await call("DELETE", "/tags/50%25%20off%3F")).body.data).toMatchObject({ links: 1 });
    expect((await call("GET", "/tags")).body.data).toEqual([{ tag: "x", links: 2 }]);
    expect(failure(await call("DELETE", "/tags/gone"))).toEqual([404, 1004, "NotFound"]);
  });

  test.each([
    ["17 tags", Array.from({ length: 17 }, (_, at) => `t${at}`)],
    ["65 characters", ["x".repeat(65)]],
    ["an empty one", [""]],
    ["a number", [1]],
    ["text", "x"],
  ])("%s are refused in a sentence", async (_name, tags) => {
    const refused = await create({ code: "a", tags });
    expect(failure(refused)).toEqual([400, 1000, "BadRequest"]);
    expect(refused.body.message).toMatch(/^[A-Za-z].*\.$/);
    expect(await codes("")).toEqual([]);
  });

  test("17 filters are refused, and the last value of another repeated key counts", async () => {
    await create({ code: "a" });
    const tags = Array.from({ length: 17 }, (_, at) => `tag=t${at}`).join("&");
    expect(failure(await call("GET", `/links?${tags}`))).toEqual([400, 1000, "BadRequest"]);
    expect(await codes("?search=nothing&search=a")).toEqual([]);
  });
});

describe("cursor", () => {
  test("pages follow one another, the last one shows it", async () => {
    for (const code of ["a", "b", "c"]) await create({ code });
    const first = await call("GET", "/links?sort=code&page_size=2&cursor=");
    expect(Object.keys(first.body)).toEqual(["code", "message", "data", "next_cursor"]);
    expect(first.body.data.map(({ code }: { code: string }) => code)).toEqual(["a", "b"]);
    const second = await call("GET", `/links?sort=code&page_size=2&cursor=${first.body.next_cursor}`);
    expect(second.body.data.map(({ code }: { code: string }) => code)).toEqual(["c"]);
    expect(second.body.next_cursor).toBeNull();
    const counted = await call(
      "GET",
      `/links?sort=code&page_size=2&count=true&cursor=${first.body.next_cursor}`,
    );
    expect(counted.body).toMatchObject({ next_cursor: null, total: 3 });
    const other = await call("GET", `/links?sort=created_at&cursor=${first.body.next_cursor}`);
    expect(failure(other)).toEqual([400, 1000, "BadRequest"]);
  });

  const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  test.each([
    ["not base64url", "cursor=%25"],
    ["not JSON", "cursor=abcd"],
    ["another shape", `cursor=${cursorOf({ at: 1, id: 2 })}`],
    ["a number for a code", `cursor=${cursorOf(["created_at", true, 1, 2])}`],
    ["no time", `cursor=${cursorOf(["created_at", true, null, "a"])}`],
    ["a code for an id", `sort=click_count&cursor=${cursorOf(["click_count", true, 1, "a"])}`],
    ["a fraction", `sort=click_count&cursor=${cursorOf(["click_count", true, 1.5, 1])}`],
    ["too long", `cursor=${"a".repeat(2001)}`],
    ["a page beside it", "cursor=&page=1"],
  ])("%s is refused in a sentence", async (_name, query) => {
    const refused = await call("GET", `/links?${query}`);
    expect(failure(refused)).toEqual([400, 1000, "BadRequest"]);
    expect(refused.body.message).toMatch(/\.$/);
  });
});

test("batch/query takes a filter, and stays the code of a link", async () => {
  await create({ code: "batch/query", title: "x" });
  await create({ code: "other" });
  const all = { filter: {}, action: "update", set: { title: "y" }, dry_run: true };
  expect((await call("POST", "/links/batch/query", all)).body.data).toEqual({ matched: 2, changed: 0 });
  expect((await call("GET", "/links/batch/query")).body.data.title).toBe("x");
  expect((await call("PUT", "/links/batch/query", { target: TARGET, title: "z" })).body.data.title).toBe("z");
  expect(failure(await call("POST", "/links/batch/query", { filter: {}, action: "delete" }))).toEqual([
    400,
    1000,
    "BadRequest",
  ]);
  expect((await call("DELETE", "/links/batch/query")).status).toBe(200);
});

test("batch/undo reverts what the account changed by a filter, and stays the code of a link", async () => {
  await create({ code: "batch/undo", title: "x" });
  await create({ code: "other" });
  const edit = { filter: {}, action: "update", set: { title: "y", note: "n" }, confirm: "all" };
  const { change } = (await call("POST", "/links/batch/query", edit)).body.data;
  await call("PATCH", "/links/other", { title: "z" });
  expect((await call("POST", "/links/batch/undo", { change })).body.data).toEqual({
    restored: 1,
    failed: [
      { code: "other", error: '"other" has been changed since and stays as it is.', error_code: 1009 },
    ],
    next: null,
  });
  expect((await call("GET", "/links/batch/undo")).body.data).toMatchObject({ title: "x", note: null });
  for (const wrong of ["", "x", change.slice(3), "W10"]) {
    const refused = await call("POST", "/links/batch/undo", { change: wrong });
    expect(failure(refused)).toEqual([400, 1000, "BadRequest"]);
  }
});
