/** Files, shares, imports and numbers in the panel by keyboard alone, with the focus back where it was. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { CHROME } from "../../src/clicks/analytics/analytics.test-support.ts";
import { CHROMIUM } from "../support/chromium.ts";
import { type DriveClient, driveClient } from "../support/drive.ts";
import { expectFocus, press, signInByKeyboard, tabTo, waitInMenu } from "../support/keyboard.ts";
import { expectAccessibleInAllLooks, startPanel } from "../support/panel.ts";
import { until } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
let me: DriveClient;
beforeAll(async () => {
  panel = await startPanel({}, { "analytics.enable_detailed_logging": "true" });
  me = driveClient(panel.server.url, panel.client.token);
  await me.upload("report.txt", "for one's eyes", { type: "text/plain" });
  for (const code of ["spring", "autumn"]) {
    const link = { code, target: "https://example.com/", title: `The ${code}` };
    expect((await panel.client.call("POST", "/links", link)).status).toBe(201);
  }
});
afterAll(() => panel.stop());

const visit = (code: string, referrer: string) =>
  fetch(`${panel.server.url}/${code}`, {
    redirect: "manual",
    headers: { "User-Agent": CHROME, Referer: referrer },
  });
const list = (page: Page, name: string) =>
  page.getByRole("tabpanel", { name, exact: true }).or(page.getByRole("region", { name, exact: true }));

test.skipIf(!CHROMIUM)(
  "⌘K finds a link, a file, a setting and an action, and gives the focus back",
  async () => {
    const { page, complaints, close } = await panel.open("/panel/tokens");
    await signInByKeyboard(page);
    const opener = page.getByRole("button", { name: "New token" });
    await tabTo(page, opener);
    const commands = page.getByRole("dialog", { name: "Commands" });
    // The first time they are still loading when they open.
    for (const time of ["first", "second"]) {
      await press(page, "Control+k");
      await expectFocus(page, commands.getByRole("combobox"), "Ctrl+K");
      await press(page, "Escape");
      await commands.waitFor({ state: "detached" });
      await expectFocus(page, opener, `the ${time} Escape`);
    }
    const choose = async (text: string, found: string) => {
      // Pressed again before they are closed, the key would leave the commands open as they are.
      await commands.waitFor({ state: "detached" });
      await press(page, "Control+k");
      await expectFocus(page, commands.getByRole("combobox"), "Ctrl+K");
      await page.keyboard.type(text);
      await commands.getByRole("option", { selected: true }).filter({ hasText: found }).waitFor();
      await press(page, "Enter");
    };
    const goes = async (text: string, found: string, address: RegExp) => {
      await choose(text, found);
      await page.waitForURL(address);
    };
    await goes("The spring", "spring", /\/link\/spring$/);
    await choose("report.t", "report.txt");
    const preview = page.getByRole("dialog", { name: "report.txt" });
    await preview.getByText("for one's eyes").or(preview.locator("iframe")).first().waitFor();
    await press(page, "Escape");
    await preview.waitFor({ state: "detached" });
    await goes("features.default_url", "features.default_url", /settings\?q=features\.default_url/);
    await choose("new tok", "New token");
    await expectFocus(page, page.getByRole("dialog", { name: "New token" }).getByLabel("Name"), "New token");
    expect(complaints).toEqual([]);
    await close();
  },
);

test.skipIf(!CHROMIUM)("Tab starts in the opened page and reaches every button", async () => {
  const { page, complaints, close } = await panel.open("/panel/links/import");
  const show = page.getByRole("button", { name: "Show the password" });
  await tabTo(page, page.getByLabel("Password", { exact: true }));
  await page.keyboard.type("a");
  await press(page, "Tab");
  await expectFocus(page, show, "the password");
  await press(page, "Space");
  await page.getByRole("textbox", { name: "Password" }).and(page.locator("[type=text]")).waitFor();
  await press(page, "Shift+Tab", "Backspace");
  await signInByKeyboard(page);
  const content = page.getByRole("main");
  await tabTo(page, page.getByRole("link", { name: "Skip to the content" }));
  await press(page, "Enter");
  await expectFocus(page, content, "the skip link");
  expect(new URL(page.url()).pathname).toBe("/panel/links/import");
  const back = page.getByRole("link", { name: "Links", exact: true }).and(content.getByRole("link"));
  await press(page, "Tab");
  await expectFocus(page, back, "Tab");
  await press(page, "Tab");
  await expectFocus(page, content.getByRole("link", { name: "Move from another service" }), "Tab");
  await press(page, "Shift+Tab");
  await expectFocus(page, back, "Shift+Tab");
  await press(page, "Enter");
  await page.waitForURL(/\/links$/);
  await expectFocus(page, content, "the page before");
  await press(page, "Tab");
  await expectFocus(page, content.getByRole("button").first(), "Tab in the list of links");
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)("a chart is brushed by keys, and an arriving click is announced", async () => {
  for (let at = 0; at < 3; at++) await visit("spring", "https://news.example/");
  await until(async () => (await panel.client.call("GET", "/links/spring")).body.data.human_clicks === 3);
  const { page, complaints, close } = await panel.open("/panel/link/spring");
  await signInByKeyboard(page);
  const news = list(page, "Sites").getByText("news.example", { exact: true });
  await news.waitFor();
  const chart = page.getByRole("slider", { name: "Values by time" });
  await tabTo(page, chart);
  await press(page, "End", "ArrowLeft", "ArrowLeft", "ArrowLeft", "Shift+ArrowLeft");
  await news.waitFor({ state: "detached" });
  await page.waitForURL((url) => url.search !== "");
  await press(page, "Escape");
  await news.waitFor();
  await expectFocus(page, chart, "Escape");

  const clicks = list(page, "Newest clicks");
  await clicks.getByText("Live", { exact: true }).waitFor();
  await visit("spring", "https://other.example/");
  await clicks
    .getByRole("status")
    .getByText(/^\d+ new clicks?$/)
    .waitFor({ state: "attached" });
  await clicks.getByText("other.example").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)("a share is made, an upload goes on after a reload", async () => {
  const { page, context, complaints, close } = await panel.open("/panel/files");
  await signInByKeyboard(page);
  const opener = page.getByRole("button", { name: "Actions for report.txt" });
  await tabTo(page, opener);
  const share = async () => {
    await press(page, "Enter");
    await waitInMenu(page);
    await page.keyboard.type("share");
    await expectFocus(page, page.getByRole("menuitem", { name: "Share" }), "typing in the menu");
    await press(page, "Enter");
  };
  await share();
  const form = page.getByRole("main");
  await expectFocus(page, form.getByLabel("Title"), "Share");
  await page.keyboard.type("By keys");
  await tabTo(page, form.getByLabel("Code", { exact: true }));
  await page.keyboard.type("by/keys");
  await form.getByText("This code is available.").waitFor();
  await tabTo(page, form.getByRole("button", { name: "Limits" }));
  await press(page, "Enter");
  await tabTo(page, form.getByRole("switch", { name: "Ask for a password" }));
  await press(page, "Space");
  await tabTo(page, form.getByLabel("Password", { exact: true }));
  await page.keyboard.type("a good password");
  await tabTo(page, form.getByLabel("Max. downloads"));
  await page.keyboard.type("3");
  await press(page, "Enter");
  await expectFocus(page, form.getByRole("button", { name: "Copy" }), "the share is made");
  expect((await me.call("GET", "/shares/by/keys")).body.data).toMatchObject({
    title: "By keys",
    max_downloads: 3,
  });
  await page.goBack();

  const network = await context.newCDPSession(page);
  const limit = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 150_000 };
  await network.send("Network.enable");
  await network.send("Network.emulateNetworkConditions", limit);
  // The browser is told of the waiting later than it hears of the next key.
  const chooser = page.waitForEvent("filechooser");
  await tabTo(page, page.getByRole("button", { name: "Upload", exact: true }), "Shift+Tab");
  await press(page, "Enter");
  const files = page.getByRole("menuitem", { name: "Files" });
  await expectFocus(page, files, "Upload");
  await press(page, "Enter");
  const buffer = randomBytes(8_000_000);
  await (await chooser).setFiles({ name: "large.bin", mimeType: "application/octet-stream", buffer });
  const uploads = page.getByRole("region", { name: "Uploads" });
  const moves = () => uploads.getByText(/^[1-9]\d?%$/).waitFor();
  await moves();
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await moves();
  const pause = uploads.getByRole("button", { name: "Pause large.bin" });
  await tabTo(page, pause);
  await press(page, "Enter");
  await uploads.getByText("Paused").waitFor();
  const goOn = uploads.getByRole("button", { name: "Continue large.bin" });
  await expectFocus(page, goOn, "the pause");
  await network.send("Network.emulateNetworkConditions", { ...limit, uploadThroughput: -1 });
  await press(page, "Enter");
  await uploads.getByText("1 upload is done").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)("a file of links is previewed and imported", async () => {
  const { page, complaints, close } = await panel.open("/panel/links");
  await signInByKeyboard(page);
  await tabTo(page, page.getByRole("button", { name: "More for links" }));
  await press(page, "Enter");
  const item = page.getByRole("menuitem", { name: /Import/ });
  await waitInMenu(page);
  await page.keyboard.type("import");
  await expectFocus(page, item, "typing in the menu");
  await press(page, "Enter");
  await page.waitForURL(/\/links\/import$/);
  const chooser = page.waitForEvent("filechooser");
  await tabTo(page, page.getByRole("button", { name: "Choose a file" }));
  await press(page, "Enter");
  const text = "code,target\nspring,https://example.com/new\nfresh,https://example.com/fresh\n";
  await (await chooser).setFiles({ name: "mine.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await page.getByRole("button", { name: "Import 1 row" }).waitFor();
  await expectFocus(page, page.getByText("mine.csv ·"), "the chosen file");
  await tabTo(page, page.getByRole("radio", { name: "Skip them" }));
  await press(page, "ArrowDown");
  const begin = page.getByRole("button", { name: "Import 2 rows" });
  await begin.waitFor();
  await tabTo(page, begin);
  await press(page, "Enter");
  const show = page.getByRole("link", { name: "Show the links" });
  await expectFocus(page, show, "the import");
  await press(page, "Enter");
  await page.waitForURL(/\/links\?sort=created_at/);
  expect((await panel.client.call("GET", "/links/spring")).body.data.target).toBe("https://example.com/new");
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)(
  "each main place, a new thing and the open link have keys, which ? lists",
  async () => {
    const { page, context, complaints, close } = await panel.open("/panel/settings");
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await signInByKeyboard(page);
    const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
    await press(page, "?");
    await sheet.getByText("Shorten and copy the URL in the clipboard").waitFor();
    const pages = await page.getByRole("navigation", { name: "Pages" }).getByRole("link").allTextContents();
    expect(pages.length).toBeGreaterThan(10);
    const listed = await sheet.locator("dd").allTextContents();
    const keys = await sheet.locator("section").last().locator("dt").allTextContents();
    expect(keys.map((key, at) => listed.slice(-keys.length)[at]! + key)).toEqual(pages);
    await expectAccessibleInAllLooks(page, "the sheet of shortcuts");
    // Nothing under the sheet hears keys.
    await press(page, "g", "l", "Escape");
    await sheet.waitFor({ state: "detached" });
    expect(page.url()).toEndWith("/panel/settings");

    const isAt = async (name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    for (const [key, name] of [
      ["f", "Files"],
      ["s", "Shares"],
      ["a", "Analytics"],
      ["t", "API tokens"],
      ["l", "Links"],
    ] as const) {
      await press(page, "g", key);
      await isAt(name);
    }
    // In the list, o and e mean the link; after G they are pages.
    await page.getByRole("row").filter({ hasText: "spring" }).waitFor();
    await press(page, "j", "g", "e");
    await isAt("Events");
    const form = page.getByRole("dialog");
    const target = page.getByRole("textbox", { name: "Target" });
    await press(page, "n");
    await target.waitFor();
    await page.keyboard.type("gl?n");
    expect(await target.inputValue()).toEndWith("gl?n");
    await press(page, "Escape");
    await target.waitFor({ state: "detached" });
    await press(page, "g", "s");
    await isAt("Shares");
    await press(page, "n");
    await isAt("New share");

    await page.goto(`${panel.origin}/panel/link/autumn`);
    const edit = page.getByRole("button", { name: "Edit: Target" });
    await edit.waitFor();
    await press(page, "c");
    await page.getByText("/autumn is copied.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toEndWith("/autumn");
    await press(page, "q");
    await page.getByRole("dialog", { name: "QR code" }).waitFor();
    await press(page, "Escape");
    await form.waitFor({ state: "detached" });
    // Retargets what is printed: E, the new target over the old one, Enter.
    await press(page, "e");
    await expectFocus(page, target, "E");
    await page.keyboard.type("https://example.com/retargeted");
    await press(page, "Enter");
    await target.waitFor({ state: "detached" });
    const { body } = await panel.client.call("GET", "/links/autumn");
    expect(body.data.target).toBe("https://example.com/retargeted");
    expect(complaints).toEqual([]);
    await close();
  },
);
