/** What administrators see of accounts and of their tokens, on every database. */
import { beforeAll, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { ADMIN_PASSWORD, type AuthHarness, Browser, startAuth } from "../auth.test-support.ts";

const USERS = "/admin/v1/users";
const TOKENS = "/admin/v1/tokens";
const PASSWORD = "a long password";

type Row = Record<string, unknown>;

forEachDialect((dialect) => {
  let database: Database;
  let harness: AuthHarness;
  let admin: Browser;
  const ids = new Map<string, number>();

  const rows = async (path: string) => (await admin.send("GET", path)).json.data as unknown as Row[];
  const names = async (query: string) => (await rows(`${USERS}?${query}`)).map((row) => row["username"]);

  beforeAll(async () => {
    database = await dialect.openDb();
    harness = await startAuth(database);
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
    admin = new Browser(harness);
    await admin.login(ADMIN_PASSWORD);
    for (const [username, role, disabled] of [
      ["anna_b", "editor", false],
      ["annaxb", "user", true],
      ["ben", "editor", false],
    ] as const) {
      const made = await harness.auth.users.create({ username, password: PASSWORD, role, disabled });
      ids.set(username, made.id);
    }
  });

  test("accounts are found by a part of the name, by role and by state", async () => {
    expect(await names("")).toEqual(["anna_b", "annaxb", "ben"]);
    expect(await names("search=ANNA")).toEqual(["anna_b", "annaxb"]);
    expect(await names("search=a_b")).toEqual(["anna_b"]);
    expect(await names("search=%25")).toEqual([]);
    expect(await names("role=editor&disabled=false")).toEqual(["anna_b", "ben"]);
    expect(await names("disabled=true&role=&search=")).toEqual(["annaxb"]);
    expect((await admin.send("GET", `${USERS}?search=ann&page_size=1`)).json).toMatchObject({
      pagination: { total: 2, total_pages: 2 },
    });
    expect((await admin.send("GET", `${USERS}?role=chief`)).status).toBe(400);
  });

  test("numbers at the end are ordered by their value", async () => {
    for (const username of ["user10", "user2", "user", "user1"])
      await harness.auth.users.create({ username, password: PASSWORD, role: "user", disabled: false });
    expect(await names("search=user")).toEqual(["user", "user1", "user2", "user10"]);
    const pages = await Promise.all([1, 2].map((page) => names(`search=user&page_size=2&page=${page}`)));
    expect(pages.flat()).toEqual(["user", "user1", "user2", "user10"]);
    const { data } = (await admin.send("GET", `${USERS}?search=user`)).json;
    for (const { id } of data as unknown as { id: number }[]) await admin.send("DELETE", `${USERS}/${id}`);
  });

  test("the list has what files take, and one account what it has", async () => {
    const id = ids.get("ben")!;
    await database.write
      .insertInto("account_usage")
      .values({ account_id: id, bytes: 123, moves: 0 })
      .execute();
    const used = (await rows(USERS)).map((row) => [row["username"], row["used_bytes"]]);
    expect(used).toEqual([
      ["anna_b", 0],
      ["annaxb", 0],
      ["ben", 123],
    ]);
    const ben = new Browser(harness, "198.51.100.7");
    await ben.login(PASSWORD, "ben");
    await ben.send("POST", TOKENS, { body: { name: "one", scopes: ["files:read"] } });
    expect((await admin.send("GET", `${USERS}/${id}/belongings`)).json.data).toEqual({
      used_bytes: 123,
      files: 0,
      folders: 0,
      tokens: 1,
      links: 0,
    });
    for (const [path, status] of [
      [`${USERS}/0/belongings`, 200],
      [`${USERS}/999999/belongings`, 404],
    ] as const) {
      expect([path, (await admin.send("GET", path)).status]).toEqual([path, status]);
    }
  });

  test("administrators list and revoke the tokens of all accounts, others do not", async () => {
    const anna = new Browser(harness, "198.51.100.8");
    await anna.login(PASSWORD, "anna_b");
    await anna.send("POST", TOKENS, { body: { name: "of anna", scopes: ["files:read"] } });
    await admin.send("POST", TOKENS, { body: { name: "of admin", scopes: ["admin"] } });
    const all = await rows(`${TOKENS}?all=true`);
    expect(all.slice(0, 2).map(({ name, account }) => [name, account])).toEqual([
      ["of admin", "admin"],
      ["of anna", "anna_b"],
    ]);
    expect((await rows(TOKENS)).map(({ name, account }) => [name, account])).toEqual([
      ["of admin", undefined],
    ]);
    const id = all[1]!["id"];
    const own = all[0]!["id"];
    expect((await anna.send("GET", `${TOKENS}?all=true`)).json.code).toBe(1003);
    expect((await anna.send("DELETE", `${TOKENS}/${own}?all=true`)).json.code).toBe(1003);
    expect((await admin.send("DELETE", `${TOKENS}/${id}`)).status).toBe(404);
    expect((await admin.send("DELETE", `${TOKENS}/${id}?all=true`)).status).toBe(200);
    expect((await anna.send("GET", TOKENS)).json.data as unknown).toEqual([]);
  });
});
