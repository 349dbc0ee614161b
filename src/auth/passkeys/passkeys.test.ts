/** Passkeys over HTTP on every database, with an authenticator in software. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { viewOfEvent } from "../../platform/events/event.ts";
import { COMMAND } from "../../lib/actor.ts";
import {
  ADMIN_PASSWORD,
  type ApiResponse,
  type AuthHarness,
  Browser,
  type QueuedMail,
  startAuth,
} from "../auth.test-support.ts";
import { createAuthenticator, type Slip } from "./authenticator.test-support.ts";

const OWN = "/admin/v1/account/passkeys";
const SIGN_IN = "/admin/v1/auth/passkey";
/** Of the harness. */
const ORIGIN = "http://localhost";
const HOUR_MS = 3_600_000;

type Authenticator = ReturnType<typeof createAuthenticator>;
type Options = { challenge: string; rp?: { id: string }; rpId?: string } & Record<string, unknown>;

forEachDialect((dialect) => {
  let database: Database;
  let harness: AuthHarness;
  let name: string;
  let accountId: number;
  let browser: Browser;
  let names = 0;
  const mails: QueuedMail[] = [];

  beforeAll(async () => {
    database = await dialect.openDb();
    harness = await startAuth(database, { mails });
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
  });
  beforeEach(async () => {
    harness.time.now += HOUR_MS;
    name = `keeper${++names}`;
    const account = { username: name, password: ADMIN_PASSWORD, role: "editor", disabled: false } as const;
    ({ id: accountId } = await harness.auth.users.create({ ...account, email: `${name}@example.com` }));
    await database.write
      .updateTable("account_mail")
      .set({ proved_at: 1 })
      .where("account_id", "=", accountId)
      .execute();
    browser = new Browser(harness, `192.0.2.${names}`);
    await browser.login(ADMIN_PASSWORD, name);
    mails.length = 0;
  });

  const dataOf = ({ json }: ApiResponse) => json.data as unknown as Options;
  const begin = (password = ADMIN_PASSWORD) => browser.send("POST", `${OWN}/options`, { body: { password } });
  const finish = (credential: object, given?: string) =>
    browser.send("POST", OWN, { body: { credential, ...(given && { name: given }) } });
  const list = async () =>
    (await browser.send("GET", OWN)).json.data as unknown as { id: number; name: string }[];

  const remove = (id: number, by = browser, password = ADMIN_PASSWORD) =>
    by.send("DELETE", `${OWN}/${id}`, { body: { password } });

  async function add(authenticator: Authenticator, given?: string): Promise<ApiResponse> {
    const response = await finish(authenticator.create(dataOf(await begin())), given);
    expect(response.status).toBe(201);
    harness.time.now += 10_000;
    return response;
  }
  async function requestOptions(at = harness): Promise<Options> {
    return dataOf(await at.request("POST", `${SIGN_IN}/options`, {}));
  }
  let peers = 0;
  const send = (
    credential: object,
    by = new Browser(harness, `198.51.100.${++peers % 250}`),
  ): Promise<ApiResponse> =>
    by.send("POST", SIGN_IN, { body: { credential }, headers: { "User-Agent": "Firefox/Linux" } });
  const signIn = async (authenticator: Authenticator, slip?: Slip): Promise<ApiResponse> =>
    send(authenticator.get(await requestOptions(), slip));

  test("a passkey is added with the password, signs in without a name, is renamed and removed", async () => {
    expect((await begin("wrong password")).status).toBe(401);
    const options = dataOf(await begin());
    expect(options).toMatchObject({
      rp: { id: "localhost", name: "Waymark" },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      attestation: "none",
      excludeCredentials: [],
    });
    const authenticator = createAuthenticator(ORIGIN);
    const made = await finish(authenticator.create(options), "My phone");
    expect([made.status, made.json.data]).toMatchObject([201, { name: "My phone", last_used_at: null }]);
    expect(mails.map(({ to, kind }) => [to, kind])).toEqual([[`${name}@example.com`, "passkey"]]);
    expect(dataOf(await begin())["excludeCredentials"]).toEqual([
      { id: authenticator.id, type: "public-key", transports: ["internal", "hybrid"] },
    ]);

    const fresh = new Browser(harness, "203.0.113.5");
    const signedIn = await send(authenticator.get(await requestOptions()), fresh);
    expect([signedIn.status, signedIn.json.data]).toMatchObject([
      200,
      { message: "Signed in", role: "editor" },
    ]);
    expect((await fresh.send("GET", "/admin/v1/auth/me")).json.data).toMatchObject({
      username: name,
      second_factor: "on",
      has_password: true,
    });
    expect(mails.map(({ kind }) => kind)).toEqual(["passkey", "sign_in"]);
    // Now the browser is known.
    harness.time.now += 10_000;
    expect((await send(authenticator.get(await requestOptions()), fresh)).status).toBe(200);
    expect(mails).toHaveLength(2);
    const { data } = (await browser.send("GET", "/admin/v1/account/sessions")).json;
    const ways = (data as unknown as { signed_in_by: string }[]).map(({ signed_in_by: by }) => by);
    expect(ways.toSorted()).toEqual(["passkey", "passkey", "password"]);

    const [{ id }] = (await list()) as [{ id: number; name: string }];
    const renamed = await browser.send("PATCH", `${OWN}/${id}`, { body: { name: "Old phone" } });
    expect(renamed.json.data).toMatchObject({ id, name: "Old phone" });
    for (const body of [{}, { password: "wrong password" }])
      expect((await browser.send("DELETE", `${OWN}/${id}`, { body })).status).toBe(401);
    expect(await list()).toHaveLength(1);
    expect((await remove(id)).status).toBe(200);
    expect(await list()).toEqual([]);
    expect((await signIn(authenticator)).status).toBe(401);
    expect((await remove(id)).status).toBe(404);
    const { events } = await harness.events.page({ subject: name }, null, 5);
    expect(events.map(viewOfEvent).map(({ action, before, after }) => [action, before, after])).toEqual([
      ["passkey.remove", { name: "Old phone" }, undefined],
      ["passkey.rename", { name: "My phone" }, { name: "Old phone" }],
      ["sign_in.success", undefined, { address: "203.0.113.5", signed_in_by: "passkey" }],
      ["sign_in.success", undefined, { address: "203.0.113.5", signed_in_by: "passkey" }],
      ["passkey.add", undefined, { name: "My phone" }],
    ]);
  });

  test("what a browser must not send does not add one", async () => {
    const authenticator = createAuthenticator(ORIGIN);
    const create = async (slip: Slip) => authenticator.create(dataOf(await begin()), slip);
    for (const slip of [
      { origin: "http://evil.example" },
      { origin: "https://localhost" },
      { rpId: "evil.example" },
      { type: "webauthn.get" },
      { crossOrigin: true },
      { isVerified: false },
    ]) {
      expect([slip, (await finish(await create(slip))).status]).toEqual([slip, 400]);
      harness.time.now += 10_000;
    }
    const elsewhere = await finish(await create({ origin: "http://evil.example" }));
    expect(elsewhere.json.message).toContain("Passkeys work at http://localhost only");
    // Neither a sign-in's challenge, nor one of another session, nor an old one, nor none.
    expect((await finish(authenticator.create(await requestOptions()))).status).toBe(400);
    const other = new Browser(harness, "203.0.113.9");
    await other.login(ADMIN_PASSWORD, name);
    const foreign = await other.send("POST", `${OWN}/options`, { body: { password: ADMIN_PASSWORD } });
    expect((await finish(authenticator.create(dataOf(foreign)))).status).toBe(400);
    const late = dataOf(await begin());
    harness.time.now += 300_000;
    expect((await finish(authenticator.create(late))).status).toBe(400);
    expect((await finish(authenticator.create({ challenge: "AAAA", rpId: "localhost" }))).status).toBe(400);
    expect((await finish({ ...authenticator.create(late), id: "!" })).status).toBe(400);
    expect(await list()).toEqual([]);
  });

  test("an attestation statement is dropped unread", async () => {
    // As "packed" it would be refused, because it is empty.
    const statement = { format: "packed", cbor: Buffer.from([0xa0]) };
    const made = await finish(createAuthenticator(ORIGIN).create(dataOf(await begin()), { statement }));
    expect(made.status).toBe(201);
  });

  test("a response signs in once, also through two processes at once", async () => {
    for (const counts of [true, false]) {
      const authenticator = createAuthenticator(ORIGIN, { counts });
      await add(authenticator);
      const other = await startAuth(database);
      other.time.now = harness.time.now;
      const response = authenticator.get(await requestOptions());
      const responses = await Promise.all(
        [harness, other, harness, other].map((at, turn) =>
          send(response, new Browser(at, `203.0.113.${20 + turn}`)),
        ),
      );
      expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401]);
      harness.time.now += 10_000;
      expect((await send(response)).status).toBe(401);
    }
  });

  test("a sign-in is refused for a wrong site, key, purpose, or an old challenge", async () => {
    const authenticator = createAuthenticator(ORIGIN);
    await add(authenticator);
    const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    for (const [slip, status] of [
      [{ origin: "http://evil.example" }, 400],
      [{ crossOrigin: true }, 400],
      [{ rpId: "evil.example" }, 401],
      [{ type: "webauthn.create" }, 401],
      [{ isVerified: false }, 401],
      [{ key }, 401],
    ] as [Slip, number][]) {
      const response = await signIn(authenticator, slip);
      expect([slip, response.status]).toEqual([slip, status]);
    }
    expect((await send(authenticator.get(dataOf(await begin())))).status).toBe(401);
    const late = await requestOptions();
    harness.time.now += 300_000;
    expect((await send(authenticator.get(late))).json.message).toBe("This took too long. Try again.");
    const unknown = await signIn(createAuthenticator(ORIGIN));
    expect([unknown.status, unknown.json.message]).toEqual([401, expect.stringContaining("not known here")]);
    const foreign = await harness.request("POST", SIGN_IN, {
      body: { credential: authenticator.get(await requestOptions()) },
      headers: { Origin: "http://evil.example" },
    });
    expect(foreign.status).toBe(403);
    expect(harness.failures).toContain("passkey");
    expect((await signIn(authenticator)).status).toBe(200);
  });

  test("a counter that does not grow is refused: a copy may be in use", async () => {
    const authenticator = createAuthenticator(ORIGIN);
    await add(authenticator);
    expect((await signIn(authenticator, { counter: 7 })).status).toBe(200);
    for (const counter of [7, 6, 0]) {
      const refused = await signIn(authenticator, { counter });
      expect([refused.status, refused.json.message]).toEqual([401, expect.stringContaining("a copy of it")]);
    }
    expect((await signIn(authenticator, { counter: 8 })).status).toBe(200);
    const { events } = await harness.events.page({ subject: name, action: "sign_in.failure" }, null, 5);
    expect(events.map((event) => viewOfEvent(event).after)).toMatchObject(
      Array.from({ length: 3 }, () => ({ signed_in_by: "passkey" })),
    );
  });

  test("a passkey belongs to one account, and nobody else changes it", async () => {
    const authenticator = createAuthenticator(ORIGIN);
    const { id } = (await add(authenticator)).json.data as unknown as { id: number };
    expect((await finish(authenticator.create(dataOf(await begin())))).status).toBe(409);
    const other = new Browser(harness, "203.0.113.30");
    await other.login(ADMIN_PASSWORD);
    expect((await remove(id, other)).status).toBe(404);
    expect((await other.send("PATCH", `${OWN}/${id}`, { body: { name: "mine" } })).status).toBe(404);
    expect((await other.send("GET", OWN)).json).toMatchObject({ data: [] });
  });

  test("an account has at most 20", async () => {
    const row = (at: number) => ({
      account_id: accountId,
      name: String(at),
      credential_hash: `${name} ${at}`,
      credential_id: `id${at}`,
      public_key: "",
      counter: 0,
      transports: "",
      backed_up: 0,
      created_at: 0,
      last_used_at: null,
    });
    const open = dataOf(await begin());
    await database.write
      .insertInto("passkeys")
      .values(Array.from({ length: 20 }, (_, at) => row(at)))
      .execute();
    expect((await finish(createAuthenticator(ORIGIN).create(open))).status).toBe(409);
    expect((await begin()).json.message).toBe("An account has at most 20 passkeys. Remove one first.");
  });

  test("a disabled account does not sign in, a deleted one leaves nothing", async () => {
    const authenticator = createAuthenticator(ORIGIN);
    await add(authenticator);
    await harness.auth.users.update(accountId, { disabled: true }, COMMAND);
    expect((await signIn(authenticator)).status).toBe(401);
    await harness.auth.users.update(accountId, { disabled: false }, COMMAND);
    expect((await signIn(authenticator)).status).toBe(200);
    await harness.auth.users.remove(accountId, COMMAND);
    expect((await signIn(authenticator)).status).toBe(401);
    const rows = database.read.selectFrom("passkeys").select("id").where("account_id", "=", accountId);
    expect(await rows.execute()).toEqual([]);
  });

  test("a role that needs a second factor is content with a passkey, and not with the password beside it", async () => {
    await harness.config.set("api.second_factor_roles", "editor", "test");
    try {
      expect(await browser.status()).toBe(403);
      const authenticator = createAuthenticator(ORIGIN);
      await add(authenticator);
      expect(await browser.status()).toBe(200);
      const fresh = new Browser(harness, "203.0.113.40");
      const password = await fresh.login(ADMIN_PASSWORD, name);
      expect([password.status, password.json]).toMatchObject([401, { details: [{ field: "passkey" }] }]);
      expect((await send(authenticator.get(await requestOptions()), fresh)).status).toBe(200);
      expect(await fresh.status()).toBe(200);
      const reset = { id: accountId, username: name };
      await harness.auth.secondFactor.reset(reset, COMMAND);
      expect((await signIn(authenticator)).status).toBe(401);
      expect((await fresh.login(ADMIN_PASSWORD, name)).status).toBe(200);
    } finally {
      await harness.config.reset("api.second_factor_roles", "test");
    }
  });

  test("the built-in administrator has passkeys too", async () => {
    const authenticator = createAuthenticator(ORIGIN);
    browser = new Browser(harness, "203.0.113.50");
    await browser.login(ADMIN_PASSWORD);
    await add(authenticator);
    expect((await signIn(authenticator)).json.data).toMatchObject({ role: "admin" });
    const rows = database.write.deleteFrom("passkeys").where("account_id", "=", 0);
    await rows.execute();
  });
});
