/** Links in Chromium: what stays in reach and in place, and what is asked for and said while a page is on its way. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { countTicks, ticksOf } from "../../panel/src/clicks/chart/ticks.ts";
import { CHROMIUM } from "../support/chromium.ts";
import { press } from "../support/keyboard.ts";
import { NARROW, startPanel, WIDE } from "../support/panel.ts";
import { PASSWORD } from "../support/session.ts";
import { soon } from "../support/until.ts";

const LONG_CODE = `long/${"x".repeat(112)}/nested`;
const COLUMNS = ["tags", "clicks", "people", "created", "expires", "owner"];

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  for (const code of ["spring", LONG_CODE]) {
    const link = { code, target: "https://example.com/", tags: ["one", "two"] };
    expect((await panel.client.call("POST", "/links", link)).status).toBe(201);
  }
});
afterAll(() => panel.stop());

const rowOf = (page: Page, code: string) => page.getByRole("row").filter({ hasText: code });

/** Paths below /admin/v1 that were asked for. */
function askedOn(page: Page): string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    const path = /\/admin\/v1(\/links\/[^?]*)/.exec(request.url())?.[1];
    if (path !== undefined) asked.push(path);
  });
  return asked;
}

test.skipIf(!CHROMIUM)(
  "with every column the least important ones leave, and actions stay in sight",
  async () => {
    const { page, close } = await panel.enter("/panel/links");
    await rowOf(page, "spring").waitFor();
    await page.evaluate(
      (columns) => localStorage.setItem("waymark-link-columns", columns),
      JSON.stringify(COLUMNS),
    );
    await page.reload();
    const copy = rowOf(page, "spring").getByRole("button", { name: /^Copy/ });
    const end = async () => (await copy.boundingBox())!.x + 32;
    await copy.waitFor();
    expect(await end()).toBeLessThanOrEqual(WIDE.width);
    const tags = page.getByRole("columnheader", { name: "Tags" });
    await page.getByRole("columnheader", { name: "Owner" }).waitFor({ state: "detached" });
    const box = (await tags.boundingBox())!;
    expect(box.x + box.width).toBeLessThanOrEqual((await copy.boundingBox())!.x);
    expect(await page.getByRole("grid").evaluate((grid) => grid.scrollWidth - grid.clientWidth)).toBe(0);
    await page.setViewportSize(NARROW);
    expect(await page.getByRole("grid").evaluate((grid) => grid.scrollWidth - grid.clientWidth)).toBe(0);
    await close();
  },
);

test.skipIf(!CHROMIUM)("the page of a link with a long code shows the code whole", async () => {
  const { page, close } = await panel.enter(`/panel/link/${LONG_CODE}`);
  for (const size of [WIDE, NARROW]) {
    await page.setViewportSize(size);
    const title = page.getByRole("heading", { name: LONG_CODE });
    await title.waitFor();
    const box = (await title.boundingBox())!;
    expect(await title.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0);
    expect(box.x + box.width).toBeLessThanOrEqual(size.width);
  }
  await close();
});

test.skipIf(!CHROMIUM)("filters are counted one by one and go together", async () => {
  const { page, complaints, close } = await panel.enter("/panel/links?state=active&tag=one&tag=two&q=spring");
  await page.getByText("1 link", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Filter 3" }).waitFor();
  await page.getByRole("button", { name: "Clear all" }).click();
  await page.getByRole("button", { name: "Filter", exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe("?q=spring");
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)(
  "a code that leads nowhere is asked for once, and again when one comes back",
  async () => {
    const { page, complaints, close } = await panel.enter("/panel/links");
    await rowOf(page, "spring").waitFor();
    const asked = askedOn(page);
    // The script that asks ahead comes after the page has asked.
    const slow = Promise.withResolvers<void>();
    await page.route(/prefetch-link/, (route) => slow.promise.then(() => route.continue()));
    await page.goto(`${panel.origin}/panel/link/nothing`);
    await page.getByText('There is no link "nothing".').waitFor();
    const isThere = page.waitForResponse(/prefetch-link/);
    slow.resolve();
    await isThere;
    await page.waitForLoadState("networkidle");
    expect(asked).toEqual(["/links/nothing"]);
    expect(complaints).toHaveLength(1);
    await panel.client.call("POST", "/links", { code: "nothing", target: "https://example.com/" });
    await page.getByRole("link", { name: "Show the links" }).click();
    await rowOf(page, "nothing").waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: /\/nothing$/ }).waitFor();
    await close();
  },
);

test.skipIf(!CHROMIUM)("a link of the list shows before the server answers for it", async () => {
  const { page, close } = await panel.enter("/panel/links");
  await rowOf(page, "spring").waitFor();
  const held = Promise.withResolvers<void>();
  await page.route(/\/links\/spring$/, (route) => held.promise.then(() => route.continue()));
  await rowOf(page, "spring").getByRole("link", { name: "spring" }).click();
  await page.getByRole("heading", { name: /\/spring$/ }).waitFor();
  await page.getByRole("slider", { name: "Values by time" }).waitFor();
  held.resolve();
  await close();
});

test.skipIf(!CHROMIUM)("while a page loads, the previous one stays and a bar says so", async () => {
  const { page, close } = await panel.enter("/panel/links");
  await rowOf(page, "spring").waitFor();
  const held = Promise.withResolvers<void>();
  await page.route(/assets\/analytics-page-.*js$/, (route) => held.promise.then(() => route.continue()));
  await page.getByRole("link", { name: "Analytics" }).click();
  const bar = page.getByRole("progressbar", { name: "Loading" });
  await bar.waitFor();
  expect(await rowOf(page, "spring").isVisible()).toBe(true);
  held.resolve();
  await page.getByRole("heading", { name: "Analytics" }).waitFor();
  await bar.waitFor({ state: "detached" });
  await close();
});

test.skipIf(!CHROMIUM)("on a phone a chart stays where it is while a part of it is chosen", async () => {
  const { page, close } = await panel.enter("/panel/link/spring", { size: NARROW });
  const chart = page.getByRole("slider", { name: "Values by time" });
  await chart.waitFor();
  // It stands below where the link leads, which loads by itself.
  await page.getByRole("button", { name: "Edit: Target" }).waitFor();
  await page.getByRole("form", { name: "Rules" }).waitFor();
  await chart.focus();
  const top = async () => (await chart.boundingBox())!.y;
  const before = await top();
  for (const key of ["End", "Shift+ArrowLeft", "Shift+ArrowLeft"]) await page.keyboard.press(key);
  await page.getByRole("button", { name: "Whole time" }).waitFor();
  await soon(async () => expect(await top()).toBe(before));
  await close();
});

test.skipIf(!CHROMIUM)(
  "a history goes on where Show more was pressed, with room for what changed",
  async () => {
    const path = "/links/spring";
    for (let at = 0; at < 24; at++) await panel.client.call("PATCH", path, { title: `Title ${at}` });
    const { page, close } = await panel.enter("/panel/link/spring?tab=history", { size: NARROW });
    const history = page.getByRole("region", { name: "History" });
    await history.getByRole("button", { name: "Show more" }).press("Enter");
    const next = history.locator(":focus");
    await next.getByText("Title 2", { exact: true }).waitFor();
    const line = next.getByText("Title:").locator("..");
    const room = (await history.boundingBox())!.width;
    expect((await line.boundingBox())!.width).toBeGreaterThan(room * 0.8);
    await close();
  },
);

test.skipIf(!CHROMIUM)(
  "on a phone what to do with a selection is one low line that deletes nothing and covers no ticked row",
  async () => {
    for (let at = 10; at < 24; at++) {
      const link = { code: `ticked${at}`, target: "https://example.com/" };
      expect((await panel.client.call("POST", "/links", link)).status).toBe(201);
    }
    const { page, close } = await panel.enter("/panel/links?q=ticked", { size: NARROW });
    await rowOf(page, "ticked23").waitFor();
    const grid = page.getByRole("grid");
    const low = (await grid.boundingBox())!;
    const last = page
      .getByRole("row")
      .filter({ has: page.getByRole("checkbox") })
      .nth(8);
    await last.getByRole("checkbox").evaluate((box) => box.scrollIntoView({ block: "end" }));
    await last.getByRole("checkbox").click();
    const bar = page.getByRole("region", { name: "Selection" });
    const placeOf = async (name: string) =>
      (await bar.getByRole("button", { name, exact: true }).boundingBox())!;
    const first = await placeOf("Edit");
    const { y, height } = (await bar.boundingBox())!;
    expect(height).toBeLessThan(60);
    expect(y + height).toBeCloseTo(low.y + low.height, 0);
    await soon(async () => {
      const row = (await last.boundingBox())!;
      expect(row.y + row.height).toBeLessThanOrEqual(y + 1);
    });
    await grid.press("ControlOrMeta+a");
    await bar.getByText("14 selected").waitFor();
    expect(await placeOf("Edit")).toEqual(first);
    expect(await bar.getByRole("button", { name: "Delete" }).count()).toBe(0);
    await bar.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).waitFor();
    await close();
  },
);

const LOW = { width: 640, height: 400 };

test.skipIf(!CHROMIUM)(
  "in a low window bars cover no field in focus, and lists have rows in sight",
  async () => {
    const { page, close } = await panel.enter("/panel/shares/new", { size: LOW });
    await page.getByRole("button", { name: "Share", exact: true }).waitFor();
    for (let at = 0; at < 12; at++) {
      await page.keyboard.press("Tab");
      const covering = await page.evaluate(() => {
        const { left, bottom } = document.activeElement!.getBoundingClientRect();
        const top = document.elementFromPoint(left + 4, bottom - 4);
        return document.activeElement!.contains(top)
          ? null
          : (top?.closest("header, nav")?.outerHTML ?? null);
      });
      expect(covering).toBeNull();
    }
    await page.goto(`${panel.origin}/panel/links?q=spring`);
    await rowOf(page, "spring").waitFor();
    expect((await page.getByRole("grid").boundingBox())!.height).toBeGreaterThan(200);
    await close();
  },
);

test("a chart of a few days names its first, its last and one between, where three names fit", () => {
  const days = (count: number): number[] => Array.from({ length: count }, (_, at) => at * 86_400_000);
  expect(ticksOf(days(7), "day", 230)).toEqual([0, 3, 6]);
  expect(ticksOf(days(10), "day", 230)).toEqual([0, 4, 8]);
  expect(ticksOf(days(7), "day", 900)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  // From two weeks on names stand at weeks.
  expect(ticksOf(days(30), "day", 900)).toEqual([0, 7, 14, 21, 28]);
});

test("the counts of a chart end above its peak", () => {
  expect(countTicks(0)).toEqual([0, 1, 2, 3, 4]);
  expect(countTicks(5)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(countTicks(1_100)).toEqual([0, 200, 400, 600, 800, 1_000, 1_200]);
  expect(countTicks(12_345)).toEqual([0, 5_000, 10_000, 15_000]);
  for (let peak = 3; peak < 1e9; peak = Math.ceil(peak * 1.3)) {
    const ticks = countTicks(peak);
    expect([peak, ticks.length <= 7, ticks.at(-1)! > peak, ticks.at(-2)! <= peak]).toEqual([
      peak,
      true,
      true,
      true,
    ]);
  }
});

test.skipIf(!CHROMIUM)(
  "on phones what a search field asks for is not cut, in the longest languages",
  async () => {
    for (const locale of ["en", "de", "fr"]) {
      const { page, close } = await panel.open("/panel/links/deleted", { size: NARROW, locale });
      await page.locator("input[type=password]").fill(PASSWORD);
      await press(page, "Enter");
      await page.locator("main input[placeholder]").first().waitFor();
      for (const route of ["links/deleted", "links", "settings"]) {
        await page.goto(`${panel.origin}/panel/${route}`);
        const field = page.locator("main input[placeholder]").first();
        await field.waitFor();
        const over = await field.evaluate((input: HTMLInputElement) => {
          const { font, paddingLeft, paddingRight } = getComputedStyle(input);
          const brush = document.createElement("canvas").getContext("2d")!;
          brush.font = font;
          const room = input.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
          return brush.measureText(input.placeholder).width <= room ? "fits" : input.placeholder;
        });
        expect([locale, route, over]).toEqual([locale, route, "fits"]);
      }
      await close();
    }
  },
);

test.skipIf(!CHROMIUM)("no button of a link's page is cut in German", async () => {
  const { page, close } = await panel.open("/panel/link/spring", { locale: "de" });
  await page.locator("input[type=password]").fill(PASSWORD);
  await press(page, "Enter");
  await page.getByRole("button", { name: "Bearbeiten: Ziel" }).waitFor();
  const cut = await page
    .locator("main button span")
    .evaluateAll((labels) =>
      labels
        .filter((label) => label.scrollWidth > label.clientWidth + 1 && label.clientWidth > 0)
        .map((label) => label.textContent),
    );
  expect(cut).toEqual([]);
  await close();
});
