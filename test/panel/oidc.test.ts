/** Sign-in by OpenID Connect in a browser, with a real provider. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { CLIENT, spawnProvider, type TestProvider } from "../../src/auth/oidc/provider.test-support.ts";
import { CHROMIUM } from "../support/chromium.ts";
import { expectAccessible, startPanel } from "../support/panel.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
let provider: TestProvider;
beforeAll(async () => {
  panel = await startPanel();
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
    expect(complaints).toEqual([]);
    await page.getByRole("button", { name: /Account menu/ }).click();
    await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
    await page.waitForURL(`${provider.issuer}/session/end**`);
    await close();
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
