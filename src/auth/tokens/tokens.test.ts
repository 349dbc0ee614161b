/** API tokens over HTTP, on every database. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { COMMAND } from "../../lib/actor.ts";
import { until } from "../../../test/support/until.ts";
import { viewOfEvent } from "../../platform/events/event.ts";
import { ADMIN_PASSWORD, type AuthHarness, Browser, startAuth } from "../auth.test-support.ts";
import { hashOfToken, newTokenText } from "./api-token.ts";

const PASSWORD = "a long password";
const HOUR_MS = 3_600_000;
const UNAUTHORIZED = { code: 1001, error: "Unauthorized", message: "Unauthorized: invalid or missing token" };

const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

/** Counts the questions about tokens. */
function watched(database: Database) {
  const lookups = { count: 0 };
  const read = new Proxy(database.read, {
    get(target, key) {
      const value = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (key === "selectFrom" && args[0] === "tokens") lookups.count++;
        return Reflect.apply(value, target, args);
      };
    },
  });
  return { lookups, database: { ...database, read } as Database };
}

forEachDialect((dialect) => {
  let harness: AuthHarness;
  let database: Database;
  let lookups: { count: number };
  let admin: Browser;

  beforeAll(async () => {
    ({ database, lookups } = watched(await dialect.openDb()));
    harness = await startAuth(database);
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
    admin = new Browser(harness);
    await admin.login(ADMIN_PASSWORD);
  });

  let names = 0;
  /** An account of the role, signed in from an address of its own. */
  async function account(role: "user" | "editor" | "admin" = "user") {
    const username = `account${++names}`;
    const user = await harness.auth.users.create({ username, password: PASSWORD, role, disabled: false });
    const browser = new Browser(harness, `198.51.100.${names}`);
    await browser.login(PASSWORD, username);
    return { id: user.id, username, browser };
  }
  const create = (browser: Browser, body: object = {}) =>
    browser.send("POST", "/admin/v1/tokens", { body: { name: "t", scopes: ["files:read"], ...body } });
  const tokenOf = async (browser: Browser, body?: object): Promise<{ id: number; token: string }> => {
    const response = await create(browser, body);
    expect(response.status).toBe(201);
    return response.json.data as never;
  };
  const probe = (token: string, method = "GET", access = "account") =>
    harness.request(method, `/admin/v1/probe/${access}`, bearer(token));
  const status = async (token: string) => (await probe(token)).status;
  const stored = (id: number) =>
    database.read.selectFrom("tokens").selectAll().where("id", "=", id).executeTakeFirst();

  test("is shown once, stored as its SHA-256 and listed without it", async () => {
    const { browser } = await account("editor");
    const first = await create(browser, { name: "CI", scopes: ["links:write", "links:read", "links:read"] });
    expect(first.json.data).toEqual({
      id: expect.any(Number),
      folder_id: null,
      name: "CI",
      scopes: ["links:read", "links:write"],
      created_at: "2026-11-20T12:00:00.000Z",
      updated_at: "2026-11-20T12:00:00.000Z",
      expires_at: null,
      expired: false,
      last_used_at: null,
      token: expect.stringMatching(/^wmk_[A-Za-z0-9]{40}$/),
    });
    const { id, token } = first.json.data as { id: number; token: string };
    expect((await stored(id))!.hash).toBe(hashOfToken(token));
    const second = await tokenOf(browser, { expires_at: "90d" });
    const list = await browser.send("GET", "/admin/v1/tokens?page_size=1");
    expect(list.text).not.toContain(second.token);
    expect(list.json.pagination).toEqual({ page: 1, page_size: 1, total: 2, total_pages: 2 });
    expect(list.json.data).toEqual([
      expect.objectContaining({ id: second.id, expires_at: "2027-02-18T12:00:00.000Z" }),
    ] as never);
  });

  test("acts as its account, without CSRF proof and without cookies", async () => {
    const { username, browser } = await account();
    const { token } = await tokenOf(browser, { scopes: ["files:read", "files:write"] });
    const response = await probe(token, "POST");
    expect([response.status, response.json.data]).toEqual([200, { account: username }]);
    const me = await harness.request("GET", "/admin/v1/auth/me", bearer(token));
    expect([me.status, me.json.data!["username"], me.headers.getSetCookie()]).toEqual([200, username, []]);
    expect(
      (
        await harness.request("GET", "/admin/v1/probe/account", {
          headers: { Cookie: `svc_access=${token}` },
        })
      ).status,
    ).toBe(401);
  });

  test("does what its scopes say, and nothing that needs a session", async () => {
    const { browser } = await account();
    const { token } = await tokenOf(browser, { scopes: ["files:read"] });
    expect((await probe(token)).status).toBe(200);
    const refused = await probe(token, "POST");
    expect([refused.status, refused.json.code, refused.json.message]).toEqual([
      403,
      1003,
      "The API token lacks the scope files:write.",
    ]);
    expect((await probe(token, "GET", "editor")).json.message).toBe(
      "Only editors and administrators may do this.",
    );
    for (const [method, path] of [
      ["GET", "/tokens"],
      ["POST", "/tokens"],
      ["DELETE", "/tokens/1"],
      ["GET", "/auth/verify"],
      ["PUT", "/auth/password"],
    ] as const) {
      const response = await harness.request(method, `/admin/v1${path}`, bearer(token));
      expect([path, response.status, response.json.code]).toEqual([path, 403, 1003]);
    }
  });

  test("has no scope that its account lacks, and loses those of a lowered role", async () => {
    const { id, browser } = await account("editor");
    const refused = await create(browser, { scopes: ["links:read", "admin"] });
    expect([refused.status, refused.json.message]).toEqual([
      403,
      "An account of the role editor can't give a token the scope admin.",
    ]);
    const { token } = await tokenOf(browser, { scopes: ["links:read", "files:read"] });
    expect((await probe(token, "GET", "editor")).status).toBe(200);
    await harness.auth.users.update(id, { role: "user" });
    expect((await probe(token, "GET", "editor")).status).toBe(403);
    expect((await probe(token)).status).toBe(200);
  });

  test("names are unique for the account; names, scopes and expiries are checked", async () => {
    const { browser } = await account();
    await tokenOf(browser, { name: "Ünï 漢字 😀" });
    expect((await create(browser, { name: "Ünï 漢字 😀" })).status).toBe(409);
    await tokenOf((await account()).browser, { name: "Ünï 漢字 😀" });
    const wrong: object[] = [
      ...["", " a", "a ", "a\nb", "\u0000", "a\u202eb", "\u200f", "x".repeat(65), 5, null].map((name) => ({
        name,
      })),
      ...[[], ["links"], ["files:read", "root"], "files:read", null].map((scopes) => ({ scopes })),
      ...["yesterday", "2020-01-01T00:00:00Z", "0d", "99999y", 5].map((expires_at) => ({ expires_at })),
    ];
    for (const body of wrong) {
      const response = await create(browser, body);
      expect([body, response.status, response.json.code]).toEqual([body, 400, 1000]);
    }
  });

  test("an account has at most 100", async () => {
    const { id, browser } = await account();
    const input = { scopes: ["files:read" as const] };
    for (let at = 0; at < 99; at++)
      await harness.auth.apiTokens.create(id, { ...input, name: `t${at}` }, COMMAND);
    const last = await Promise.all(
      Array.from({ length: 4 }, (_, at) => create(browser, { name: `last${at}` })),
    );
    expect(last.map((response) => response.status).toSorted()).toEqual([201, 409, 409, 409]);
  });

  test("each account reaches its own only, administrators too", async () => {
    const { browser } = await account();
    const { id, token } = await tokenOf(browser);
    expect((await admin.send("GET", "/admin/v1/tokens")).text).not.toContain(`"id":${id},`);
    for (const path of [`/admin/v1/tokens/${id}`, "/admin/v1/tokens/0", "/admin/v1/tokens/x"]) {
      const response = await admin.send("DELETE", path);
      expect([response.status, response.json.code]).toEqual([404, 1004]);
    }
    expect(await status(token)).toBe(200);
  });

  test("the list has the tokens of all accounts or of one, page after page", async () => {
    const { username, browser } = await account();
    const own = await tokenOf(browser, { name: "listed" });
    const built = await tokenOf(admin, { name: "listed" });
    const { list } = harness.auth.apiTokens;
    const newest = await list(null, { page: 1, pageSize: 1 });
    expect(newest.tokens).toMatchObject([{ id: built.id, accountId: 0, owner: "admin" }]);
    const second = await list(null, { page: 2, pageSize: 1 });
    expect(second.tokens).toMatchObject([{ id: own.id, owner: username, scopes: ["files:read"] }]);
    const ofOne = await list(second.tokens[0]!.accountId, { page: 1, pageSize: 10 });
    expect(ofOne).toEqual({ tokens: second.tokens, total: 1 });
  });

  test("making and revoking one are events, without its text", async () => {
    const { username, browser } = await account();
    const { id, token } = await tokenOf(browser, { name: `of ${username}`, expires_at: "1d" });
    await browser.send("DELETE", `/admin/v1/tokens/${id}`);
    const { events } = await harness.events.page({ subject: `of ${username}` }, null, 10);
    const state = { account: username, id, name: `of ${username}`, scopes: ["files:read"] };
    expect(events.map(viewOfEvent)).toEqual([
      expect.objectContaining({
        actor: username,
        via: "panel",
        action: "token.revoke",
        before: { ...state, expires_at: "2026-11-21T12:00:00.000Z" },
      }),
      expect.objectContaining({
        action: "token.create",
        after: { ...state, expires_at: "2026-11-21T12:00:00.000Z" },
      }),
    ]);
    const text = JSON.stringify(events);
    expect([text.includes(token), text.includes(hashOfToken(token))]).toEqual([false, false]);
  });

  describe("ends", () => {
    test("when it is revoked", async () => {
      const { browser } = await account();
      const { id, token } = await tokenOf(browser);
      expect(await status(token)).toBe(200);
      expect((await browser.send("DELETE", `/admin/v1/tokens/${id}`)).status).toBe(200);
      expect((await probe(token)).json).toEqual(UNAUTHORIZED);
      expect((await browser.send("DELETE", `/admin/v1/tokens/${id}`)).status).toBe(404);
    });

    test("when another process revokes it", async () => {
      const { id: accountId, browser } = await account();
      const { id, token } = await tokenOf(browser);
      expect(await status(token)).toBe(200);
      const other = await startAuth(await dialect.openDb());
      await other.auth.apiTokens.revoke(id, accountId, COMMAND);
      await harness.changes.poll();
      expect(await status(token)).toBe(401);
    });

    test("at its expiry", async () => {
      const { browser } = await account();
      const { token } = await tokenOf(browser, { expires_at: "1h" });
      harness.time.now += HOUR_MS - 1;
      expect(await status(token)).toBe(200);
      harness.time.now += 1;
      expect((await probe(token)).json).toEqual(UNAUTHORIZED);
      harness.time.now -= HOUR_MS;
    });

    test.each(["disabled", "deleted"])("when its account is %s, for good", async (how) => {
      const { id, browser } = await account();
      const { id: tokenId, token } = await tokenOf(browser);
      expect(await status(token)).toBe(200);
      if (how === "deleted") await harness.auth.users.remove(id);
      else await harness.auth.users.update(id, { disabled: true });
      expect((await probe(token)).json).toEqual(UNAUTHORIZED);
      if (how === "disabled") await harness.auth.users.update(id, { disabled: false });
      expect(await status(token)).toBe(401);
      expect(await stored(tokenId)).toBeUndefined();
    });

    test("not with a new password", async () => {
      const { id, browser } = await account();
      const { token } = await tokenOf(browser);
      await harness.auth.users.update(id, { password: "another password" });
      expect(await status(token)).toBe(200);
    });
  });

  test("the built-in administrator has tokens, which also read the health report", async () => {
    const { token } = await tokenOf(admin, { scopes: ["files:read"], name: "health" });
    const health = (text: string) => harness.request("GET", "/health/probe/admin", bearer(text));
    expect((await health(token)).status).toBe(200);
    const other = await tokenOf(admin, { scopes: ["links:read"], name: "links" });
    expect((await health(other.token)).status).toBe(403);
    const editor = await tokenOf((await account("editor")).browser);
    expect((await health(editor.token)).status).toBe(403);
    expect((await health(newTokenText())).status).toBe(401);
  });

  test("an expired one is listed as such, and removed 30 days later", async () => {
    const { browser } = await account();
    const { id: lasting } = await tokenOf(browser, { name: "lasting" });
    const { id } = await tokenOf(browser, { name: "short", expires_at: "1h" });
    const listed = async () => {
      const { data } = (await browser.send("GET", "/admin/v1/tokens")).json;
      return (data as unknown as { id: number; expired: boolean }[]).map((one) => [one.id, one.expired]);
    };
    const began = harness.time.now;
    const after = async (ms: number) => {
      harness.time.now = began + ms;
      await harness.auth.cleanUp();
      await browser.refresh();
      return listed();
    };
    try {
      expect(await after(HOUR_MS - 1)).toEqual([
        [id, false],
        [lasting, false],
      ]);
      expect(await after(HOUR_MS)).toEqual([
        [id, true],
        [lasting, false],
      ]);
      for (let days = 5; days <= 30; days += 5) await after(days * 24 * HOUR_MS);
      expect(await after(HOUR_MS * (30 * 24 + 1))).toContainEqual([id, true]);
      expect(await after(HOUR_MS * (30 * 24 + 1) + 1)).toEqual([[lasting, false]]);
    } finally {
      harness.time.now = began;
    }
  });

  test("the last use is stored to the hour, once an hour", async () => {
    const { browser } = await account();
    const { id, token } = await tokenOf(browser);
    const lastUse = async () => (await stored(id))!.last_used_at;
    const hour = harness.time.now - (harness.time.now % HOUR_MS);
    harness.time.now += 1_234_567;
    await status(token);
    await until(async () => (await lastUse()) === hour);
    await database.write.updateTable("tokens").set({ last_used_at: 1 }).where("id", "=", id).execute();
    await status(token);
    harness.time.now += HOUR_MS;
    await status(token);
    await until(async () => (await lastUse()) === hour + HOUR_MS);
    harness.time.now -= HOUR_MS + 1_234_567;
  });

  describe("without a question to the database", () => {
    test("a known token is checked", async () => {
      const { token } = await tokenOf((await account()).browser);
      await status(token);
      const before = lookups.count;
      for (let at = 0; at < 10; at++) expect(await status(token)).toBe(200);
      expect(lookups.count).toBe(before);
    });

    test("a wrong checksum, form or length is refused", async () => {
      const { token } = await tokenOf((await account()).browser);
      const before = lookups.count;
      const wrong = token.slice(0, -1) + (token.endsWith("0") ? "1" : "0");
      for (const text of [
        wrong,
        "wmk_",
        `${token}0`,
        token.slice(0, -1),
        `wmk_${"%".repeat(40)}`,
        `wmk_${"0".repeat(9000)}`,
      ]) {
        expect((await probe(text)).json).toEqual(UNAUTHORIZED);
      }
      expect(lookups.count).toBe(before);
    });

    test("unknown tokens beyond 50 at once from one address are refused; valid ones cost nothing", async () => {
      const { token } = await tokenOf((await account()).browser);
      const send = (text: string, peer: string) =>
        harness.request("GET", "/admin/v1/probe/account", { ...bearer(text), peer });
      const before = lookups.count;
      const responses = await Promise.all(
        Array.from({ length: 80 }, () => send(newTokenText(), "203.0.113.9")),
      );
      const counts = Map.groupBy(responses, (response) => response.status);
      expect([counts.get(401)?.length, counts.get(429)?.length]).toEqual([50, 30]);
      expect(counts.get(429)![0]!.headers.get("Retry-After")).toBe("1");
      expect(lookups.count - before).toBe(50);
      expect((await send(token, "203.0.113.10")).status).toBe(200);
      expect((await send(token, "203.0.113.9")).status).toBe(200);
    });
  });
});
