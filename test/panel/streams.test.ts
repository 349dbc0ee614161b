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
