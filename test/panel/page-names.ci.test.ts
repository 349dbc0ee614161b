/** The name of a page follows it within the panel, as does the focus. sizes.test.ts has the names of all pages. */
import { afterAll, beforeAll, expect } from "bun:test";
import { focused, once, signInToPanel, startPanel } from "../support/panel.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  await panel.client.call("POST", "/links", { code: "long/code", target: "https://example.com/" });
});
afterAll(() => panel.stop());

once("the name of a page follows it, also where nothing is and after the end of the session", async () => {
  const { page, complaints, close } = await panel.open("/panel/sign-in");
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  expect(await page.title()).toBe("Waymark");
  await signInToPanel(page);
  await page.goto(`${panel.origin}/panel/nowhere`);
  await page.waitForFunction(() => document.title === "Page not found · Waymark");
  await page.goto(`${panel.origin}/panel/tokens`);
  await page.getByRole("link", { name: "Links" }).click();
  await page.waitForFunction(() => document.title === "Links · Waymark");
  await page
    .getByRole("status")
    .filter({ hasText: /^Links$/ })
    .waitFor({ state: "attached" });
  await page.getByRole("button", { name: /Account menu/ }).click();
  await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
  await page.waitForFunction(() => document.title === "Waymark");
  expect(complaints).toEqual([]);
  await close();
});

once("after a sign-in Tab goes on in the page", async () => {
  const { page, close } = await panel.open("/panel/links");
  await page.getByLabel("Password", { exact: true }).waitFor();
  await signInToPanel(page);
  await focused(page.locator("#content"));
  await page.keyboard.press("Tab");
  await focused(page.locator("#content").getByRole("button").first());
  // A page that is opened begins where the browser begins.
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
  await close();
});
