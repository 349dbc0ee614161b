/** Invitations, new passwords by mail and addresses of accounts, on every database. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import {
  ADMIN_PASSWORD,
  type AuthHarness,
  Browser,
  type QueuedMail,
  startAuth,
} from "../auth.test-support.ts";
import { DEFAULT_CHOICES } from "./contact.ts";

const USERS = "/admin/v1/users";
const RESET = "/admin/v1/auth/password-reset";
const CONFIRM = "/admin/v1/auth/confirm-address";
const MAIL = "/admin/v1/account/mail";
const PASSWORD = "a long password";
const HOUR = 3_600_000;
const ALL_ON = { ...DEFAULT_CHOICES, download: "day" } as const;

forEachDialect((dialect) => {
  const mails: QueuedMail[] = [];
  let database: Database;
  let harness: AuthHarness;
  let admin: Browser;
  let peers = 0;

  beforeAll(async () => {
    database = await dialect.openDb();
    harness = await startAuth(database, { mails });
    await harness.config.set("api.jwt_secret", "s".repeat(32), "test").catch(() => {});
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
  });
  beforeEach(async () => {
    mails.length = 0;
    harness.time.now += 2 * HOUR;
    admin = new Browser(harness);
    await admin.login(ADMIN_PASSWORD);
  });

  /** From an address without earlier attempts. */
  const ask = (method: string, path: string, body: object) =>
    harness.request(method, path, { body, peer: `2001:db8:${(++peers).toString(16)}::1` });
  const invite = async (username: string) =>
    (await admin.send("POST", USERS, { body: { username, email: `${username}@Example.com`, invite: true } }))
      .json;
  const tokenIn = (mail: QueuedMail | undefined): string => mail!.content.url.split("#")[1]!;
  const signIn = async (username: string, password = PASSWORD) =>
    (await new Browser(harness, `2001:db8:${(++peers).toString(16)}::1`).login(password, username)).status;
  /** Rests until the mail is queued, which no response waits for. */
  const askForPassword = async (account: string, expected = 1) => {
    const { status, json } = await ask("POST", RESET, { account });
    expect([status, json.data]).toEqual([
      200,
      { message: expect.stringContaining("If there is such an account") },
    ]);
    for (let tries = 0; tries < 200 && mails.length < expected; tries++) await Bun.sleep(5);
  };

  test("an invitation sets the password once and proves the address", async () => {
    expect((await invite("anna")).data).toMatchObject({ email: "anna@example.com", email_verified: false });
    expect(mails.map(({ to, kind }) => [to, kind])).toEqual([["anna@example.com", "invitation"]]);
    const listedAnna = async () =>
      (await admin.send("GET", `${USERS}?search=anna`)).json.data as unknown as object[];
    expect((await listedAnna())[0]).toMatchObject({ invited: true });
    expect(await signIn("anna")).toBe(401);
    // The built-in administrator has no name of a person.
    expect(mails[0]!.content).toMatchObject({ by: "" });
    const token = tokenIn(mails[0]);
    expect((await ask("PUT", RESET, { token, password: "short" })).status).toBe(400);
    expect((await ask("PUT", RESET, { token: `${token}x`, password: PASSWORD })).status).toBe(404);
    const set = await ask("PUT", RESET, { token, password: PASSWORD, display_name: "Anna" });
    expect([set.status, set.json.data]).toEqual([
      200,
      { message: "The password of anna is set", username: "anna" },
    ]);
    expect((await ask("PUT", RESET, { token, password: "another password" })).status).toBe(404);
    expect(await signIn("anna")).toBe(200);
    expect(await signIn("Anna@example.com")).toBe(200);
    expect(await signIn("anna@example.com", "a wrong password")).toBe(401);
    expect((await listedAnna())[0]).toMatchObject({
      invited: false,
      display_name: "Anna",
      email: "anna@example.com",
      email_verified: true,
    });
  });

  test("of two at once one sets the password", async () => {
    await invite("both");
    const token = tokenIn(mails[0]);
    const responses = await Promise.all(
      ["password of one", "password of two"].map((password) => ask("PUT", RESET, { token, password })),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  });

  test("an invitation ends after a day, with a new one, and with another address", async () => {
    const { data } = await invite("ben");
    const first = tokenIn(mails[0]);
    harness.time.now += 24 * HOUR;
    expect((await ask("PUT", RESET, { token: first, password: PASSWORD })).status).toBe(404);
    await admin.login(ADMIN_PASSWORD);
    await admin.send("POST", `${USERS}/${data!["id"]}/invite`);
    const second = tokenIn(mails[1]);
    await admin.send("PATCH", `${USERS}/${data!["id"]}`, { body: { email: "other@example.com" } });
    expect((await ask("PUT", RESET, { token: second, password: PASSWORD })).status).toBe(404);
    expect(mails.map(({ to, kind }) => [to, kind])).toEqual([
      ["ben@example.com", "invitation"],
      ["ben@example.com", "invitation"],
      ["other@example.com", "address"],
    ]);
  });

  test("what an invitation lacks is said of its field, and an address has one account", async () => {
    const make = async (body: object) => (await admin.send("POST", USERS, { body })).json;
    expect(await make({ username: "x" })).toMatchObject({ details: [{ field: "password" }] });
    expect(await make({ username: "x", invite: true })).toMatchObject({ details: [{ field: "email" }] });
    const both = { username: "x", invite: true, email: "x@example.com", password: PASSWORD };
    expect(await make(both)).toMatchObject({ details: [{ field: "password" }] });
    for (const email of ["x", "x@example.com\r\nBcc: y@example.com", "x y@example.com", "<x@example.com>"])
      expect(await make({ username: "x", password: PASSWORD, email })).toMatchObject({
        details: [{ field: "email" }],
      });
    await invite("cleo");
    expect(await make({ username: "x", password: PASSWORD, email: "cleo@example.com" })).toMatchObject({
      code: 1009,
      details: [{ field: "email" }],
    });
    expect(await signIn("x")).toBe(401);
  });

  test("a new password by mail: the same response for everybody, one mail in two minutes, sessions end", async () => {
    await invite("dora");
    await ask("PUT", RESET, { token: tokenIn(mails[0]), password: PASSWORD });
    const dora = new Browser(harness, `2001:db8:${(++peers).toString(16)}::1`);
    await dora.login(PASSWORD, "dora");
    for (const account of ["nobody", "nobody@example.com", "\0", "x".repeat(254)])
      await askForPassword(account, 0);
    await askForPassword("DORA@example.com ", 2);
    await askForPassword("dora", 2);
    expect(mails.slice(1).map(({ to, kind }) => [to, kind])).toEqual([["dora@example.com", "reset"]]);
    const token = tokenIn(mails[1]);
    expect(await dora.status()).toBe(200);
    expect((await ask("PUT", RESET, { token, password: "my new password" })).status).toBe(200);
    expect(await dora.status()).toBe(401);
    expect([await signIn("dora"), await signIn("dora", "my new password")]).toEqual([401, 200]);
    harness.time.now += HOUR;
    await askForPassword("dora", 3);
    harness.time.now += HOUR;
    expect((await ask("PUT", RESET, { token: tokenIn(mails[2]), password: PASSWORD })).status).toBe(404);
  });

  test("an address that nobody has proved gets no new password, nor does a disabled account", async () => {
    await harness.auth.users.create({
      username: "eve",
      password: PASSWORD,
      role: "user",
      disabled: false,
      email: "eve@example.com",
    });
    await askForPassword("eve", 0);
    await askForPassword("eve@example.com", 0);
    const { data } = await invite("fred");
    await ask("PUT", RESET, { token: tokenIn(mails[0]), password: PASSWORD });
    await admin.send("PATCH", `${USERS}/${data!["id"]}`, { body: { disabled: true } });
    await askForPassword("fred", 1);
    expect(mails.map(({ kind }) => kind)).toEqual(["invitation"]);
  });

  test("one's own address needs the password and counts once it is proved, for the administrator too", async () => {
    const change = (body: object) => admin.send("PUT", "/admin/v1/account/email", { body });
    expect((await change({ email: "root@example.com", password: "wrong" })).status).toBe(401);
    expect(mails).toEqual([]);
    harness.time.now += 60_000;
    expect((await change({ email: "Root@example.com", password: ADMIN_PASSWORD })).status).toBe(200);
    expect((await admin.send("GET", MAIL)).json.data).toMatchObject({ email: null, available: true });
    const token = tokenIn(mails[0]);
    expect((await ask("PUT", RESET, { token, password: PASSWORD })).status).toBe(404);
    expect((await ask("POST", CONFIRM, { token })).status).toBe(200);
    expect((await admin.send("GET", "/admin/v1/auth/me")).json.data).toMatchObject({
      email: "root@example.com",
      email_verified: true,
    });
    await askForPassword("admin", 2);
    expect((await ask("PUT", RESET, { token: tokenIn(mails[1]), password: "another password" })).status).toBe(
      200,
    );
    expect((await admin.login("another password")).status).toBe(200);
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
    harness.time.now += 60_000;
    await admin.login(ADMIN_PASSWORD);
    expect((await change({ email: null, password: ADMIN_PASSWORD })).status).toBe(200);
    expect((await admin.send("GET", MAIL)).json.data).toMatchObject({ email: null, email_verified: false });
    const events = (await harness.events.page({ action: "account.update", subject: "admin" }, null, 5))
      .events;
    expect(events.map(({ after }) => after)).toEqual(['{"email":null}', '{"email":"root@example.com"}']);
  });

  test("a foreign mailbox gets at most five links an hour", async () => {
    for (let tries = 0; tries < 8; tries++) {
      harness.time.now += 2_000;
      const body = { email: `victim${tries}@example.com`, password: ADMIN_PASSWORD };
      await admin.send("PUT", "/admin/v1/account/email", { body });
    }
    expect(mails).toHaveLength(5);
  });

  test("everybody chooses the language and kinds of their mails", async () => {
    const patch = async (body: object) => (await admin.send("PATCH", MAIL, { body })).json;
    expect(await patch({ language: "ja", mails: { drop: "day", sign_in: "off" } })).toMatchObject({
      data: { language: "ja", mails: { drop: "day", sign_in: "off", backup: "on" } },
    });
    expect(await patch({ mails: { drop: "minute" } })).toMatchObject({
      data: { language: "ja", mails: { drop: "minute", sign_in: "off" } },
    });
    expect(await patch({ mails: { sign_in: "minute" } })).toMatchObject({
      details: [{ field: "mails.sign_in" }],
    });
    const { data } = await invite("kim");
    await ask("PUT", RESET, { token: tokenIn(mails[0]), password: PASSWORD });
    const id = data!["id"] as number;
    const of = (kind: keyof typeof DEFAULT_CHOICES) =>
      harness.auth.contacts.recipientOf(database.read, id, kind);
    for (const kind of Object.keys(DEFAULT_CHOICES) as (keyof typeof DEFAULT_CHOICES)[]) {
      await harness.auth.contacts.change(id, { mails: { ...ALL_ON } });
      expect(await of(kind)).toMatchObject({ to: { email: "kim@example.com" } });
      await harness.auth.contacts.change(id, { mails: { [kind]: "off" } });
      expect([kind, await of(kind)]).toEqual([kind, null]);
    }
  });

  test("a sign-in from a new browser is reported, one from a known browser or a program is not, and it can be turned off", async () => {
    await invite("ines");
    await ask("PUT", RESET, { token: tokenIn(mails[0]), password: PASSWORD });
    const from = { headers: { "Sec-Fetch-Site": "same-origin", "User-Agent": "Firefox" } };
    const enter = async (browser: Browser, headers = from.headers) => {
      harness.time.now += 60_000;
      const body = { username: "ines", password: PASSWORD };
      const { status } = await browser.send("POST", "/admin/v1/auth/login", { body, headers });
      expect(status).toBe(200);
      return mails.filter(({ kind }) => kind === "sign_in").length;
    };
    const known = new Browser(harness, "2001:db8:ffff::1");
    expect(await enter(known)).toBe(1);
    expect(await enter(known)).toBe(1);
    expect(await enter(new Browser(harness, "2001:db8:ffff::2"), {} as never)).toBe(1);
    expect(await enter(new Browser(harness, "2001:db8:ffff::3"))).toBe(2);
    await known.send("PATCH", MAIL, { body: { mails: { sign_in: "off" } } });
    expect(await enter(new Browser(harness, "2001:db8:ffff::4"))).toBe(2);
    expect(mails.at(-1)!.content).toMatchObject({ username: "ines", address: "2001:db8:ffff::3" });
  });

  test("a removed account leaves its address to others", async () => {
    const { data } = await invite("gone");
    await admin.send("DELETE", `${USERS}/${data!["id"]}`);
    expect((await ask("PUT", RESET, { token: tokenIn(mails[0]), password: PASSWORD })).status).toBe(404);
    const again = { username: "heir", password: PASSWORD, email: "gone@example.com" };
    expect((await admin.send("POST", USERS, { body: again })).status).toBe(201);
  });
});

test("where no mail can be sent, nothing is promised", async () => {
  const { createTestFolder } = await import("../auth.test-support.ts");
  const folder = createTestFolder();
  const harness = await startAuth(await folder.open());
  await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
  const admin = new Browser(harness);
  await admin.login(ADMIN_PASSWORD);
  const invited = { username: "anna", email: "anna@example.com", invite: true };
  expect((await admin.send("POST", USERS, { body: invited })).status).toBe(409);
  expect((await harness.request("POST", RESET, { body: { account: "admin" } })).status).toBe(409);
  expect((await admin.send("GET", MAIL)).json.data).toMatchObject({ available: false });
  await folder.remove();
});
