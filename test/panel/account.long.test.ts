/** The own account: where it is signed in, and its second factor. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { codeAt } from "../../src/auth/second-factor/totp.test-support.ts";
import { expectAccessibleInAllLooks, once, signInToPanel, startPanel } from "../support/panel.ts";
import { signIn } from "../support/session.ts";

const PASSWORD = "a long password";
let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  await panel.client.call("POST", "/users", { username: "anna", password: PASSWORD, role: "editor" });
});
afterAll(() => panel.stop());

const STEP_MS = 30_000;
const menu = (page: Page) => page.getByRole("button", { name: /Account menu/ });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function openSignedOut() {
  const opened = await panel.open("/panel/account");
  await opened.page.getByLabel("Password", { exact: true }).waitFor();
  return opened;
}

/** An address may try passwords and codes five times at once, then once a second. */
const untilAddressMayTry = () => Bun.sleep(5_000);
const stepAt = (ms: number): number => Math.floor(ms / STEP_MS);
const codeOf = (secret: string, step: number): string => codeAt(secret, step * STEP_MS);

once(
  "an authenticator app is set up where the role needs it, and the sign-in asks for its code",
  async () => {
    await panel.client.call("PUT", "/config/api.second_factor_roles", { value: "editor" });
    const { page, complaints, close } = await openSignedOut();
    await page.goto(`${panel.origin}/panel/links`);
    await signInToPanel(page, PASSWORD, "anna");
    await page.getByText("Your role needs a second factor").waitFor();
    await button(page, "Set up").click();
    await page.getByRole("dialog").getByLabel("Password", { exact: true }).fill(PASSWORD);
    await button(page, "Continue").click();
    await page.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
    await expectAccessibleInAllLooks(page, "set-up of an authenticator app");
    const secret = (await page.getByRole("dialog").locator("pre").textContent())!.replaceAll(" ", "");
    await page.getByLabel("6-digit code").fill("000000");
    await button(page, "Turn on").click();
    await page.getByRole("alert").filter({ hasText: "The code is wrong" }).waitFor();
    // Each code works once, for at least ten seconds more: those of the step before and after are taken too.
    const used = stepAt(Date.now() - 20_000);
    await page.getByLabel("6-digit code").fill(codeOf(secret, used));
    await button(page, "Turn on").click();
    await page.getByText("Keep these codes now.").waitFor();
    const codes = await page.getByRole("dialog").locator("code").allTextContents();
    expect(codes).toHaveLength(10);
    await button(page, "I have kept them").click();
    await page.getByText("10 recovery codes are left").waitFor();
    await page.getByText("Your role needs a second factor").waitFor({ state: "detached" });
    await expectAccessibleInAllLooks(page, "account");

    await menu(page).click();
    await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
    for (const [label, code] of [
      ["6-digit code", () => codeOf(secret, Math.max(used + 1, stepAt(Date.now())))],
      ["Recovery code", () => codes[0]!],
    ] as const) {
      await page.getByLabel("Username or e-mail address").fill("anna");
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await button(page, "Sign in").click();
      await page.getByLabel("6-digit code").waitFor();
      if (label === "Recovery code") await button(page, "Use a recovery code").click();
      else await expectAccessibleInAllLooks(page, "code of the sign-in");
      await page.getByLabel(label).fill(code());
      await button(page, "Sign in").click();
      await menu(page).click();
      await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
    }
    // Refusals.
    expect(complaints.filter((text) => !/40[013]/.test(text))).toEqual([]);
    await close();
    await panel.client.call("DELETE", "/config/api.second_factor_roles");
  },
);

once("a session from before the authenticator app gives a code before it changes the account", async () => {
  const account = { username: "before", password: PASSWORD, role: "user" };
  await panel.client.call("POST", "/users", account);
  await untilAddressMayTry();
  const { page, complaints, close } = await openSignedOut();
  await signInToPanel(page, PASSWORD, "before");
  const elsewhere = await signIn(panel.origin, PASSWORD, "before");
  const begun = await elsewhere.call("POST", "/account/totp", { password: PASSWORD });
  expect(begun.status).toBe(201);
  const { secret } = begun.body.data as { secret: string };
  const used = stepAt(Date.now() - 20_000);
  await elsewhere.call("POST", "/account/totp/confirm", { code: codeOf(secret, used) });
  await page.reload();
  await button(page, "New recovery codes").click();
  await page.getByRole("dialog").getByLabel("Password", { exact: true }).fill(PASSWORD);
  await button(page, "Make new codes").click();
  const asked = page.getByRole("dialog", { name: "Confirm this sign-in" });
  await asked.getByLabel("6-digit code").waitFor();
  await expectAccessibleInAllLooks(page, "confirmation of a sign-in");
  await untilAddressMayTry();
  await asked.getByLabel("6-digit code").fill(codeOf(secret, Math.max(used + 1, stepAt(Date.now()))));
  await asked.getByRole("button", { name: "Confirm", exact: true }).click();
  await page.getByText("Keep these codes now.").waitFor();
  expect(complaints.filter((text) => !/40[13]/.test(text))).toEqual([]);
  await close();
});

once("a session that is ended elsewhere is gone from the list", async () => {
  const [here, there] = [await openSignedOut(), await openSignedOut()];
  for (const { page } of [there, here]) await signInToPanel(page);
  const list = here.page.getByRole("table", { name: "Sessions" });
  await list.getByText("This browser").waitFor();
  const others = list.getByRole("button", { name: /^End: .*, signed in / });
  const before = await others.count();
  expect(before).toBeGreaterThan(0);
  await others.first().click();
  await here.page.getByRole("dialog").getByRole("button", { name: "End", exact: true }).click();
  await others.nth(before - 1).waitFor({ state: "detached" });
  await here.close();
  await there.close();
});
