/** The list of links in Chromium: what it finds, where it is, and what keys do in it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../support/chromium.ts";
import { expectAccessible, focused, NARROW, signInToPanel, startPanel, WIDE } from "../support/panel.ts";
import { CHROME, GOOGLEBOT } from "../../src/clicks/analytics/analytics.test-support.ts";
import { soon } from "../support/until.ts";

const COUNT = 2_400;
const HOSTILE = `<img src=x onerror=alert(1)>"'`;

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  const links = Array.from({ length: COUNT }, (_, at) => ({
    code: `c${String(at).padStart(5, "0")}`,
    target: `https://example.com/${at % 3 === 0 ? "spring" : "autumn"}/${at}`,
    title: at % 100 === 7 ? `${HOSTILE} ${at}` : null,
    tags: at % 2 === 0 ? ["even", `team ${at % 5}`] : [],
    expires_at: at % 10 === 0 ? "2099-01-01T00:00:00Z" : null,
  }));
  await panel.client.call("POST", "/links/batch", { links });
});
afterAll(() => panel.stop());

const expectFirst = (page: Page, row: number): Promise<void> =>
  soon(async () => {
    const first = await page.getByRole("grid").evaluate((grid) => {
      const top = grid.getBoundingClientRect().top + 36;
      const rows = [...grid.querySelectorAll<HTMLElement>("[data-row]")];
      return Number(rows.find((one) => one.getBoundingClientRect().bottom > top + 1)?.dataset["row"]);
    });
    expect(first).toBe(row);
  });
const rowOf = (page: Page, code: string) => page.getByRole("row").filter({ hasText: code });

test.skipIf(!CHROMIUM)("the list has the numbers of the pages: human clicks, and bots apart", async () => {
  await panel.client.call("PUT", "/config/click.flush_interval", { value: "1" });
  const visit = (code: string, agent: string) =>
    fetch(`${panel.server.url}/${code}`, { redirect: "manual", headers: { "User-Agent": agent } });
  for (const [code, humans, bots] of [
    ["c00001", 3, 1],
    ["c00002", 1, 9],
  ] as const) {
    for (let at = 0; at < humans; at++) await visit(code, CHROME);
    for (let at = 0; at < bots; at++) await visit(code, GOOGLEBOT);
    const stored = async () => (await panel.client.call("GET", `/links/${code}`)).body.data.click_count;
    await soon(async () => expect(await stored()).toBe(humans + bots));
  }
  const { page, complaints, close } = await panel.enter("/panel/links");
  await page.getByRole("columnheader").getByText("Human clicks").click();
  const first = page.getByRole("row").nth(1);
  await soon(async () => expect(await first.textContent()).toContain("c00001"));
  await first.getByRole("gridcell", { name: "3", exact: true }).waitFor();
  // What an arrow key reads: code, target and clicks, but no action.
  await page.getByRole("row", { name: /^c00001 \S+ 3$/ }).waitFor();
  await rowOf(page, "c00002").getByRole("gridcell", { name: "1", exact: true }).waitFor();
  await first.getByRole("link").first().click();
  await page.getByText("3 human clicks, 1 from bots").waitFor();
  await page.goto(`${panel.origin}/panel/links?sort=click_count`);
  await soon(async () => expect(await page.getByRole("row").nth(1).textContent()).toContain("c00002"));
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)("back, reload and a sent address show the same place of the same list", async () => {
  const { page, complaints, close } = await panel.enter("/panel/links");
  await page.getByText("2,400 links").waitFor();
  await page.getByRole("columnheader").getByRole("button", { name: "Link" }).click();
  await rowOf(page, "c00000").waitFor();
  // A new order begins at the start, also a moment after its rows have come.
  await soon(async () => {
    await page.getByRole("grid").evaluate((grid) => (grid.scrollTop = 44 * 1500));
    expect(await rowOf(page, "c01505").count()).toBe(1);
  });
  await page.waitForURL(/at=1500/);
  expect(await page.getByRole("row").count()).toBeLessThanOrEqual(80);
  const address = page.url();

  await rowOf(page, "c01505").getByRole("link").click();
  await page.waitForURL(/\/link\/c01505/);
  await page.goBack();
  await rowOf(page, "c01505").waitFor();
  await expectFirst(page, 1500);
  await page.reload();
  await rowOf(page, "c01505").waitFor();
  await expectFirst(page, 1500);
  const other = await page.context().newPage();
  await other.goto(address);
  await rowOf(other, "c01505").waitFor();
  await expectFirst(other, 1500);
  await other.close();

  // Searches and filters begin at the start, and join.
  await page.keyboard.press("/");
  await page.keyboard.type("spring");
  await page.getByText("800 links").waitFor();
  await expectFirst(page, 0);
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("combobox", { name: "Has all tags" }).fill("team 2");
  await page.getByRole("option", { name: "team 2" }).click();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.getByText("80 links").waitFor();
  expect(new URL(page.url()).searchParams.get("sort")).toBe("code");
  await page.getByRole("button", { name: "Remove the filter Tag: team 2" }).click();
  await page.getByText("800 links").waitFor();
  await page.goBack();
  await page.getByText("80 links").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)(
  "the list looks well to axe in every look and state, also with hostile texts",
  async () => {
    const { page, complaints, close } = await panel.enter("/panel/links?q=onerror");
    await page.getByText("24 links").waitFor();
    await page.getByRole("checkbox").first().check();
    for (const colorScheme of ["light", "dark"] as const) {
      for (const size of [WIDE, NARROW]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(size);
        await rowOf(page, "c00007").first().waitFor();
        await expectAccessible(page, `links, ${colorScheme}, ${size.width}`);
      }
    }
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("dialog", { name: "Filter" }).waitFor();
    await expectAccessible(page, "filter");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Sort" }).click();
    await page.getByRole("menuitemradio", { name: "Link, ascending" }).click();
    await rowOf(page, "c00007").waitFor();
    await page.getByRole("button", { name: "Actions for c00007" }).click();
    await page.getByRole("menuitem", { name: "Edit here" }).waitFor();
    await expectAccessible(page, "actions");
    await page.getByRole("menuitem", { name: "Edit here" }).click();
    await page.getByRole("form", { name: "Edit c00007" }).waitFor();
    await expectAccessible(page, "editor");
    await page.keyboard.press("Escape");
    await page.getByLabel("Search links").fill("nothing like it");
    await page.getByText("No link matches").waitFor();
    await expectAccessible(page, "no match");
    expect(complaints).toEqual([]);
    await close();
  },
);

test.skipIf(!CHROMIUM)("rows show before their links are counted", async () => {
  const { page, complaints, close } = await panel.open("/panel/links?q=spring&sort=code&order=asc");
  const counted = Promise.withResolvers<void>();
  await page.route(/\/links\?.*page_size=1(&|$)/, (route) => counted.promise.then(() => route.continue()));
  await signInToPanel(page);
  await rowOf(page, "c00000").waitFor();
  expect(await page.getByText("800 links").count()).toBe(0);
  await page.getByRole("grid").evaluate((grid) => (grid.scrollTop = 44 * 60));
  await rowOf(page, "c00183").waitFor();
  // The end is where the count says.
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+End");
  await page.getByText(/^1\d\d selected/).waitFor();
  counted.resolve();
  await page.getByText("800 links").waitFor();
  await page.getByText("800 selected").waitFor();
  await rowOf(page, "c02397").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)(
  "rows show code, domain, title, target and rules; F filters, a box selects",
  async () => {
    const host = "shop.example-company.org";
    await panel.client.call("POST", "/domains", { host });
    await panel.client.call("POST", "/links", {
      code: "spring-collection-2027",
      domain: host,
      target: "https://example.com/collection",
      title: "The collection of spring",
      rules: [{ if: { device: ["mobile"] }, target: "https://m.example.com/" }],
    });
    const { page, complaints, close } = await panel.enter("/panel/links?q=collection");
    const row = rowOf(page, "spring-collection-2027");
    await row.getByRole("img", { name: /: m\.example\.com/ }).waitFor();
    for (const size of [WIDE, NARROW]) {
      await page.setViewportSize(size);
      const title = row.getByText("The collection of spring");
      expect([size.width, await title.evaluate((one) => one.scrollWidth <= one.clientWidth)]).toEqual([
        size.width,
        true,
      ]);
      // The code is whole; the domain after it has what is left.
      const line = (await row.getByText(`spring-collection-2027 · ${host}`, { exact: true }).boundingBox())!;
      const code = (await row.getByText("spring-collection-2027", { exact: true }).boundingBox())!;
      expect(line.x + line.width - code.x - code.width).toBeGreaterThan(80);
      const target = await row.getByText("example.com/collection").boundingBox();
      expect(target!.width).toBeGreaterThan(40);
    }
    await page.setViewportSize(WIDE);

    await page.goto(`${panel.origin}/panel/links?q=spring`);
    await rowOf(page, "c00000").waitFor();
    const all = page.getByRole("checkbox", { name: "Select these rows" });
    await all.check();
    const bar = page.getByRole("region", { name: "Selection" });
    await bar.getByRole("button", { name: /^Select all / }).click();
    await bar.getByText("801 selected").waitFor();
    await page.getByRole("columnheader").getByRole("checkbox", { name: "Select none" }).click();
    await bar.waitFor({ state: "detached" });
    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("f");
    const filter = page.getByRole("dialog", { name: "Filter" });
    await filter.waitFor();
    for (const height of [800, 500]) {
      await page.setViewportSize({ width: 1280, height });
      await soon(async () => {
        const { y, height: tall } = (await filter.boundingBox())!;
        expect([height, y >= 0, y + tall <= height]).toEqual([height, true, true]);
      });
    }
    const tops = await Promise.all(
      ["Target contains", "Target does not contain"].map((name) => filter.getByLabel(name).boundingBox()),
    );
    expect(tops[0]!.y).toBe(tops[1]!.y);
    expect(complaints).toEqual([]);
    await close();
  },
);

test.skipIf(!CHROMIUM)("a tag leads to its links, from a row and from the link's page", async () => {
  const { page, complaints, close } = await panel.enter("/panel/links?q=autumn");
  await rowOf(page, "c00002").getByRole("button", { name: "Links with the tag team 2" }).click();
  await page.getByText("160 links").waitFor();
  expect(new URL(page.url()).searchParams.get("q")).toBe("autumn");
  await page.getByRole("button", { name: "Remove the filter Tag: team 2" }).waitFor();
  const row = rowOf(page, "c00002");
  await row.getByText("example.com/autumn").click();
  await page.getByRole("link", { name: "Links with the tag even" }).click();
  await page.getByText("1,200 links").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)("F goes to the filters of events and shares", async () => {
  const { page, complaints, close } = await panel.enter("/panel/events");
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("f");
  await focused(page.getByLabel("Who"));
  await page.goto(`${panel.origin}/panel/shares`);
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("f");
  await page.getByRole("option", { name: "Drop boxes" }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});
