import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { failure, type LinksApi, openLinksApi } from "../links-api.test-support.ts";
import { TARGET } from "../links.test-support.ts";

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

describe("deleted links", () => {
  test("are listed in pages and put back once, with a code that is free", async () => {
    for (const code of ["a", "b", "c"]) {
      await create({ code, password: "secret" });
      await call("DELETE", `/links/${code}`);
    }
    const first = await call("GET", "/links/deleted?limit=2");
    expect(first.body.data.map(({ code }: { code: string }) => code)).toEqual(["c", "b"]);
    expect(first.body.data[0]).toMatchObject({
      id: expect.any(Number),
      password: "[REDACTED]",
      click_count: 0,
      deleted_at: "2026-11-20T13:00:00.000Z",
      deleted_by: "admin",
    });
    expect(first.text).not.toContain("argon2");
    const cursor = first.body.next_cursor;
    const second = await call("GET", `/links/deleted?limit=2&cursor=${cursor}`);
    expect(second.body.data).toHaveLength(1);
    expect(second.body.next_cursor).toBeNull();
    const { id } = second.body.data[0];
    await create({ code: "a" });
    const path = `/links/deleted/${id}/restore`;
    expect(failure(await call("POST", path, {}))).toEqual([409, 3001, "LinkAlreadyExists"]);
    expect(await call("POST", path, { code: "d" })).toMatchObject({
      status: 200,
      body: { data: { code: "d", target: TARGET, short_url: expect.stringMatching(/\/d$/) } },
    });
    expect(failure(await call("POST", path, { code: "e" }))).toEqual([409, 1009, "Conflict"]);
    expect(await codes("?sort=code")).toEqual(["a", "d"]);
  });

  test("are found by a part of code, target, title and note, page by page", async () => {
    const links = [
      { code: "SPRING/1" },
      { code: "b", title: "Spring" },
      { code: "c" },
      { code: "d", note: "spring" },
    ];
    for (const link of links) {
      await create(link);
      await call("DELETE", `/links/${link.code}`);
    }
    const pageOf = async (query: string) => (await call("GET", `/links/deleted?search=sprinG&${query}`)).body;
    const first = await pageOf("limit=2");
    const second = await pageOf(`limit=2&cursor=${first.next_cursor}`);
    const found = [...first.data, ...second.data].map(({ code }: { code: string }) => code);
    expect([found, second.next_cursor]).toEqual([["d", "b", "SPRING/1"], null]);
    expect((await pageOf("limit=1")).data).toHaveLength(1);
  });

  test.each([
    ["GET", "/links/deleted?cursor=%21", 400, 1000],
    ["GET", "/links/deleted?cursor=W10", 400, 1000],
    ["POST", "/links/deleted/0/restore", 404, 3000],
    ["POST", "/links/deleted/99999999999999999999/restore", 404, 3000],
    ["POST", "/links/deleted/4711/restore", 404, 3000],
  ])("%s %s is refused", async (method, path, status, code) => {
    const response = await call(method, path, method === "POST" ? {} : undefined);
    expect([response.status, response.body.code]).toEqual([status, code]);
  });

  test("leave their path to links, which are read without parameters", async () => {
    expect((await call("GET", "/links/deleted")).body.data).toEqual([]);
    for (const code of ["deleted/1", "deleted", "available"]) {
      expect((await create({ code })).status).toBe(201);
      expect((await call("GET", `/links/${code}`)).body.data.code).toBe(code);
    }
    expect((await call("PATCH", "/links/deleted", { title: "t" })).body.data.title).toBe("t");
    expect((await call("DELETE", "/links/available")).status).toBe(200);
    expect((await call("GET", "/links/deleted?limit=2")).body.data).toMatchObject([{ code: "available" }]);
    expect((await call("DELETE", "/links/deleted")).status).toBe(200);
    const { body } = await call("GET", "/links/deleted");
    expect(body.data.map(({ code }: { code: string }) => code).sort()).toEqual(["available", "deleted"]);
  });

  test("batch and export stay reserved", async () => {
    for (const code of ["batch", "export"])
      expect(failure(await create({ code }))).toEqual([400, 3008, "LinkReservedCode"]);
  });
});
