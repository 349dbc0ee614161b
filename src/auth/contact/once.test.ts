/** Links of mails work once, through several processes at once too, and one new password wins, on every database. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { COMMAND } from "../../lib/actor.ts";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import {
  ADMIN_PASSWORD,
  type ApiResponse,
  type AuthHarness,
  Browser,
  type QueuedMail,
  startAuth,
} from "../auth.test-support.ts";

const RESET = "/admin/v1/auth/password-reset";
const CONFIRM = "/admin/v1/auth/confirm-address";
const EMAIL = "/admin/v1/account/email";
const OWN_PASSWORD = "/admin/v1/auth/password";
const PASSWORD = "a long password";

forEachDialect((dialect) => {
  const mails: QueuedMail[] = [];
  let database: Database;
  let harness: AuthHarness;
  let other: AuthHarness;
  let admin: Browser;
  let peers = 0;

  /** Without earlier attempts. */
  const peer = () => `2001:db8:${(++peers).toString(16)}::1`;

  beforeAll(async () => {
    database = await dialect.openDb();
    harness = await startAuth(database, { mails });
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
    other = await startAuth(database, { mails });
  });
  beforeEach(async () => {
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
    await other.changes.poll();
    mails.length = 0;
    harness.time.now += 7_200_000;
    other.time.now = harness.time.now;
    admin = await signedIn();
  });

  async function signedIn(username?: string, password = ADMIN_PASSWORD): Promise<Browser> {
    const browser = new Browser(harness, peer());
    expect((await browser.login(password, username)).status).toBe(200);
    return browser;
  }
  const tokenIn = (mail: QueuedMail | undefined): string => mail!.content.url.split("#")[1]!;
  const send = (at: AuthHarness, method: string, path: string, body: object): Promise<ApiResponse> =>
    at.request(method, path, { body, peer: peer() });
  /** Three requests at once, one of them in another process. */
  async function atOnce(run: (at: AuthHarness, nth: number) => Promise<ApiResponse>): Promise<number[]> {
    const responses = await Promise.all([harness, other, harness].map(run));
    return responses.map(({ status }) => status).toSorted();
  }
  const setsPassword = (token: string) =>
    atOnce((at, nth) => send(at, "PUT", RESET, { token, password: `password number ${nth}` }));
  /** Which of the passwords of `setsPassword` is right. */
  async function entering(username: string): Promise<number[]> {
    await harness.changes.poll();
    const found = [0, 1, 2].map((nth) =>
      new Browser(harness, peer()).login(`password number ${nth}`, username),
    );
    return (await Promise.all(found)).map(({ status }) => status).toSorted();
  }
  async function mailed(count: number): Promise<string> {
    for (let tries = 0; tries < 200 && mails.length < count; tries++) await Bun.sleep(5);
    return tokenIn(mails[count - 1]);
  }
  async function invite(username: string): Promise<string> {
    const body = { username, email: `${username}@example.com`, invite: true };
    expect((await admin.send("POST", "/admin/v1/users", { body })).status).toBe(201);
    return tokenIn(mails.at(-1));
  }

  test("a link sets the administrator's password once", async () => {
    await admin.send("PUT", EMAIL, { body: { email: "root@example.com", password: ADMIN_PASSWORD } });
    await send(harness, "POST", CONFIRM, { token: await mailed(1) });
    await send(harness, "POST", RESET, { account: "admin" });
    const token = await mailed(2);
    expect(await setsPassword(token)).toEqual([200, 404, 404]);
    expect(await entering("admin")).toEqual([200, 401, 401]);
    expect((await send(harness, "PUT", RESET, { token, password: "a late password" })).status).toBe(404);
  });

  test("a link sets another account's password once, and its event and address go with it", async () => {
    const token = await invite("anna");
    expect(await setsPassword(token)).toEqual([200, 404, 404]);
    expect(await entering("anna")).toEqual([200, 401, 401]);
    const { id } = await harness.auth.users.getByUsername("anna");
    expect(await harness.auth.contacts.get(id)).toMatchObject({ emailVerified: true });
    const { events } = await harness.events.page({ subject: "anna", action: "account.update" }, null, 9);
    expect(events).toHaveLength(1);
  });

  test("a link sets no password when the account has another address by then", async () => {
    const token = await invite("ben");
    const { id } = await harness.auth.users.getByUsername("ben");
    const rows = database.write.updateTable("account_mail").set({ email: "other@ben.example" });
    await rows.where("account_id", "=", id).execute();
    expect(await setsPassword(token)).toEqual([404, 404, 404]);
  });

  test("a link confirms an address once, and ends those for others", async () => {
    await send(harness, "PUT", RESET, { token: await invite("cleo"), password: PASSWORD });
    const cleo = await signedIn("cleo", PASSWORD);
    for (const email of ["first@example.com", "second@example.com"])
      await cleo.send("PUT", EMAIL, { body: { email, password: PASSWORD } });
    const [first, second] = mails.slice(1).map(tokenIn);
    expect(await atOnce((at) => send(at, "POST", CONFIRM, { token: second! }))).toEqual([200, 404, 404]);
    // Who reads the other mailbox does not get the account's mails back.
    expect((await send(harness, "POST", CONFIRM, { token: first! })).status).toBe(404);
    const { id } = await harness.auth.users.getByUsername("cleo");
    expect(await harness.auth.contacts.get(id)).toMatchObject({ email: "second@example.com" });
  });

  test("changes of name, language, mails and address at once all last", async () => {
    await send(harness, "PUT", RESET, { token: await invite("edda"), password: PASSWORD });
    const edda = await signedIn("edda", PASSWORD);
    const { id } = await harness.auth.users.getByUsername("edda");
    for (let nth = 0; nth < 3; nth++) {
      const [email, name] = [`edda${nth}@example.com`, `Edda ${nth}`];
      await edda.send("PUT", EMAIL, { body: { email, password: PASSWORD } });
      const token = tokenIn(mails.at(-1));
      const language = nth % 2 === 0 ? "de" : "fr";
      const digest = nth % 2 === 0 ? "off" : "day";
      const contacts = [harness, other].map((at) => at.auth.contacts);
      await Promise.all([
        contacts[0]!.rename({ id, username: "edda" }, COMMAND, name),
        send(other, "POST", CONFIRM, { token }),
        contacts[1]!.change(id, { language }),
        contacts[0]!.change(id, { mails: { download: digest } }),
      ]);
      expect(await harness.auth.contacts.get(id)).toMatchObject({
        email,
        emailVerified: true,
        displayName: name,
        language,
        choices: { download: digest },
      });
    }
  });

  test("of several changes of one's password at once one wins, the administrator's too", async () => {
    await send(harness, "PUT", RESET, { token: await invite("dora"), password: ADMIN_PASSWORD });
    for (const username of ["dora", "admin"]) {
      const browsers = [await signedIn(username), await signedIn(username), await signedIn(username)];
      const responses = await Promise.all(
        browsers.map((browser, nth) =>
          browser.send("PUT", OWN_PASSWORD, {
            body: { current_password: ADMIN_PASSWORD, new_password: `password number ${nth}` },
          }),
        ),
      );
      const won = responses.filter(({ status }) => status === 200);
      expect([username, won.length]).toEqual([username, 1]);
      expect(await entering(username)).toEqual([200, 401, 401]);
    }
  });
});
