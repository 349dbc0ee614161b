/** The browser's Back, which is that of a phone: it closes what lies over the page, then it undoes choices. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { driveClient } from "../support/drive.ts";
import { NARROW, once, signInToPanel, startPanel } from "../support/panel.ts";
import { signIn } from "../support/session.ts";
import { soon } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  const drive = driveClient(panel.server.url, panel.client.token);
  const folder = await drive.folder("Inbox");
  await drive.call("POST", `/folders/${folder}/drop`, { code: "inbox", max_bytes: 1_000, max_files: 9 });
  await drive.upload("read.txt", "what one reads", { type: "text/plain" });
  await panel.client.call("POST", "/links", { code: "spring", target: "https://example.com/" });
});
afterAll(() => panel.stop());

const back = (page: Page): Promise<void> => page.evaluate(() => history.back());
const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 });
const dialog = (page: Page) => page.getByRole("dialog");
const entries = (page: Page): Promise<number> => page.evaluate(() => history.length);

/** What opens over a page. */
const OVERLAYS: { path: string; open(page: Page): Promise<unknown> }[] = [
  { path: "links", open: (page) => page.keyboard.press("Control+k") },
  { path: "links", open: (page) => page.getByRole("button", { name: "New link" }).click() },
  { path: "link/spring", open: (page) => page.getByRole("button", { name: "QR" }).click() },
  { path: "link/spring", open: (page) => page.getByRole("button", { name: "Edit", exact: true }).click() },
  { path: "files", open: (page) => page.getByRole("gridcell", { name: "read.txt", exact: true }).dblclick() },
  { path: "shares", open: (page) => page.getByRole("button", { name: "New share" }).click() },
  {
    path: "shares",
    async open(page) {
      await page.getByRole("button", { name: "Actions for inbox" }).click();
      await page.getByRole("menuitem", { name: "What came in" }).click();
    },
  },
];

once("Back closes dialogs, side forms, previews and commands, also on the first page of a tab", async () => {
  const { page, context, complaints, close } = await panel.open("/panel/");
  await signInToPanel(page);
  for (const { path, open } of OVERLAYS) {
    const tab = await context.newPage();
    await tab.goto(`${panel.origin}/panel/${path}`);
    await tab.getByRole("heading", { level: 1 }).waitFor();
    const before = tab.url();
    for (const _ of ["the part loads", "it is there"]) {
      await open(tab);
      await dialog(tab).waitFor();
      await back(tab);
      await dialog(tab).waitFor({ state: "detached" });
      expect(tab.url()).toBe(before);
    }
    // Closed in another way, it leaves nothing behind.
    await open(tab);
    await dialog(tab).waitFor();
    await tab.keyboard.press("Escape");
    await dialog(tab).waitFor({ state: "detached" });
    await tab.getByRole("navigation").getByRole("link", { name: "API tokens" }).click();
    await heading(tab, "API tokens").waitFor();
    await back(tab);
    await heading(tab, "API tokens").waitFor({ state: "detached" });
    expect(tab.url()).toBe(before);
    await tab.close();
  }
  expect(complaints).toEqual([]);
  await close();
});

once("a page that is chosen in the commands is one step from the page before", async () => {
  const { page, close } = await panel.open("/panel/links");
  await signInToPanel(page);
  const before = await entries(page);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("storage");
  await page.getByRole("option", { name: "Storage", exact: true }).click();
  await heading(page, "Storage").waitFor();
  expect(await entries(page)).toBe(before + 1);
  // A form that a command opens is over its page.
  await page.keyboard.press("Control+k");
  await page.keyboard.type("new token");
  await page.getByRole("option", { name: "New token" }).click();
  await dialog(page).getByLabel("Name").fill("typed");
  await back(page);
  await dialog(page).waitFor({ state: "detached" });
  await heading(page, "API tokens").waitFor();
  await back(page);
  await heading(page, "Storage").waitFor();
  await back(page);
  await heading(page, "Links").waitFor();
  await page.evaluate(() => history.forward());
  await heading(page, "Storage").waitFor();
  await close();
});

once("Back closes a form after a reload that it outlived, the menu of a phone, and no sign-in", async () => {
  const { page, close } = await panel.open("/panel/links", { size: NARROW });
  await signInToPanel(page);
  await page.getByRole("button", { name: "New link" }).click();
  await dialog(page).waitFor();
  await page.reload();
  await heading(page, "Links").waitFor();
  expect(await dialog(page).count()).toBe(0);
  const menu = page.getByRole("navigation", { name: "Pages" });
  await page.getByRole("button", { name: "Open the menu" }).click();
  await menu.getByRole("link", { name: "Files" }).waitFor();
  await back(page);
  await menu.getByRole("link", { name: "Files" }).waitFor({ state: "hidden" });
  await heading(page, "Links").waitFor();

  await page.getByRole("button", { name: "New link" }).click();
  await dialog(page).getByLabel("Target").fill("https://example.com/typed");
  await (await signIn(panel.server.url)).call("POST", "/auth/logout?sessions=all");
  await dialog(page).getByRole("button", { name: "Create", exact: true }).click();
  const question = dialog(page).filter({ hasText: "The session has ended" });
  await question.waitFor();
  for (let press = 0; press < 2; press++) {
    await back(page);
    await soon(async () => expect(await page.evaluate(() => history.state.isOver)).toBe(true));
    await question.getByLabel("Password", { exact: true }).waitFor();
  }
  expect(await dialog(page).getByLabel("Target").inputValue()).toBe("https://example.com/typed");
  await close();
});

once("Escape and Back call off a dialog that still loads", async () => {
  const { page, context, close } = await panel.open("/panel/link/spring");
  await signInToPanel(page);
  for (const leave of [() => page.keyboard.press("Escape"), () => back(page)]) {
    await page.reload();
    const asked = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<void>();
    await context.route(/assets\/qr-dialog-/, async (route) => {
      asked.resolve();
      await sent.promise;
      await route.continue();
    });
    await page.getByRole("button", { name: "QR" }).click();
    await asked.promise;
    await page.getByRole("progressbar", { name: "Loading" }).waitFor({ state: "attached" });
    await leave();
    await page.getByRole("progressbar", { name: "Loading" }).waitFor({ state: "detached" });
    const loaded = page.waitForResponse(/assets\/qr-dialog-/);
    sent.resolve();
    await (await loaded).finished();
    // What comes later than the script.
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await dialog(page).getByLabel("Target").waitFor();
    expect(await dialog(page).count()).toBe(1);
    await context.unrouteAll();
    await heading(page, "spring").waitFor({ state: "attached" });
  }
  await close();
});
