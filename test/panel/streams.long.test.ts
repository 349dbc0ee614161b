/** Streams of the panel: a hidden tab has none, and shows what it missed when it is seen again. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { CHROME } from "../../src/clicks/analytics/analytics.test-support.ts";
import { driveClient } from "../support/drive.ts";
import { once, signInToPanel, startPanel } from "../support/panel.ts";
import { stranger } from "../support/stranger.ts";

/** Connections of a browser to a server over HTTP/1.1, for all tabs together. */
const MOST_CONNECTIONS = 6;
let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel({}, { "analytics.enable_detailed_logging": "true" });
  const drive = driveClient(panel.server.url, panel.client.token);
  const folder = await drive.folder("Inbox");
  const limits = { code: "inbox", max_bytes: 1_000, max_files: 9 };
  expect((await drive.call("POST", `/folders/${folder}/drop`, limits)).status).toBe(201);
  await panel.client.call("POST", "/links", { code: "spring", target: "https://example.com/" });
});
afterAll(() => panel.stop());

/** Tabs of an automated browser all count as seen. */
const show = (page: Page, visibilityState: "hidden" | "visible"): Promise<void> =>
  page.evaluate((state) => {
    Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
    Object.defineProperty(document, "hidden", { value: state === "hidden", configurable: true });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  }, visibilityState);

const visit = (from: string) =>
  fetch(`${panel.server.url}/spring`, {
    headers: { "User-Agent": CHROME, Referer: `https://${from}.example/page` },
    redirect: "manual",
  });

const streamOf = (page: Page) => page.waitForResponse(/\/live$/);

once("hidden tabs leave the connections to the tab that is seen, and catch up", async () => {
  const { page, context, close } = await panel.open("/panel/shares");
  const first = streamOf(page);
  await signInToPanel(page);
  await first;
  const row = page.getByRole("row").filter({ hasText: "inbox" });
  await row.filter({ hasText: "0 of 9 files" }).waitFor();
  await show(page, "hidden");
  for (let tabs = 1; tabs < MOST_CONNECTIONS; tabs++) {
    const hidden = await context.newPage();
    const stream = streamOf(hidden);
    await hidden.goto(`${panel.origin}/panel/shares`);
    await stream;
    await show(hidden, "hidden");
  }
  const seventh = await context.newPage();
  await seventh.goto(`${panel.origin}/panel/links`);
  await seventh.getByRole("row").filter({ hasText: "spring" }).waitFor();

  const sent = await stranger().put(`${panel.server.url}/inbox`, { "one.txt": "1" });
  expect(sent.status).toBeLessThan(400);
  await seventh.bringToFront();
  expect(await row.filter({ hasText: "1 of 9 files" }).count()).toBe(0);
  await show(page, "visible");
  await row.filter({ hasText: "1 of 9 files" }).waitFor();
  await close();
});

once("clicks that came while the tab was hidden show when it is seen", async () => {
  await visit("earlier");
  const { page, close } = await panel.enter("/panel/link/spring");
  const newest = page.getByRole("region", { name: "Newest clicks" });
  await newest.getByText("Live", { exact: true }).waitFor();
  await show(page, "hidden");
  await visit("missed");
  await show(page, "visible");
  await newest.getByText("missed.example").waitFor();
  await close();
});

once("counts of the list move as clicks come, without a request for each", async () => {
  const { page, close } = await panel.open("/panel/links");
  const stream = streamOf(page);
  await signInToPanel(page);
  await stream;
  const clicks = page.getByRole("row").filter({ hasText: "spring" }).locator("[data-cell=people]");
  await clicks.waitFor();
  const before = Number(await clicks.textContent());
  let asked = 0;
  page.on("request", (request) => (asked += request.url().includes("/admin/v1/links?") ? 1 : 0));
  for (let at = 1; at <= 5; at++) {
    await visit("live");
    await clicks.filter({ hasText: new RegExp(`^${before + at}$`) }).waitFor();
  }
  expect(asked).toBeLessThan(5);
  // The page that is left, and a hidden one, keep no stream.
  await show(page, "hidden");
  await visit("unseen");
  await show(page, "visible");
  await clicks.filter({ hasText: new RegExp(`^${before + 6}$`) }).waitFor();
  await close();
});

once(
  "two tabs: a list follows the other's change, a folder that went to the trash and a new name say so",
  async () => {
    const drive = driveClient(panel.server.url, panel.client.token);
    const folder = await drive.folder("Shared work");
    const { page, context, close } = await panel.enter("/panel/links");
    await page.getByRole("row").filter({ hasText: "spring" }).waitFor();
    const other = await context.newPage();
    await other.goto(`${panel.origin}/panel/link/spring`);
    await other.getByRole("button", { name: "Edit: Target" }).click();
    const target = other.getByRole("textbox", { name: "Target" });
    await target.fill("https://example.com/by-the-other-tab");
    await target.press("Enter");
    await page.getByRole("row").filter({ hasText: "example.com/by-the-other-tab" }).waitFor();

    // The browser is told of the waiting later than it hears of the next key.
    const chooser = page.waitForEvent("filechooser");
    await page.goto(`${panel.origin}/panel/files?folder=${folder}`);
    await page.getByText("This folder is empty.").waitFor();
    await page.keyboard.press("u");
    // Meanwhile the name is taken, after the panel has looked.
    await context.route(/\/files\/tus$/, async (route) => {
      if (route.request().method() === "POST")
        await drive.upload("same.bin", "one", { folder: String(folder) });
      await route.continue();
    });
    await (await chooser).setFiles({
      name: "same.bin",
      mimeType: "application/octet-stream",
      buffer: Buffer.from("two"),
    });
    await page.getByRole("region", { name: "Uploads" }).getByText("Stored as same (2).bin").waitFor();
    await context.unrouteAll();

    await other.goto(`${panel.origin}/panel/files`);
    await other.getByRole("row").filter({ hasText: "Shared work" }).click();
    await other.keyboard.press("Delete");
    await page.getByText("This folder is no longer here.").waitFor();
    await page.getByRole("link", { name: "Open the trash" }).click();
    await page.getByText("Shared work").waitFor();
    await close();
  },
);
