/** The browser extension of clients/extension in Chromium and Firefox, with a real server. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { WHOLE_CHROMIUM } from "./support/chromium.ts";
import { FIREFOX } from "./support/firefox.ts";
import { startMarionette } from "./support/marionette.ts";
import { type Client, startSignedIn } from "./support/session.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const ID = "extension@waymark.invalid";
const UUID = "0c1b2a39-4857-4666-8574-93a2b1c0dfee";
const PAGE = { url: "https://example.com/a/page?with=query", title: "A page" };

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let token: string;
let folder: string;

beforeAll(async () => {
  ({ installation, server, client: admin } = await startSignedIn());
  const scopes = ["links:read", "links:write"];
  token = (await admin.call("POST", "/tokens", { name: "extension", scopes })).body.data.token;
  folder = mkdtempSync(join(tmpdir(), "waymark-extension-"));
  cpSync(join(import.meta.dir, "../clients/extension"), folder, { recursive: true });
  // No test can answer the question of a browser for its permission.
  const manifest = Bun.file(join(folder, "manifest.json"));
  const content = { ...(await manifest.json()), host_permissions: ["http://127.0.0.1/*"] };
  await Bun.write(manifest, JSON.stringify(content));
  // A popup knows the tab below it; a page of a test is a tab itself.
  const tab = `(globalThis.browser ?? globalThis.chrome).tabs.query = async () => [${JSON.stringify(PAGE)}];`;
  await Bun.write(join(folder, "tab.js"), tab);
  const popup = Bun.file(join(folder, "popup.html"));
  const html = await popup.text();
  await Bun.write(popup, html.replace("<script ", '<script src="tab.js"></script><script '));
});
afterAll(async () => {
  await installation.remove();
  rmSync(folder, { recursive: true, force: true });
});

const linksTo = async (url: string): Promise<{ code: string; short_url: string }[]> => {
  const { body } = await admin.call("GET", `/links?search=${encodeURIComponent(url)}`);
  return body.data;
};

if (WHOLE_CHROMIUM === null) console.log("skipped: the extension in Chromium, which is not installed");
else {
  test("in Chromium it shortens the page, copies and shows a QR code", async () => {
    const profile = mkdtempSync(join(tmpdir(), "waymark-extension-chromium-"));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: WHOLE_CHROMIUM!,
      ignoreDefaultArgs: ["--disable-extensions"],
      args: ["--no-sandbox", `--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
    });
    try {
      await tell(context);
    } finally {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    }
  });
}

/** Chromium makes the id of an unpacked extension from its path. */
const chromiumId = (): string =>
  createHash("sha256")
    .update(folder)
    .digest("hex")
    .slice(0, 32)
    .replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)));

async function tell(context: BrowserContext): Promise<void> {
  const root = `chrome-extension://${chromiumId()}`;
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  const message = page.getByRole("status");

  await page.goto(`${root}/popup.html`);
  await message.getByText("Open the settings").waitFor();
  await page.goto(`${root}/options.html`);
  await save(page, "not an address:", token);
  await message.getByText("https://go.example.com").waitFor();
  await save(page, server.url, `${token}x`);
  await message.getByText("does not know this API token").waitFor();
  await save(page, `${server.url}/`, token);
  await message.getByText("knows you as admin").waitFor();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${root}/popup.html`);
  await page.getByRole("button", { name: "Shorten and copy" }).click();
  await message.getByText("Copied.").waitFor();
  const shortUrl = await page.getByLabel("Short URL").inputValue();
  expect((await linksTo(PAGE.url)).map(({ short_url }) => short_url)).toEqual([shortUrl]);
  const picture = page.getByRole("img", { name: `QR code of ${shortUrl}` });
  await picture.waitFor();
  expect(await picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBe(
    400,
  );
  if (process.env["SHOTS"]) await page.screenshot({ path: join(process.env["SHOTS"], "popup.png") });

  // Again without a code: the same link. With a code: another one.
  await page.goto(`${root}/popup.html`);
  await page.getByRole("button", { name: "Shorten and copy" }).click();
  await message.getByText("Copied.").waitFor();
  expect(await page.getByLabel("Short URL").inputValue()).toBe(shortUrl);
  for (const said of ["Copied.", "is taken"]) {
    await page.goto(`${root}/popup.html`);
    await page.getByLabel("Code (optional)").fill("from-chromium");
    await page.getByRole("button", { name: "Shorten and copy" }).click();
    await message.getByText(said).waitFor();
  }
  expect((await linksTo(PAGE.url)).map(({ code }) => code)).toContain("from-chromium");
  expect(errors).toEqual([]);
}

async function save(page: Page, url: string, given: string): Promise<void> {
  await page.getByLabel("Address of your server").fill(url);
  await page.getByLabel("API token").fill(given);
  await page.getByRole("button", { name: "Save" }).click();
}

if (FIREFOX === null) console.log("skipped: the extension in Firefox, which is not installed");
else {
  test("in Firefox too", async () => {
    const uuids = JSON.stringify(JSON.stringify({ [ID]: UUID }));
    const firefox = await startMarionette(`user_pref("extensions.webextensions.uuids", ${uuids});\n`);
    try {
      await firefox.install(folder);
      await firefox.open(`moz-extension://${UUID}/options.html`);
      await firefox.type("#url", server.url);
      await firefox.type("#token", token);
      await firefox.click("button");
      await firefox.seen("#message", "knows you as admin");
      await firefox.open(`moz-extension://${UUID}/popup.html`);
      await firefox.type("#code", "from-firefox");
      await firefox.click("#shorten");
      await firefox.seen("#message", "Copied.");
      expect((await linksTo(PAGE.url)).map(({ code }) => code)).toContain("from-firefox");
    } finally {
      await firefox.close();
    }
  });
}
