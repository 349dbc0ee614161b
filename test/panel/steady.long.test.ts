/** Nothing moves while a page or form loads over a slow network. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { NARROW, once, signInToPanel, startPanel, WIDE } from "../support/panel.ts";

const ROUTES = ["", "analytics", "links", "link/long/code", "links/import", "links/deleted", "links/tags"];
const LATENCY_MS = 400;
/** Browsers call a tenth good. */
const MOST_SHIFT = 0.05;

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  await panel.client.call("POST", "/domains", { host: "go.example.com" });
  const links = Array.from({ length: 12 }, (_, at) => ({
    code: at === 0 ? "long/code" : `c${at}`,
    target: `https://example.com/${at}`,
    tags: ["one", `t${at % 3}`],
  }));
  await panel.client.call("POST", "/links/batch", { links });
  await panel.client.call("DELETE", "/links/c11");
});
afterAll(() => panel.stop());

/** Sums the layout shifts of every page from now on, beside those right after a click. */
async function slowly(page: Page): Promise<(place: string) => Promise<void>> {
  await page.addInitScript(() => {
    const told = window as unknown as { shift: number };
    told.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
        told.shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const unbounded = { downloadThroughput: -1, uploadThroughput: -1 };
  const conditions = { offline: false, latency: LATENCY_MS, ...unbounded };
  await session.send("Network.emulateNetworkConditions", conditions);
  return async (place) => {
    await page.waitForLoadState("networkidle");
    const shift = await page.evaluate(() => (window as unknown as { shift: number }).shift);
    expect([place, shift <= MOST_SHIFT ? "still" : shift]).toEqual([place, "still"]);
  };
}

for (const size of [NARROW, WIDE]) {
  once(`pages and the form of a link stay in place at ${size.width} px`, async () => {
    const { page, complaints, close } = await panel.open("/panel/", { size });
    await signInToPanel(page);
    const expectStill = await slowly(page);
    for (const route of ROUTES) {
      await page.goto(`${panel.origin}/panel/${route}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expectStill(route);
    }
    await page.goto(`${panel.origin}/panel/links`);
    await page.getByRole("grid").waitFor();
    await page.getByRole("button", { name: "New link" }).click();
    const form = page.getByRole("region", { name: "New link" });
    await form.getByRole("textbox", { name: "Target" }).and(page.locator(":focus")).waitFor();
    await form.getByRole("combobox", { name: "Domain" }).waitFor();
    await expectStill("new link");
    expect(complaints).toEqual([]);
    await close();
  });
}

once("the head has one width on pages that scroll, on those that don't, and behind a dialog", async () => {
  const size = { width: WIDE.width, height: 500 };
  const { page, complaints, close } = await panel.enter("/panel/domains", { size });
  const width = async () => (await page.locator("header").first().boundingBox())!.width;
  await page.getByRole("heading", { level: 1, name: "Domains" }).waitFor();
  const expected = await width();
  for (const path of ["domains", "settings"]) {
    await page.goto(`${panel.origin}/panel/${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect([path, await width()]).toEqual([path, expected]);
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    expect([path, "dialog", await width()]).toEqual([path, "dialog", expected]);
  }
  expect(complaints).toEqual([]);
  await close();
});
