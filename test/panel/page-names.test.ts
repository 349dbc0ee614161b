/** Each page has a name, which its tab shows, and which is announced; the focus comes along. */
import { afterAll, beforeAll, expect } from "bun:test";
import { PANEL_ROUTES } from "../support/panel-routes.ts";
import { focused, once, signInToPanel, startPanel } from "../support/panel.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  await panel.client.call("POST", "/links", { code: "long/code", target: "https://example.com/" });
});
afterAll(() => panel.stop());

once("the heading of a page names its tab and is announced", async () => {
  const { page, complaints, close } = await panel.open("/panel/sign-in");
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  expect(await page.title()).toBe("Waymark");
  await signInToPanel(page);
  for (const path of PANEL_ROUTES) {
    await page.goto(`${panel.origin}/panel/${path}`);
    const heading = page.getByRole("heading", { level: 1 });
    await heading.waitFor();
    const name = (await heading.textContent())!;
    await page.waitForFunction((title) => document.title === title, `${name} · Waymark`);
    await page.getByRole("status").filter({ hasText: name }).waitFor({ state: "attached" });
  }
  await page.goto(`${panel.origin}/panel/nowhere`);
  await page.waitForFunction(() => document.title === "There is nothing at this address · Waymark");
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
