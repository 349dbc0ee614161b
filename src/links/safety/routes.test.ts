import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Caller } from "../../platform/http/endpoint.ts";
import { COMMAND } from "../../lib/actor.ts";
import { failure, type LinksApi, openLinksApi } from "../links-api.test-support.ts";
import { TARGET } from "../links.test-support.ts";

let api: LinksApi;
let call: LinksApi["call"];
beforeAll(async () => {
  api = await openLinksApi();
  ({ call } = api);
});
afterAll(() => api.close());
beforeEach(() => api.room.clear());

const EDITOR: Caller = { id: 5, username: "ed", role: "editor", via: "api" };

test("a review responds with the link, and refuses what is no decision", async () => {
  await api.as(EDITOR, () => api.create({ code: "a/b" }));
  const path = "/links/a/b/review";
  const taken = await call("POST", path, { action: "take_down", reason: " phishing " });
  expect(taken).toMatchObject({
    status: 200,
    body: {
      data: {
        code: "a/b",
        target: TARGET,
        held: { state: "taken_down", at: "2026-11-20T13:00:00.000Z", by: "admin", reason: "phishing" },
      },
    },
  });
  expect(await api.codes("?held=taken_down")).toEqual(["a/b"]);
  expect(failure(await call("POST", path, { action: "take_down" }))).toEqual([409, 1009, "Conflict"]);
  expect(failure(await call("POST", path, { action: "approve" }))).toEqual([409, 1009, "Conflict"]);
  for (const body of [
    {},
    { action: "hold" },
    { action: "reinstate", reason: "x".repeat(501) },
    { action: "reinstate", updated_at: 1 },
  ]) {
    expect((await call("POST", path, body)).status).toBe(400);
  }
  const stale = { action: "reinstate", updated_at: "2020-01-01T00:00:00Z" };
  expect((await call("POST", path, stale)).status).toBe(409);
  expect(failure(await call("POST", "/links/none/review", { action: "take_down" }))).toEqual([
    404,
    3000,
    "LinkNotFound",
  ]);
  await api.as(EDITOR, async () => {
    expect((await call("PATCH", "/links/a/b", { title: "x" })).status).toBe(409);
    expect((await call("DELETE", "/links/a/b")).status).toBe(409);
    const { failed } = (await call("DELETE", "/links/batch", { codes: ["a/b"] })).body.data;
    expect(failed).toMatchObject([{ code: "a/b", error_code: 1009 }]);
  });
  const given = { target: TARGET, held: null, dead_since: null };
  expect((await call("PUT", "/links/a/b", given)).status).toBe(409);
  expect((await call("POST", path, { action: "reinstate" })).body.data.held).toBeNull();
  const { data } = (await call("PUT", "/links/a/b", { ...given, held: { state: "waiting" } })).body;
  expect(data.held).toBeNull();
});

test("whose link leads to one of our short URLs is offered that link, if it may be seen", async () => {
  const { id } = await api.room.links.domainService.create({ host: "own.example" }, COMMAND);
  await api.create({ code: "first", domain: "own.example" });
  const target = "https://own.example/first";
  const made = await api.create({ target });
  expect(made).toMatchObject({
    status: 201,
    body: { data: { target }, existing_link: { code: "first", domain: "own.example" } },
  });
  const others = [
    await api.as(EDITOR, () => api.create({ target })),
    await api.create({ target: "https://own.example/none" }),
    await api.create({}),
  ];
  for (const { status, body } of others) expect([status, "existing_link" in body]).toEqual([201, false]);
  const path = `/links/${others[2]!.body.data.code}`;
  const changed = [await call("PUT", path, { target }), await call("PATCH", path, { title: "t" })];
  for (const { body } of changed) expect(body).toMatchObject({ existing_link: { code: "first" } });
  const onRequest = await api.create({ target: `http://localhost${path.slice(6)}` });
  expect(onRequest.body).toMatchObject({ existing_link: { target } });
  const toItself = await call("PATCH", path, { target: `http://localhost${path.slice(6)}` });
  expect([toItself.status, "existing_link" in toItself.body]).toEqual([200, false]);
  await api.call("DELETE", "/links/first?domain=own.example");
  await api.room.links.domainService.remove(id, COMMAND);
});

test("reports are listed in pages and resolved once", async () => {
  const { id } = (await api.create({ code: "r" })).body.data;
  for (const reason of ["spam", "malware", "other"] as const) {
    await api.room.links.safety.report({ id, code: "r" }, { reason, details: null });
  }
  const first = await call("GET", "/reports?limit=2");
  expect(first.body.data).toMatchObject([
    { reason: "other", code: "r", target: TARGET, short_url: "http://localhost/r", held: null, domain: null },
    { reason: "malware", link_id: id, resolved_at: null },
  ]);
  const second = await call("GET", `/reports?limit=2&cursor=${first.body.next_cursor}`);
  expect(second.body).toMatchObject({ data: [{ reason: "spam" }], next_cursor: null });
  const [{ id: newest }, { id: other }] = first.body.data;
  const dismissed = await call("POST", `/reports/${newest}/resolve`, { action: "dismiss" });
  expect(dismissed.body.data).toMatchObject({ resolved_by: "admin", held: null });
  expect((await call("POST", `/reports/${newest}/resolve`, { action: "dismiss" })).status).toBe(409);
  expect((await call("POST", "/reports/999999/resolve", { action: "dismiss" })).status).toBe(404);
  expect((await call("POST", "/reports/x/resolve", { action: "dismiss" })).status).toBe(404);
  expect((await call("POST", `/reports/${other}/resolve`, { action: "ban" })).status).toBe(400);
  const down = await call("POST", `/reports/${other}/resolve`, { action: "take_down", reason: "bad" });
  expect(down.body.data.held).toMatchObject({ state: "taken_down", reason: "bad" });
  expect((await call("GET", "/reports")).body.data).toEqual([]);
  expect((await call("GET", "/reports?state=resolved")).body.data.length).toBe(3);
  expect((await call("GET", "/reports?state=all")).status).toBe(400);
});
