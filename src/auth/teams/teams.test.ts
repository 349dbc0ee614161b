/** Teams over HTTP, on every database. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { ADMIN_PASSWORD, type AuthHarness, Browser, startAuth } from "../auth.test-support.ts";

const TEAMS = "/admin/v1/teams";
const USERS = "/admin/v1/users";
const PASSWORD = "a password of eight and more";

forEachDialect((dialect) => {
  let database: Database;
  let harness: AuthHarness;
  let admin: Browser;
  let count = 0;

  const account = async (name: string) => {
    const username = `${name}-${++count}`;
    const { json } = await admin.send("POST", USERS, { body: { username, password: PASSWORD } });
    const browser = new Browser(harness, `198.51.100.${count % 250}`);
    await browser.login(PASSWORD, username);
    return { username, id: Number(json.data!["id"]), browser };
  };
  const make = async (members: object[] = []) => {
    const name = `team-${++count}`;
    const response = await admin.send("POST", TEAMS, { body: { name, members } });
    return { name, path: `${TEAMS}/${response.json.data?.["id"]}`, response };
  };

  beforeAll(async () => {
    database = await dialect.openDb();
    harness = await startAuth(database);
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
    admin = new Browser(harness, "192.0.2.200");
  });
  beforeEach(async () => {
    harness.time.now += 60_000;
    await admin.login(ADMIN_PASSWORD);
  });

  test("a team is made with members, listed, changed and deleted, and events tell it", async () => {
    const [anna, ben] = [await account("anna"), await account("ben")];
    const members = [
      { account: ben.username, role: "viewer" },
      { account: anna.username, role: "manager" },
    ];
    const { name, path, response } = await make(members);
    const at = new Date(harness.time.now).toISOString();
    const team = {
      id: response.json.data!["id"],
      name,
      members: members.toReversed(),
      quota_bytes: 0,
      created_at: at,
      updated_at: at,
    };
    expect([response.status, response.json.data]).toEqual([201, team]);
    expect((await admin.send("GET", path)).json.data).toEqual(team);
    const listed = await admin.send("GET", `${TEAMS}?search=${name.toUpperCase()}`);
    expect([listed.json.data, listed.json.pagination?.["total"]]).toEqual([[team], 1] as never);
    const renamed = `${name}.new`;
    const changed = await admin.send("PATCH", path, {
      body: { name: renamed, members: [{ account: "admin", role: "viewer" }] },
    });
    expect(changed.json.data).toMatchObject({
      name: renamed,
      members: [{ account: "admin", role: "viewer" }],
    });
    expect((await admin.send("PATCH", path, { body: { members: [] } })).json.data).toMatchObject({
      name: renamed,
      members: [],
    });
    expect((await admin.send("DELETE", path)).status).toBe(200);
    expect((await admin.send("GET", path)).status).toBe(404);
    const { events } = await harness.events.page({}, null, 20);
    const recorded = events.filter((event) => event.action.startsWith("team."));
    expect(recorded.map(({ action, subject }) => [action, subject])).toEqual([
      ["team.delete", renamed],
      ["team.update", renamed],
      ["team.update", renamed],
      ["team.create", name],
    ]);
  });

  describe("members", () => {
    test("see their teams only, and managers alone change them, with the next request", async () => {
      const [anna, ben] = [await account("anna"), await account("ben")];
      const [{ path, name }, foreign] = [
        await make([{ account: ben.username, role: "viewer" }]),
        await make(),
      ];
      const names = async (browser: Browser) =>
        (await browser.send("GET", TEAMS)).json.data as unknown as { name: string }[];
      expect((await names(ben.browser)).map((team) => team.name)).toEqual([name]);
      expect(await names(anna.browser)).toEqual([]);
      expect((await anna.browser.send("GET", path)).status).toBe(404);
      expect((await ben.browser.send("GET", path)).status).toBe(200);
      expect((await ben.browser.send("GET", foreign.path)).status).toBe(404);
      expect((await ben.browser.send("PATCH", foreign.path, { body: {} })).status).toBe(404);
      const body = { members: [{ account: anna.username, role: "editor" }] };
      for (const role of ["viewer", "editor"]) {
        await admin.send("PATCH", path, { body: { members: [{ account: ben.username, role }] } });
        expect((await ben.browser.send("PATCH", path, { body })).status).toBe(403);
      }
      await admin.send("PATCH", path, { body: { members: [{ account: ben.username, role: "manager" }] } });
      expect((await ben.browser.send("PATCH", path, { body })).status).toBe(200);
      expect((await ben.browser.send("GET", path)).status).toBe(404);
      expect((await anna.browser.send("GET", path)).status).toBe(200);
      expect((await anna.browser.send("DELETE", path)).status).toBe(403);
      expect((await anna.browser.send("POST", TEAMS, { body: { name: "own" } })).status).toBe(403);
    });

    test("who are unknown, named twice or have no such role are refused, and so is a taken name", async () => {
      const [anna, { name, path }] = [await account("anna"), await make()];
      const one = { account: anna.username, role: "viewer" };
      for (const members of [
        [{ account: "nobody.at.all", role: "viewer" }],
        [one, one],
        [{ ...one, role: "boss" }],
      ]) {
        const response = await admin.send("PATCH", path, { body: { members } });
        expect([members, response.status, response.json.code]).toEqual([members, 400, 1000]);
      }
      expect((await admin.send("POST", TEAMS, { body: { name: name.toUpperCase() } })).status).toBe(409);
      expect((await admin.send("PATCH", (await make()).path, { body: { name } })).status).toBe(409);
      expect((await admin.send("POST", TEAMS, { body: { name: "team:press" } })).status).toBe(400);
    });

    test("who try many names wait longer each time, and those who name accounts do not", async () => {
      const [anna, ben] = [await account("anna"), await account("ben")];
      const manager = { account: anna.username, role: "manager" };
      const [{ path }, taken] = [await make([manager]), await make()];
      const add = async (browser: Browser, name: string) => {
        const body = { members: [manager, { account: name, role: "viewer" }] };
        return (await browser.send("PATCH", path, { body })).status;
      };
      const rename = async () =>
        (await anna.browser.send("PATCH", path, { body: { name: taken.name } })).status;
      for (let at = 0; at < 6; at++) expect(await add(anna.browser, ben.username)).toBe(200);
      const tries = [await rename()];
      for (let at = 0; at < 5; at++) tries.push(await add(anna.browser, "nobody.at.all"));
      expect(tries).toEqual([409, 400, 400, 400, 400, 429]);
      expect(await add(anna.browser, ben.username)).toBe(429);
      expect((await anna.browser.send("PATCH", path, { body: { members: [] } })).status).toBe(200);
      await admin.send("PATCH", path, { body: { members: [manager] } });
      harness.time.now += 1_000;
      expect(await add(anna.browser, ben.username)).toBe(200);
      expect([await add(anna.browser, "nobody.at.all"), await rename()]).toEqual([400, 429]);
      for (let at = 0; at < 6; at++) expect(await add(admin, "nobody.at.all")).toBe(400);
    });

    test("leave with their account", async () => {
      const anna = await account("anna");
      const { path } = await make([{ account: anna.username, role: "editor" }]);
      await admin.send("DELETE", `${USERS}/${anna.id}`);
      expect((await admin.send("GET", path)).json.data).toMatchObject({ members: [] });
    });

    test("are in at most 100 teams", async () => {
      const anna = await account("anna");
      const members = [{ account: anna.username, role: "viewer" }];
      for (let at = 0; at < 100; at++) expect((await make(members)).response.status).toBe(201);
      const { status, json } = (await make(members)).response;
      expect([status, json.message]).toEqual([
        409,
        `The account '${anna.username}' is in 100 teams already.`,
      ]);
    });
  });

  test("what a deleted team or account owned goes to another owner", async () => {
    const [anna, { path, name }] = [await account("anna"), await make()];
    const { read, write } = database;
    const own = -1 - Number(path.split("/").at(-1));
    const link = (code: string, owner_id: number) => ({
      code,
      target: "https://a.b",
      owner_id,
      created_at: 1,
      updated_at: 1,
    });
    await write
      .insertInto("links")
      .values([link(`a${count}`, own), link(`b${count}`, anna.id)])
      .execute();
    const tag = await write
      .insertInto("tags")
      .values({ tag: `t${count}`, links: 2 })
      .executeTakeFirstOrThrow();
    expect(tag).toBeDefined();
    const { id: tag_id } = await read
      .selectFrom("tags")
      .select("id")
      .where("tag", "=", `t${count}`)
      .executeTakeFirstOrThrow();
    await write
      .insertInto("owner_tags")
      .values([own, anna.id].map((owner_id) => ({ owner_id, tag_id, links: 1 })))
      .execute();
    const remove = async (of: string, query = "") => (await admin.send("DELETE", of + query)).status;
    expect(await remove(path)).toBe(409);
    expect(await remove(path, "?transfer_to=nobody.at.all")).toBe(400);
    expect(await remove(path, `?transfer_to=team:${name}`)).toBe(400);
    const site = { ...link(`x/${count}`, own), code: "\x7f\x11\x7frobots.txt" };
    for (const code of [`v${count}.2`, site.code]) {
      await write
        .insertInto("links")
        .values({ ...site, code })
        .execute();
    }
    const refusal = async () => {
      const { status, json } = await admin.send("DELETE", `${path}?transfer_to=${anna.username}`);
      return [status, json.message];
    };
    expect(await refusal()).toEqual([409, expect.stringContaining('"robots.txt" speaks for')]);
    await write.deleteFrom("links").where("code", "=", site.code).execute();
    const { id: link_id } = await read
      .selectFrom("links")
      .select("id")
      .where("code", "=", `a${count}`)
      .executeTakeFirstOrThrow();
    const alias = { code: "Favicon.ico", link_id, created_at: 1 };
    await write.insertInto("link_aliases").values(alias).execute();
    expect(await refusal()).toEqual([409, expect.stringContaining('"Favicon.ico" speaks for')]);
    await write.deleteFrom("link_aliases").where("code", "=", alias.code).execute();
    expect(await remove(path, `?transfer_to=${anna.username}`)).toBe(200);
    const ownersOf = async () =>
      (
        await read
          .selectFrom("links")
          .select("owner_id")
          .where("code", "in", [`a${count}`, `b${count}`])
          .execute()
      ).map((row) => row.owner_id);
    expect(await ownersOf()).toEqual([anna.id, anna.id]);
    const moved = read.selectFrom("links").select("updated_at").where("code", "=", `a${count}`);
    expect((await moved.executeTakeFirstOrThrow()).updated_at).toBe(harness.time.now);
    const counts = () =>
      read.selectFrom("owner_tags").select(["owner_id", "links"]).where("tag_id", "=", tag_id).execute();
    expect(await counts()).toEqual([{ owner_id: anna.id, links: 2 }]);
    const refused = await admin.send("DELETE", `${USERS}/${anna.id}`);
    expect([refused.status, refused.json.message]).toEqual([409, expect.stringContaining("transfer_to")]);
    expect(await remove(`${USERS}/${anna.id}`, "?transfer_to=admin")).toBe(200);
    expect(await ownersOf()).toEqual([0, 0]);
    expect(await counts()).toEqual([{ owner_id: 0, links: 2 }]);
  });
});
