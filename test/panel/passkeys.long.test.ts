/** Passkeys in Chromium, with its virtual authenticator. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { addAuthenticator } from "../support/authenticator.ts";
import { expectAccessibleInAllLooks, once, signInToPanel, startPanel } from "../support/panel.ts";

const PASSWORD = "a long password";
let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  await panel.client.call("POST", "/users", { username: "anna", password: PASSWORD, role: "editor" });
});
afterAll(() => panel.stop());

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /Account menu/ }).click();
  await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
  await button(page, "Sign in with a passkey").waitFor();
}

once("a passkey is added, signs in without a name, and does so no more when it is removed", async () => {
  await panel.client.call("PUT", "/config/api.second_factor_roles", { value: "editor" });
  const { page, context, complaints, close } = await panel.open("/panel/account");
  const setVerified = await addAuthenticator(context, page);
  await signInToPanel(page, PASSWORD, "anna");
  await page.getByText("Set up a passkey or an authenticator app.").waitFor();
  await button(page, "Add a passkey").click();
  await page.getByRole("dialog").getByLabel("Password", { exact: true }).fill(PASSWORD);
  await button(page, "Continue").click();
  const list = page.getByRole("table", { name: "Passkeys" });
  await list.getByText("Not used yet").last().waitFor();
  expect(await page.getByText("Set up a passkey or an authenticator app.").count()).toBe(0);

  await list.getByRole("button", { name: /^Rename / }).click();
  await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("My laptop");
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await list.getByText("My laptop").waitFor();
  await expectAccessibleInAllLooks(page, "account with a passkey");
  await button(page, "Add a passkey").click();
  await page.getByRole("dialog").getByLabel("Password", { exact: true }).fill(PASSWORD);
  await button(page, "Continue").click();
  await page
    .getByRole("alert")
    .filter({ hasText: "This device has a passkey for the account already." })
    .waitFor();
  await button(page, "Cancel").click();

  await signOut(page);
  await setVerified(false);
  await button(page, "Sign in with a passkey").click();
  await page.getByRole("alert").filter({ hasText: "The browser used no passkey" }).waitFor();
  await expectAccessibleInAllLooks(page, "sign-in without a passkey");
  await setVerified(true);
  await button(page, "Sign in with a passkey").click();
  await page.getByRole("button", { name: /Account menu/ }).waitFor();
  await page.goto(`${panel.origin}/panel/account`);
  const sessions = page.getByRole("table", { name: "Sessions" });
  await sessions
    .getByRole("row")
    .filter({ hasText: "This browser" })
    .getByText("Passkey", { exact: true })
    .waitFor();

  await list.getByRole("button", { name: /^Remove: / }).click();
  const removal = page.getByRole("dialog", { name: /^Remove .*\?$/ });
  for (const [password, refusal] of [
    ["wrong password", /password is wrong/],
    [PASSWORD, null],
  ] as const) {
    await removal.getByLabel("Password", { exact: true }).fill(password);
    await removal.getByRole("button", { name: "Remove", exact: true }).click();
    if (refusal !== null) await removal.getByRole("alert").filter({ hasText: refusal }).waitFor();
  }
  await list.waitFor({ state: "detached" });
  await signOut(page);
  await button(page, "Sign in with a passkey").click();
  await page.getByRole("alert").filter({ hasText: "This passkey is not known here." }).waitFor();
  // Refusals.
  expect(complaints.filter((text) => !/40[013]/.test(text))).toEqual([]);
  await close();
});
