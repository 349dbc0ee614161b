/** The list of an account's sessions, and the end of one, on every database. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { COMMAND } from "../../lib/actor.ts";
import { viewOfEvent } from "../../platform/events/event.ts";
import { ADMIN_PASSWORD, type AuthHarness, Browser, startAuth } from "../auth.test-support.ts";

const LIST = "/admin/v1/account/sessions";
const MINUTE_MS = 60_000;

forEachDialect((dialect) => {
  let harness: AuthHarness;

  beforeAll(async () => {
    harness = await startAuth(await dialect.openDb());
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
  });
  let names = 0;
  let name: string;
  beforeEach(async () => {
    harness.time.now += 60 * MINUTE_MS;
    name = `account${++names}`;
    await harness.auth.users.create({
      username: name,
      password: ADMIN_PASSWORD,
      role: "user",
      disabled: false,
    });
  });

  async function signedIn(peer: string, agent: string): Promise<Browser> {
    const browser = new Browser(harness, peer);
    const body = { username: name, password: ADMIN_PASSWORD };
    await browser.send("POST", "/admin/v1/auth/login", { body, headers: { "User-Agent": agent } });
    return browser;
  }
  const listed = async (browser: Browser): Promise<Record<string, unknown>[]> =>
    (await browser.send("GET", LIST)).json.data as never;

  test("the list shows who signed in, from where and when, the last used first", async () => {
    const start = harness.time.now;
    const first = await signedIn("192.0.2.1", "Firefox/Linux");
    harness.time.now += MINUTE_MS;
    const second = await signedIn("2001:db8::5", "Other");
    harness.time.now += MINUTE_MS;
    await new Browser(harness, "192.0.2.7").login(ADMIN_PASSWORD);
    await first.refresh();
    const at = (ms: number) => new Date(ms).toISOString();
    const isId = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(await listed(second)).toEqual([
      {
        id: isId,
        created_at: at(start),
        last_used_at: at(start + 2 * MINUTE_MS),
        expires_at: at(start + 2 * MINUTE_MS + 7 * 86_400_000),
        address: "192.0.2.1",
        browser: "Firefox",
        os: "Linux",
        signed_in_by: "password",
        current: false,
      },
      expect.objectContaining({ address: "2001:db8::5", browser: null, os: null, current: true }),
    ]);
    const { json } = await second.send("GET", `${LIST}?page=2&page_size=1`);
    expect(json).toMatchObject({ data: [{ current: true }], pagination: { total: 2, total_pages: 2 } });
  });

  test("an ended session is refused at once, and an event names by whom", async () => {
    const [own, lost] = [await signedIn("192.0.2.1", "a"), await signedIn("192.0.2.2", "Safari/iOS")];
    const id = (await listed(lost)).find(({ current }) => current)!["id"];
    expect((await own.send("DELETE", `${LIST}/${id}`)).status).toBe(200);
    expect([await lost.status(), (await lost.refresh()).status]).toEqual([401, 401]);
    expect((await listed(own)).map(({ current }) => current)).toEqual([true]);
    expect((await own.send("DELETE", `${LIST}/${id}`)).status).toBe(404);
    const { events } = await harness.events.page({ action: "session.end" }, null, 1);
    expect(viewOfEvent(events[0]!)).toMatchObject({
      actor: name,
      subject: name,
      before: { address: "192.0.2.2", browser: "Safari", os: "iOS" },
    });
  });

  test("nobody ends the session of somebody else, except the command", async () => {
    const [own, admin] = [await signedIn("192.0.2.1", "a"), new Browser(harness)];
    await admin.login(ADMIN_PASSWORD);
    const id = String((await listed(own))[0]!["id"]);
    expect((await admin.send("DELETE", `${LIST}/${id}`)).status).toBe(404);
    expect((await admin.send("DELETE", `${LIST}/${"x".repeat(300)}`)).status).toBe(404);
    expect((await admin.send("DELETE", `${LIST}/%00`)).status).toBe(404);
    expect(await own.status()).toBe(200);
    await harness.auth.sessions.endOne(id, null, COMMAND);
    expect(await own.status()).toBe(401);
  });
});
