/** The browser's Back, which is that of a phone: it closes what lies over the page, then it undoes choices. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { driveClient } from "../support/drive.ts";
import { NARROW, once, startPanel } from "../support/panel.ts";
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
  { path: "link/spring", open: (page) => page.getByRole("button", { name: "QR" }).click() },
  { path: "tokens", open: (page) => page.getByRole("button", { name: "New token" }).click() },
  {
    path: "files",
    open: (page) => page.getByRole("rowheader", { name: "read.txt", exact: true }).dblclick(),
  },
  {
    path: "shares",
    async open(page) {
      await page.getByRole("button", { name: "Actions for inbox" }).click();
      await page.getByRole("menuitem", { name: "Close the drop box" }).click();
    },
  },
];

once("Back closes dialogs, side forms, previews and commands, also on the first page of a tab", async () => {
  const { context, complaints, close } = await panel.enter("/panel/");
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
    await tab.getByRole("navigation").getByRole("link", { name: "Domains" }).click();
    await heading(tab, "Domains").waitFor();
    await back(tab);
    await heading(tab, "Domains").waitFor({ state: "detached" });
    expect(tab.url()).toBe(before);
    await tab.close();
  }
  expect(complaints).toEqual([]);
  await close();
});

once("a page that is chosen in the commands is one step from the page before", async () => {
  const { page, close } = await panel.enter("/panel/links");
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
  const { page, close } = await panel.enter("/panel/links", { size: NARROW });
  await page.keyboard.press("Control+k");
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
  const target = page.getByRole("textbox", { name: "Target" });
  await target.fill("https://example.com/typed");
  await (await signIn(panel.server.url)).call("POST", "/auth/logout?sessions=all");
  // Another request of the page may have asked the question already, which then lies over the button.
  await page.getByRole("button", { name: "Create link" }).dispatchEvent("click");
  const question = dialog(page).filter({ hasText: "The session has ended" });
  await question.waitFor();
  for (let press = 0; press < 2; press++) {
    await back(page);
    await soon(async () => expect(await page.evaluate(() => history.state.isOver)).toBe(true));
    await question.getByLabel("Password", { exact: true }).waitFor();
  }
  expect(await page.getByLabel("Target").inputValue()).toBe("https://example.com/typed");
  await close();
});

once("Escape and Back call off a dialog that still loads", async () => {
  const { page, context, close } = await panel.enter("/panel/link/spring");
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
    await page.getByRole("button", { name: "Edit: Target" }).click();
    await page.getByRole("textbox", { name: "Target" }).waitFor();
    expect(await dialog(page).count()).toBe(0);
    await context.unrouteAll();
    await heading(page, "spring").waitFor({ state: "attached" });
  }
  await close();
});

const pick = async (page: Page, field: string, option: string): Promise<void> => {
  await page
    .getByRole("combobox", { name: field })
    .or(page.getByRole("textbox", { name: field }))
    .first()
    .click();
  await page.getByRole("option", { name: option, exact: true }).click();
};
/** Each is a step of its own. */
const CHOICES: { path: string; choose(page: Page): Promise<unknown>; undone(page: Page): Locator }[] = [
  {
    path: "shares",
    choose: (page) => pick(page, "Kind", "Folders"),
    undone: (page) => page.getByRole("row").filter({ hasText: "inbox" }),
  },
  {
    path: "users",
    choose: (page) => pick(page, "Role", "Editor"),
    undone: (page) => page.getByPlaceholder("Any role"),
  },
  {
    path: "events",
    choose: (page) => pick(page, "How", "in the panel"),
    undone: (page) => page.getByPlaceholder("Any way"),
  },
  {
    path: "files",
    choose: (page) => page.getByRole("button", { name: "Size" }).click(),
    undone: (page) => page.getByRole("row").filter({ hasText: "read.txt" }),
  },
];

once("Back undoes a zoom and other choices one by one, and typing at once", async () => {
  const { page, complaints, close } = await panel.enter("/panel/");
  const zoom = page.getByRole("button", { name: "Zoom in" });
  const firstDay = page.getByLabel("First day");
  await page.getByRole("slider", { name: "Values by time" }).focus();
  for (const key of ["End", "Shift+ArrowLeft", "Shift+ArrowLeft"]) await page.keyboard.press(key);
  await zoom.click();
  await firstDay.waitFor();
  await firstDay.fill("2026-01-01");
  await page.waitForURL(/from=2026-01-01/);
  await back(page);
  await zoom.waitFor();
  expect(await firstDay.count()).toBe(0);
  await back(page);
  await zoom.waitFor({ state: "detached" });
  await heading(page, "Overview").waitFor();

  for (const { path, choose, undone } of CHOICES) {
    await page.goto(`${panel.origin}/panel/${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const before = page.url();
    await choose(page);
    await page.waitForURL((url) => url.href !== before);
    await back(page);
    await page.waitForURL(before);
    await undone(page).waitFor();
  }
  // A field shows the address that comes back.
  await page.goto(`${panel.origin}/panel/events`);
  await page.getByLabel("Who").fill("nobody");
  await page.waitForURL(/actor=nobody/);
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await page.waitForURL((url) => !url.search.includes("actor"));
  await soon(async () => expect(await page.getByLabel("Who").inputValue()).toBe(""));
  await back(page);
  await soon(async () => expect(await page.getByLabel("Who").inputValue()).toBe("nobody"));
  expect(complaints).toEqual([]);
  await close();
});
