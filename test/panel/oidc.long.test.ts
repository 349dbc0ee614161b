/** Sign-in by OpenID Connect in a browser, with a real provider. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { CLIENT, spawnProvider, type TestProvider } from "../../src/auth/oidc/provider.test-support.ts";
import { CHROMIUM } from "../support/chromium.ts";
import { addAuthenticator } from "../support/authenticator.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { expectAccessible, startPanel } from "../support/panel.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
let provider: TestProvider;
let smtp: MailServer;
beforeAll(async () => {
  smtp = await startMailServer();
  panel = await startPanel(smtp.settings);
  provider = await spawnProvider([panel.origin]);
  const values = {
    "oidc.issuer": provider.issuer,
    "oidc.client_id": CLIENT.id,
    "oidc.client_secret": CLIENT.secret,
    "oidc.label": "Sign in with Acme",
  };
  expect((await panel.client.call("PATCH", "/config", { values })).status).toBe(200);
});
afterAll(async () => {
  await provider.stop();
  await panel.stop();
  smtp.stop();
});

test.skipIf(!CHROMIUM)(
  "a button leads through the provider to the page that was asked for, and out again",
  async () => {
    await provider.control({ claims: { preferred_username: "anna" } });
    const { page, complaints, close } = await panel.open("/panel/files?x=1");
    await expectAccessible(page, "sign-in with a button");
    await page.getByRole("link", { name: "Sign in with Acme" }).click();
    await page.getByRole("button", { name: /Account menu/ }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/panel/files");
    // The account has no password.
    await page.goto(`${panel.origin}/panel/account`);
    await page.getByRole("button", { name: "Add an address" }).click();
    await page.getByLabel("E-mail address").fill("anna@example.com");
    await page.getByText("This works for ten minutes after a sign-in.").waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("A link is on its way to anna@example.com.").waitFor();
    expect(complaints).toEqual([]);
    await page.getByRole("button", { name: /Account menu/ }).click();
    await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
    await page.waitForURL(`${provider.issuer}/session/end**`);
    await close();
  },
);

test.skipIf(!CHROMIUM)(
  "a role that needs a second factor sets up a passkey without a password, and confirms the next sign-in with it",
  async () => {
    await panel.client.call("PUT", "/config/api.second_factor_roles", { value: "user" });
    await provider.control({ subject: "carla", claims: { preferred_username: "carla" } });
    const { page, context, complaints, close } = await panel.open("/panel/files");
    await addAuthenticator(context, page);
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const alert = page.getByRole("alert").filter({ hasText: "Your role needs a second factor" });
    await page.getByRole("link", { name: "Sign in with Acme" }).click();
    await alert.getByText("Set up a passkey or an authenticator app.").waitFor();
    await button("Add a passkey").click();
    await page.getByText("This works for ten minutes after a sign-in.").waitFor();
    await button("Continue").click();
    await alert.waitFor({ state: "detached" });
    await context.clearCookies();
    await page.goto(`${panel.origin}/panel/files`);
    await page.getByRole("link", { name: "Sign in with Acme" }).click();
    await alert.getByText("Confirm this sign-in.").waitFor();
    await expectAccessible(page, "confirmation of a sign-in");
    await button("Use a passkey").click();
    await alert.waitFor({ state: "detached" });
    await page.goto(`${panel.origin}/panel/files`);
    await page.getByRole("heading", { name: "Files", level: 1 }).waitFor();
    // A refusal.
    expect(complaints.filter((text) => !/40[13]/.test(text))).toEqual([]);
    await close();
    await panel.client.call("DELETE", "/config/api.second_factor_roles");
  },
);

test.skipIf(!CHROMIUM)(
  "what went wrong is said in the visitor's language, and passwords may be off",
  async () => {
    await panel.client.call("PUT", "/config/oidc.password_sign_in", { value: "false" });
    await provider.control({ subject: "" });
    const { page, close } = await panel.open("/panel/sign-in?to=%2Flinks", { locale: "de" });
    expect(await page.getByLabel("Passwort").count()).toBe(0);
    await page.getByRole("link", { name: "Sign in with Acme" }).click();
    await page.getByRole("alert").filter({ hasText: "Die Anmeldung wurde abgebrochen." }).waitFor();
    expect(new URL(page.url()).search).toBe("?to=%2Flinks&oidc=denied");
    await close();
  },
);
