/** All pages for visitors in Chromium: axe finds nothing in any look, nothing overflows, and the keyboard is enough. */
import "./support/long.ts";
import { AxeBuilder } from "@axe-core/playwright";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { CHROMIUM } from "./support/chromium.ts";
import { driveClient } from "./support/drive.ts";
import { focused, LOOKS, startPanel } from "./support/panel.ts";
import { stranger } from "./support/stranger.ts";

const isRequired = process.env["WAYMARK_TEST_REQUIRE_SERVICES"] === "1";
const LONG = `${"Donaudampfschifffahrtsgesellschaft".repeat(4)}.txt`;
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const BOX = { max_bytes: 1_000_000, max_files: 3 };

let started: Awaited<ReturnType<typeof startPanel>>;
let me: ReturnType<typeof driveClient>;
/** Page, and its path. */
const pages: [name: string, path: string][] = [];

async function share(name: string, path: string, input = {}): Promise<void> {
  const { body } = await me.call("POST", path, input);
  pages.push([name, new URL(body.data.url).pathname]);
}

const fileOf = async (
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  type: string,
  folder?: number,
) =>
  (await me.upload(name, content, { type, folder: folder === undefined ? "" : String(folder) })).body.data.id;

beforeAll(async () => {
  started = await startPanel();
  me = driveClient(started.server.url, started.client.token);
  const folder = await me.folder(`A ${LONG}`);
  const inner = await me.folder("Inner", folder);
  const file = await fileOf(LONG, "some text\n".repeat(99), "text/plain", inner);
  const picture = await fileOf("pixel.png", new Uint8Array(PIXEL), "image/png", folder);
  const sound = await fileOf("sound.mp3", "no sound", "audio/mpeg");
  const table = await fileOf("numbers.xlsx", "cells", "application/vnd.ms-excel");
  const pdf = await fileOf("broken.pdf", "%PDF-1.7 nothing", "application/pdf");
  await share("file with a text", `/files/${file}/share`, { expires_at: "7d" });
  await share("picture", `/files/${picture}/share`);
  await share("sound", `/files/${sound}/share`);
  await share("file with a limit", `/files/${table}/share`, { max_downloads: 3, expires_at: "7d" });
  await share("PDF that can't be drawn", `/files/${pdf}/share`);
  await share("folder", `/folders/${folder}/share`);
  pages.push(["folder in a folder", `${pages.at(-1)![1]}?folder=${inner}`]);
  await share("empty folder", `/folders/${await me.folder("empty")}/share`);
  await share("password", `/files/${file}/share`, { code: "secret", password: "a good password" });
  await share("used up", `/files/${table}/share`, { max_downloads: 1 });
  await (await fetch(started.server.url + pages.at(-1)![1])).arrayBuffer();
  await share("drop box", `/folders/${inner}/drop`, { ...BOX, title: LONG, expires_at: "7d", code: "box" });
  await share("drop box with a password", `/folders/${inner}/drop`, { ...BOX, password: "a good password" });
  await share("full drop box", `/folders/${folder}/drop`, { ...BOX, max_files: 1 });
  await stranger().put(started.server.url + pages.at(-1)![1], { "one.txt": "1" });
  const lost = await fileOf("lost.bin", "content that is lost", "application/octet-stream");
  await share("damaged", `/files/${lost}/share`);
  pages.at(-1)![1] += "?download=1";
  const { sha256 } = (await me.call("GET", `/files/${lost}`)).body.data;
  const stored = join(started.installation.dataDir, "files");
  const names = readdirSync(stored, { recursive: true, encoding: "utf8" });
  rmSync(join(stored, names.find((name) => name.includes(sha256))!));
  await share("ended", `/files/${table}/share`, { code: "ended" });
  await me.call("DELETE", "/shares/ended");
  await share("expired", `/files/${table}/share`, { expires_at: "1s" });
  await started.client.call("POST", "/links", { code: "late", target: "https://a.test", expires_at: "1s" });
  pages.push(["expired link", "/late"], ["unknown code", "/nothing-here"], ["root", "/"]);
  pages.push(["file that is not there", `${pages.find(([name]) => name === "folder")![1]}?file=4711`]);
});
afterAll(() => started.stop());

/** In this page, without one of its own to join the findings of frames. */
async function expectAccessible(page: Page, name: string): Promise<void> {
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] });
  const { violations } = await axe.analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  expect([name, ...found]).toEqual([name]);
}

const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test.skipIf(CHROMIUM === null && !isRequired)(
  "axe finds nothing on any page, and none is wider than the window",
  async () => {
    const { page, close } = await started.open("/");
    for (const [name, path] of pages) {
      await page.goto(started.origin + path);
      expect([name, await page.locator("h1").count()]).toEqual([name, 1]);
      if (name.startsWith("PDF")) await page.locator(".no-pdf").waitFor();
      // A scheme changes colours alone.
      for (const { size, dark } of LOOKS) {
        await page.setViewportSize(size);
        expect([name, size.width, await overflow(page)]).toEqual([name, size.width, 0]);
        await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
        await expectAccessible(page, `${name}, ${size.width} px, ${dark ? "dark" : "light"}`);
      }
    }
    await close();
  },
);

test.skipIf(CHROMIUM === null && !isRequired)(
  "the keyboard alone opens a protected share, walks a folder and sends files",
  async () => {
    const { page, close } = await started.open("/secret");
    const textInFocus = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
    const press = (key: string) => page.keyboard.press(key);
    /** Tab, until that has the focus. Says whether it can be seen. */
    const reach = async (name: string): Promise<boolean> => {
      for (let steps = 0; steps < 20; steps++) {
        await press("Tab");
        if ((await textInFocus()).startsWith(name)) {
          return page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle !== "none");
        }
      }
      throw new Error(`the keyboard does not reach ${name}`);
    };
    await focused(page.getByLabel("Password"));
    await page.keyboard.type("a wrong password");
    await press("Enter");
    await page.getByRole("alert").waitFor();
    await focused(page.getByLabel("Password"));
    await page.keyboard.type("a good password");
    await press("Enter");
    await page.getByRole("link", { name: "Download" }).waitFor();
    expect(await reach("Download")).toBe(true);
    const download = page.waitForEvent("download");
    await press("Enter");
    expect((await download).suggestedFilename()).toBe(LONG);

    await page.goto(started.origin + pages.find(([name]) => name === "folder")![1]);
    expect(await reach("Inner")).toBe(true);
    await press("Enter");
    await page.getByRole("heading", { name: "Inner" }).waitFor();
    expect(await reach("Donau")).toBe(true);

    await page.goto(`${started.origin}/box`);
    await page.locator("input[type=file]").setInputFiles({
      name: "by keyboard.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("sent"),
    });
    expect(await reach("Send")).toBe(true);
    await press("Enter");
    await page.getByText("by keyboard.txt").waitFor();
    await page
      .getByText(/Arrived|Thank you/)
      .first()
      .waitFor();
    await expectAccessible(page, "drop box with what was sent");
    await close();
  },
);
