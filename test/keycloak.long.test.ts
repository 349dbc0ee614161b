/** Sign-in by OpenID Connect with a real Keycloak, through its own form in a browser. Without one it says why it is skipped. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CLIENT } from "../src/auth/oidc/provider.test-support.ts";
import { CHROMIUM } from "./support/chromium.ts";
import { type Keycloak, missingKeycloak, startKeycloak } from "./support/keycloak.ts";
import { type OpenedPanel, once, signInToPanel, startPanel } from "./support/panel.ts";

const MISSING = CHROMIUM ? missingKeycloak() : "there is no Chromium";
const START_MS = 400_000;
const PASSWORD = "password at Keycloak";
const BUTTON = "Sign in with Keycloak";

let panel: Awaited<ReturnType<typeof startPanel>>;
let keycloak: Keycloak;

/** Anna's address is verified, and she administers links; Bert has neither. */
const realm = (origin: string) => ({
  realm: "staff",
  enabled: true,
  roles: { realm: [{ name: "links-admin" }] },
  users: [person("anna", { emailVerified: true, realmRoles: ["links-admin"] }), person("bert", {})],
  clients: [
    {
      clientId: CLIENT.id,
      secret: CLIENT.secret,
      redirectUris: [`${origin}/admin/v1/auth/oidc/callback`],
      attributes: {
        "pkce.code.challenge.method": "S256",
        "post.logout.redirect.uris": `${origin}/panel/sign-in`,
      },
      protocolMappers: [
        {
          name: "realm roles",
          protocol: "openid-connect",
          protocolMapper: "oidc-usermodel-realm-role-mapper",
          config: { "claim.name": "realm_access.roles", multivalued: "true", "id.token.claim": "true" },
        },
      ],
    },
  ],
});

const person = (name: string, more: object) => ({
  id: name,
  username: name,
  enabled: true,
  firstName: name,
  lastName: "Example",
  email: `${name}@example.com`,
  emailVerified: false,
  credentials: [{ type: "password", value: PASSWORD }],
  ...more,
});

const settings = async (values: Record<string, string>) =>
  expect((await panel.client.call("PATCH", "/config", { values })).status).toBe(200);

if (MISSING !== null) console.log(`skipped: Keycloak tests, ${MISSING}`);
else {
  beforeAll(async () => {
    panel = await startPanel();
    keycloak = await startKeycloak(realm(panel.origin));
    await settings({
      "oidc.issuer": keycloak.issuer,
      "oidc.client_id": CLIENT.id,
      "oidc.client_secret": CLIENT.secret,
      "oidc.label": BUTTON,
      "oidc.role_claim": "realm_access.roles",
      "oidc.roles": "links-admin=admin, *=user",
    });
  }, START_MS);
  afterAll(async () => {
    await keycloak?.stop();
    await panel?.stop();
  });
}
const story = MISSING === null ? once : test.skip;

const pressButton = (page: Page) => page.getByRole("link", { name: BUTTON }).click();
const menuOf = (page: Page) => page.getByRole("button", { name: /Account menu/ });

async function fillForm(page: Page, name: string): Promise<void> {
  await page.waitForURL(`${keycloak.issuer}/**`);
  await page.locator("#username").fill(name);
  await page.locator("#password").fill(PASSWORD);
  await page.locator("#kc-login").click();
}

/** In a browser of its own. */
async function signIn(name: string): Promise<OpenedPanel> {
  const opened = await panel.open("/panel/files");
  await pressButton(opened.page);
  await fillForm(opened.page, name);
  return opened;
}

async function me({ context }: OpenedPanel): Promise<Record<string, unknown> | number> {
  const answer = await context.request.get(`${panel.origin}/admin/v1/auth/me`);
  return answer.ok() ? (await answer.json()).data : answer.status();
}

async function signOut(page: Page): Promise<void> {
  await menuOf(page).click();
  await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
  await page.waitForURL(`${panel.origin}/panel/sign-in**`);
}

const keysOf = async (): Promise<string[]> => {
  const answer = await fetch(`${keycloak.issuer}/protocol/openid-connect/certs`);
  const { keys } = (await answer.json()) as { keys: { kid: string; use: string }[] };
  return keys.filter(({ use }) => use === "sig").map(({ kid }) => kid);
};

story("its form makes an account with the role of the claim; a sign-out ends the session there", async () => {
  const anna = await signIn("anna");
  await menuOf(anna.page).waitFor();
  expect(new URL(anna.page.url()).pathname).toBe("/panel/files");
  expect(await me(anna)).toMatchObject({ username: "anna", role: "admin", email: "anna@example.com" });
  expect(anna.complaints).toEqual([]);
  await signOut(anna.page);
  expect(await me(anna)).toBe(401);
  await pressButton(anna.page);
  // Keycloak asks again.
  await fillForm(anna.page, "anna");
  await menuOf(anna.page).waitFor();
  await anna.close();
});

story("where domains are set, an address comes in only once it is verified", async () => {
  const bert = await signIn("bert");
  await menuOf(bert.page).waitFor();
  expect(await me(bert)).toMatchObject({ username: "bert", role: "user", email: null });
  await settings({ "oidc.allowed_domains": "example.com" });
  const refused = await signIn("bert");
  await refused.page.getByRole("alert").filter({ hasText: "has not verified your e-mail address" }).waitFor();
  expect([await me(refused), await me(bert)]).toEqual([401, 401]);
  await keycloak.admin("PUT", "/users/bert", person("bert", { emailVerified: true, credentials: undefined }));
  await pressButton(refused.page);
  await menuOf(refused.page).waitFor();
  expect(await me(refused)).toMatchObject({ username: "bert" });
  await bert.close();
  await refused.close();
});

story("a new key works at once, and a role that was taken away is gone at the next sign-in", async () => {
  const before = await signIn("anna");
  await menuOf(before.page).waitFor();
  const [old, type] = [await keysOf(), "org.keycloak.keys.KeyProvider"];
  const providers = (await keycloak.admin("GET", `/components?type=${type}`)) as Record<string, string>[];
  const former = providers.find(({ providerId }) => providerId === "rsa-generated")!;
  const next = { name: "next", providerId: "rsa-generated", providerType: type };
  await keycloak.admin("POST", "/components", { ...next, config: { priority: ["200"] } });
  await keycloak.admin("DELETE", `/components/${former["id"]}`);
  expect((await keysOf()).filter((key) => old.includes(key))).toEqual([]);
  await keycloak.admin("DELETE", "/roles/links-admin");
  const after = await signIn("anna");
  await menuOf(after.page).waitFor();
  expect([await me(after), await me(before)]).toEqual([
    expect.objectContaining({ username: "anna", role: "user" }),
    401,
  ]);
  await before.close();
  await after.close();
});

story("while it is stopped, sessions and passwords go on, and the sign-in page says so", async () => {
  const anna = await signIn("anna");
  await menuOf(anna.page).waitFor();
  await keycloak.stop();
  // Forgets what Keycloak said of itself.
  await panel.server.stop();
  await panel.startAgain();
  await anna.context.clearCookies({ name: "svc_access" });
  await anna.page.reload();
  await menuOf(anna.page).waitFor();
  expect(await me(anna)).toMatchObject({ username: "anna" });
  await signOut(anna.page);
  await pressButton(anna.page);
  await anna.page.getByRole("alert").filter({ hasText: "does not answer" }).waitFor();
  await signInToPanel(anna.page);
  expect(await me(anna)).toMatchObject({ username: "admin" });
  await anna.close();
});
