/** The endpoints over HTTP, mounted as in the server, as an administrator. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { failure, type LinksApi, openLinksApi } from "./links-api.test-support.ts";
import { DAY, EMPTY_FIELDS, NOW, TARGET } from "./links.test-support.ts";

let api: LinksApi;
let room: LinksApi["room"];
let call: LinksApi["call"];
let create: LinksApi["create"];
let codes: LinksApi["codes"];

beforeAll(async () => {
  api = await openLinksApi();
  ({ room, call, create, codes } = api);
});
afterAll(() => api.close());
beforeEach(() => api.room.clear());

/** The link a after an update. */
const updated = async (body: object) =>
  (await call("PUT", "/links/a", { target: TARGET, ...body })).body.data;

describe("one link", () => {
  test("create responds with 201 and the whole link and a masked password", async () => {
    const made = await create({ code: "a/b", expires_at: "7d", password: "secret" });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      code: 0,
      message: "OK",
      data: {
        ...EMPTY_FIELDS,
        code: "a/b",
        target: TARGET,
        created_at: "2026-11-20T13:00:00.000Z",
        expires_at: "2026-11-27T13:00:00.000Z",
        password: "[REDACTED]",
        click_count: 0,
        id: expect.any(Number),
        owner: "admin",
        updated_at: "2026-11-20T13:00:00.000Z",
        human_clicks: 0,
        domain: null,
        dead_since: null,
        short_url: "http://localhost/a/b",
        title: null,
        note: null,
        created_by: "admin",
        starts_at: null,
        max_clicks: null,
        fallback_url: null,
        redirect_status: 307,
        forward_query: false,
        tags: [],
      },
    });
    for (const response of [made, await call("GET", "/links/a/b"), await call("GET", "/links")]) {
      expect(response.text).not.toContain("$argon2");
      expect(response.text).not.toContain("secret");
    }
  });

  test("reuse responds with 200 and the link that exists", async () => {
    const made = await create({ reuse: true });
    const again = await create({ reuse: true });
    expect([made.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(made.body);
    expect(again.headers.get("etag")).toBe(made.headers.get("etag"));
    expect((await create({ reuse: true, title: "t" })).body.details).toMatchObject([{ field: "reuse" }]);
  });

  test.each([{}, { code: null }, { code: "" }])("a random code for %j", async (body) => {
    const { data } = (await create(body)).body;
    expect(data.code).toMatch(/^[A-Za-z0-9]{6}$/);
    expect((await call("GET", `/links/${data.code}`)).body.data).toEqual(data);
  });

  test.each([
    [400, 1000, "BadRequest", {}],
    [400, 1000, "BadRequest", { target: null }],
    [400, 1000, "BadRequest", { target: TARGET, code: 5 }],
    [400, 1000, "BadRequest", { target: TARGET, force: "yes" }],
    [400, 1000, "BadRequest", { target: TARGET, password: "[REDACTED]" }],
    [400, 1000, "BadRequest", []],
    [400, 1000, "BadRequest", "{"],
    [400, 3002, "LinkInvalidUrl", { target: "" }],
    [400, 3002, "LinkInvalidUrl", { target: "javascript:alert(1)" }],
    [400, 3002, "LinkInvalidUrl", { target: "https://a.example/\r\nX: y" }],
    [400, 3003, "LinkInvalidExpireTime", { target: TARGET, expires_at: "2026-02-30T00:00:00Z" }],
    [400, 3003, "LinkInvalidExpireTime", { target: TARGET, expires_at: "0d" }],
    [400, 3007, "LinkInvalidCode", { target: TARGET, code: "a\0b" }],
    [400, 3007, "LinkInvalidCode", { target: TARGET, code: "x".repeat(129) }],
    [400, 3008, "LinkReservedCode", { target: TARGET, code: "admin/a" }],
    [400, 3008, "LinkReservedCode", { target: TARGET, code: "files" }],
    [400, 3008, "LinkReservedCode", { target: TARGET, code: "batch" }],
    [400, 3008, "LinkReservedCode", { target: TARGET, code: "export", force: true }],
  ])("%d %d %s for %j, and nothing is stored", async (status, code, error, body) => {
    expect(failure(await call("POST", "/links", body))).toEqual([status, code, error]);
    expect(await room.rows("links")).toBe(0);
  });

  test("an existing code is 409 / 3001 and is overwritten with force", async () => {
    await create({ code: "a" });
    expect(failure(await create({ code: "a" }))).toEqual([409, 3001, "LinkAlreadyExists"]);
    const forced = await create({ code: "a", target: "http://b.example", force: true });
    expect([forced.status, forced.body.data.target]).toEqual([201, "http://b.example"]);
  });

  test("a code with slashes is found plain and percent-encoded", async () => {
    await create({ code: "a/b/c.d" });
    for (const path of ["/links/a/b/c.d", "/links/a%2Fb%2fc.d", "/links/%61/b/c%2Ed"]) {
      expect((await call("GET", path)).body.data.code).toBe("a/b/c.d");
    }
    expect((await call("PUT", "/links/a%2Fb/c.d", { target: "http://b.example" })).status).toBe(200);
    expect((await call("DELETE", "/links/a/b%2Fc.d")).status).toBe(200);
  });

  test("a path is decoded once", async () => {
    await create({ code: "a/b" });
    expect(failure(await call("GET", "/links/a%252Fb"))).toEqual([404, 3000, "LinkNotFound"]);
  });

  test("update keeps, sets and clears", async () => {
    await create({ code: "a", expires_at: "1d", password: "secret" });
    const expires_at = new Date(NOW + DAY).toISOString();
    expect(await updated({})).toMatchObject({ expires_at, password: "[REDACTED]" });
    expect(await updated({ expires_at: null, password: null })).toMatchObject({
      expires_at,
      password: "[REDACTED]",
    });
    expect(await updated({ expires_at: "", password: "" })).toMatchObject({
      expires_at: null,
      password: null,
    });
  });

  test.each([
    [400, 1000, "BadRequest", {}],
    [400, 1000, "BadRequest", { target: TARGET, password: "[REDACTED]" }],
    [400, 3002, "LinkInvalidUrl", { target: "" }],
    [400, 3003, "LinkInvalidExpireTime", { target: TARGET, expires_at: "yesterday" }],
  ])("update: %d %d %s for %j", async (status, code, error, body) => {
    await create({ code: "a" });
    expect(failure(await call("PUT", "/links/a", body))).toEqual([status, code, error]);
    expect((await room.links.get("a")).updatedAt).toBe(NOW);
  });

  test("delete responds with a message, then with 404", async () => {
    await create({ code: "a" });
    const deleted = await call("DELETE", "/links/a");
    expect([deleted.status, Object.keys(deleted.body.data)]).toEqual([200, ["message"]]);
    expect(failure(await call("DELETE", "/links/a"))).toEqual([404, 3000, "LinkNotFound"]);
  });

  test.each(["nope", "a%00b", "%ff", "%zz", "%C3%A4", "x".repeat(500), "a%20b"])(
    "%s is 404 / 3000",
    async (code) => {
      const notFound = [404, 3000, "LinkNotFound"];
      expect(failure(await call("GET", `/links/${code}`))).toEqual(notFound);
      expect(failure(await call("PUT", `/links/${code}`, { target: TARGET }))).toEqual(notFound);
      expect(failure(await call("DELETE", `/links/${code}`))).toEqual(notFound);
    },
  );

  test("other methods are 405", async () => {
    expect((await call("POST", "/links/a", {})).status).toBe(405);
    expect((await call("DELETE", "/links")).status).toBe(405);
    expect(await call("OPTIONS", "/links/a")).toMatchObject({ status: 204, text: "" });
    expect((await call("OPTIONS", "/nothing")).status).toBe(404);
  });
});

describe("the list", () => {
  beforeEach(async () => {
    for (const code of ["a", "b", "c"]) {
      await create({ code, ...(code === "b" ? { expires_at: "1s" } : {}) });
      room.clock.time += 1000;
    }
  });

  test("returns pages, with the pagination beside the data", async () => {
    const { status, body } = await call("GET", "/links?page=2&page_size=2");
    expect(status).toBe(200);
    expect(body.pagination).toEqual({ page: 2, page_size: 2, total: 3, total_pages: 2 });
    expect(body.data.map((link: { code: string }) => link.code)).toEqual(["a"]);
  });

  test.each([
    ["", 1, 20],
    ["?page=&page_size=&search=&created_after=&only_active=&sort=&order=", 1, 20],
    ["?page=0&page_size=0", 1, 1],
    ["?page=-5&page_size=-1", 1, 1],
    ["?page_size=1000", 1, 100],
    ["?page=99999999999999999999", 1_000_000_000, 20],
    [`?page=-${"9".repeat(400)}&page_size=${"9".repeat(400)}`, 1, 100],
  ])("clamps %s", async (query, page, page_size) => {
    const { status, body } = await call("GET", `/links${query}`);
    expect(status).toBe(200);
    expect(body.pagination).toMatchObject({ page, page_size, total: 3 });
  });

  test("filters and sorts its links", async () => {
    expect(await codes("")).toEqual(["c", "b", "a"]);
    expect(await codes("?sort=code")).toEqual(["a", "b", "c"]);
    expect(await codes("?order=asc")).toEqual(["a", "b", "c"]);
    expect(await codes("?only_expired=true")).toEqual(["b"]);
    expect(await codes("?only_active=1")).toEqual(["c", "a"]);
    expect(await codes("?only_active=True")).toEqual(["c", "a"]);
    expect(await codes("?only_active=false&only_expired=0")).toEqual(["c", "b", "a"]);
    expect(await codes("?only_active=False&only_expired=FALSE")).toEqual(["c", "b", "a"]);
    expect(await codes("?search=EXAMPLE.com%2F")).toEqual(["c", "b", "a"]);
    expect(await codes("?search=_")).toEqual([]);
  });

  test("creation time bounds are inclusive, and a plus sign needs no encoding", async () => {
    expect(await codes("?created_after=2026-11-20T13:00:01Z")).toEqual(["c", "b"]);
    expect(await codes("?created_before=2026-11-20T13:00:01Z")).toEqual(["b", "a"]);
    expect(await codes("?created_after=2026-11-20T15:00:02+02:00")).toEqual(["c"]);
    expect(await codes("?created_after=2026-11-20T15:00:02%2B02:00")).toEqual(["c"]);
  });

  test.each([
    [1000, "BadRequest", "only_active=true&only_expired=true"],
    [1000, "BadRequest", "only_active=1&only_expired=1"],
    [1000, "BadRequest", "only_active=True&only_expired=TRUE"],
    [1000, "BadRequest", "only_active=yes"],
    [1000, "BadRequest", "page=one"],
    [1000, "BadRequest", "page=1.5"],
    [1000, "BadRequest", "page_size=%20"],
    [1000, "BadRequest", "sort=target"],
    [1000, "BadRequest", "order=up"],
    [1000, "BadRequest", `search=${"x".repeat(513)}`],
    [1000, "BadRequest", "search=a%00b"],
    [1012, "InvalidDateFormat", "created_after=2026-11-20"],
    [1012, "InvalidDateFormat", "created_before=2026-02-30T00:00:00Z"],
  ])("400 %d %s for %s", async (code, error, query) => {
    expect(failure(await call("GET", `/links?${query}`))).toEqual([400, code, error]);
  });

  test("statistics", async () => {
    await room.click("a", 5, 2);
    await room.click("b", 1);
    const stats = {
      total_links: 3,
      active_links: 2,
      imported_clicks: 0,
      human_clicks: 4,
      automated_clicks: 2,
    };
    for (const [query, clicks] of [
      ["", 6],
      ["?visitors=", 6],
      ["?visitors=all", 6],
      ["?visitors=human", 4],
      ["?visitors=automated", 2],
    ] as const) {
      expect((await call("GET", `/stats${query}`)).body.data).toEqual({ ...stats, total_clicks: clicks });
    }
    expect(failure(await call("GET", "/stats?visitors=robots"))).toEqual([400, 1000, "BadRequest"]);
    expect((await call("GET", "/links/a")).body.data).toMatchObject({ click_count: 5, human_clicks: 3 });
    expect((await call("GET", "/links?sort=click_count")).body.data[0]).toMatchObject({ human_clicks: 3 });
  });
});

describe("batches", () => {
  test("create, update and delete report one outcome per item", async () => {
    const made = await call("POST", "/links/batch", {
      links: [{ code: "a", target: TARGET }, { code: "b" }, 7],
    });
    expect(made.status).toBe(200);
    expect(made.body.data).toEqual({
      success: ["a"],
      failed: [
        { code: "b", error: expect.any(String), error_code: 1000 },
        { code: "", error: expect.any(String), error_code: 1000 },
      ],
    });
    const updates = [
      { code: "a", payload: { target: "http://b.example" } },
      { code: "z", payload: { target: TARGET } },
    ];
    const changed = await call("PUT", "/links/batch", { updates });
    expect(changed.body.data).toMatchObject({ success: ["a"], failed: [{ code: "z", error_code: 3000 }] });
    const removed = await call("DELETE", "/links/batch", { codes: ["a", "z"] });
    expect(removed.body.data).toMatchObject({ success: ["a"], failed: [{ code: "z", error_code: 3000 }] });
  });

  test("create takes what one creation takes, such as 32 rules of 32 values", async () => {
    const country = Array.from({ length: 32 }, (_, n) => `D${String.fromCharCode(65 + (n % 26))}`);
    const rules = Array.from({ length: 32 }, () => ({ if: { country }, target: TARGET }));
    expect((await call("POST", "/links", { code: "one", target: TARGET, rules })).status).toBe(201);
    const { body } = await call("POST", "/links/batch", { links: [{ code: "many", target: TARGET, rules }] });
    expect(body.data).toEqual({ success: ["many"], failed: [] });
  });

  test.each([
    ["POST", "links"],
    ["PUT", "updates"],
    ["DELETE", "codes"],
  ])("%s requires an object with an array of at most 5,000 items", async (method, field) => {
    for (const body of [[], {}, { [field]: {} }, { [field]: null }, "", "null"]) {
      expect(failure(await call(method, "/links/batch", body))).toEqual([400, 1000, "BadRequest"]);
    }
    const many = { [field]: Array.from({ length: 5001 }, () => 0) };
    expect(failure(await call(method, "/links/batch", many))).toEqual([400, 1010, "BatchSizeTooLarge"]);
  });
});
