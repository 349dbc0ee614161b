/** The provider's responses, and their effects: claims of all forms, signed user info, and accounts that are joined. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import {
  ADMIN_PASSWORD,
  type AuthHarness,
  Browser,
  createTestFolder,
  type QueuedMail,
  startAuth,
} from "../auth.test-support.ts";
import { LOOKALIKES, VICTIM } from "../lookalikes.test-support.ts";
import { CLIENT, spawnProvider, type TestProvider } from "./provider.test-support.ts";

const START = "/admin/v1/auth/oidc";
const folder = createTestFolder();
const mails: QueuedMail[] = [];
let provider: TestProvider;
let database: Database;
let harness: AuthHarness;

const settings = (values: Record<string, string | null>) =>
  harness.config.change(Object.entries(values), "test");

/** How it ended: `done`, or why not. */
async function signIn(claims: object, subject: string = crypto.randomUUID(), browser = new Browser(harness)) {
  harness.time.now += 2_000;
  await provider.control({ subject, claims: claims as Record<string, unknown> });
  const started = await browser.send("GET", START);
  const back = await provider.follow(started.headers.get("Location") ?? "");
  const ended = await browser.send("GET", back.pathname + back.search);
  const { searchParams } = new URL(ended.headers.get("Location") ?? "", "http://localhost");
  return searchParams.get("oidc");
}

async function signedIn(claims: object, subject?: string, browser = new Browser(harness)) {
  expect(await signIn(claims, subject, browser)).toBe("done");
  return (await browser.send("GET", "/admin/v1/auth/me")).json.data!;
}

/** The newest is the first. */
const lastEvents = async (count: number) =>
  (await harness.events.page({}, null, count)).events.map(({ action, actor, subject, after }) => ({
    action,
    actor,
    subject,
    after: JSON.parse(after ?? "{}") as { reason?: string },
  }));
/** Why the last sign-in was refused. */
const reason = async () => (await lastEvents(1))[0]!.after.reason ?? "";

beforeAll(async () => {
  provider = await spawnProvider(["http://localhost"]);
  database = await folder.open();
  harness = await startAuth(database, { mails });
  await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
});
afterAll(async () => {
  await provider.stop();
  await folder.remove();
});
beforeEach(async () => {
  harness.time.now += 1;
  mails.length = 0;
  await settings({
    "oidc.issuer": provider.issuer,
    "oidc.client_id": CLIENT.id,
    "oidc.client_secret": CLIENT.secret,
    "oidc.role_claim": null,
    "oidc.roles": null,
    "oidc.allowed_domains": null,
    "oidc.allowed_groups": null,
    "oidc.groups_claim": null,
    "oidc.trust_email": null,
  });
  await provider.control({ tampered: {}, failing: null, userInfo: null, userInfoAlgorithms: null });
});

async function accountWith(username: string, email: string): Promise<void> {
  const { id } = await harness.auth.users.create({
    username,
    email,
    password: "a long password",
    role: "editor",
    disabled: false,
  });
  const proved = database.write.updateTable("account_mail").set({ proved_at: 1 });
  await proved.where("account_id", "=", id).execute();
}

describe("a first sign-in that joins an account", () => {
  test("mails it, unless the browser is known, and is an event; later ones are not", async () => {
    await accountWith("joined", "joined@example.com");
    const claims = { email: "Joined@example.com", email_verified: true };
    expect(await signedIn(claims, "joins")).toMatchObject({ username: "joined", role: "editor" });
    expect(mails.map(({ to, kind }) => [to, kind])).toEqual([["joined@example.com", "sign_in"]]);
    expect(await lastEvents(2)).toMatchObject([
      { action: "sign_in.success", subject: "joined", after: { signed_in_by: "oidc" } },
      { action: "account.update", subject: "joined", actor: "joined", after: { oidc: provider.issuer } },
    ]);
    await signedIn(claims, "joins");
    expect((await lastEvents(2)).map(({ action }) => action)).toEqual(["sign_in.success", "sign_in.success"]);
    mails.length = 0;
    await accountWith("known", "known@example.com");
    const browser = new Browser(harness, "192.0.2.77");
    await browser.login("a long password", "known");
    await browser.send("GET", "/admin/v1/auth/me");
    mails.length = 0;
    const known = { email: "known@example.com", email_verified: true };
    expect(await signedIn(known, "known", browser)).toMatchObject({ username: "known" });
    expect(mails).toEqual([]);
  });

  test("of a new account mails nobody", async () => {
    await signedIn({ preferred_username: "newcomer", email: "newcomer@example.com", email_verified: true });
    expect(mails).toEqual([]);
  });

  test("joins none by an address that only resembles its own", async () => {
    await accountWith(VICTIM, `${VICTIM}@${VICTIM}.example`);
    for (const name of Object.values(LOOKALIKES)) {
      for (const email of [`${name}@${VICTIM}.example`, `${VICTIM}@${name}.example`]) {
        const { username, email: own } = await signedIn({ email, email_verified: true });
        expect([email, username === VICTIM, own]).toEqual([email, false, null]);
      }
    }
    await settings({ "oidc.trust_email": "true" });
    const own = { email: `${VICTIM}@${VICTIM}.example` };
    expect(await signedIn(own)).toMatchObject({ username: VICTIM });
  });
});

describe("claims", () => {
  test.each([
    ["urn:zitadel:iam:org:project:roles", { boss: { "1": "acme.example" } }],
    ["https://example.com/roles", ["staff", "boss"]],
    ["realm_access.roles", ["boss"]],
    ["cognito:groups", "staff, boss"],
  ])("%s give the role", async (name, value) => {
    await settings({ "oidc.role_claim": name, "oidc.roles": "boss=admin, staff=user" });
    const claims = name === "realm_access.roles" ? { realm_access: { roles: value } } : { [name]: value };
    expect(await signedIn(claims)).toMatchObject({ role: "admin" });
  });

  test("of Entra ID count as its administrators say, and refusals say what was found", async () => {
    const claims = { email: "anna@example.com", preferred_username: "anna@example.com" };
    await settings({ "oidc.allowed_domains": "example.com" });
    expect(await signIn(claims)).toBe("unverified");
    expect(await reason()).toContain("oidc.trust_email");
    expect(await signIn({ ...claims, xms_edov: "1" })).toBe("done");
    await settings({ "oidc.trust_email": "true" });
    expect(await signIn(claims)).toBe("done");
    expect(await signIn({ ...claims, email_verified: false })).toBe("unverified");
    expect(await reason()).toBe("The claim email_verified is false.");
    await settings({ "oidc.allowed_groups": "links" });
    expect(await signIn({ ...claims, groups: ["staff", "ops"] })).toBe("not_allowed");
    expect(await reason()).toEndWith('The claim groups has "staff", "ops".');
  });
});

describe("user info", () => {
  const claims = { preferred_username: "signed", groups: ["links"] };
  beforeEach(() => settings({ "oidc.allowed_groups": "links" }));

  test.each<[string[] | null]>([[null], [["RS256"]], [["none", "RS256", "ES256"]]])(
    "that is signed counts, with %j in the description",
    async (userInfoAlgorithms) => {
      await provider.control({ userInfo: "signed", userInfoAlgorithms });
      harness.time.now += 3_600_001;
      expect(await signIn(claims)).toBe("done");
    },
  );

  test.each([
    ["foreign", "signature"],
    ["none", "alg"],
    ["secret", "alg"],
    ["other audience", "aud"],
    ["encrypted", "encrypts"],
  ] as const)("that is signed wrong is refused in a sentence: %s", async (userInfo, said) => {
    await provider.control({ userInfo, userInfoAlgorithms: null });
    harness.time.now += 3_600_001;
    expect(await signIn(claims)).toBe("failed");
    expect(await reason()).toContain(said);
    expect(await reason()).toEndWith(".");
    await provider.control({ userInfo, userInfoAlgorithms: ["RS256", "none", "HS256"] });
    harness.time.now += 3_600_001;
    expect(await signIn(claims)).toBe("failed");
    expect((await reason()).length).toBeLessThan(300);
  });
});
