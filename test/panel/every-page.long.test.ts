/** Every page of the panel with hostile values, on a tablet, and on a narrow screen in every language. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../support/chromium.ts";
import { driveClient } from "../support/drive.ts";
import { PANEL_ROUTES } from "../support/panel-routes.ts";
import { shown, turnTo } from "../support/panel-turns.ts";
import { NARROW, startPanel, WIDE } from "../support/panel.ts";
import { until } from "../support/until.ts";

const RUN = "window.ran=1";
const HOSTILE = `"'><img src=x onerror="${RUN}"><script>${RUN}</script>{{${RUN}}}`;
const BIDI = "\u05d0\u05d1\u05d2 right to left";
const LONG_WORD = "Donaudampfschifffahrt".repeat(9);
const LONG_CODE = `long/${"x".repeat(120)}`;

const LONG_HOST = "links-for-everybody.of-the-agency.example.com";
const OWN_CODE = "summer-sale";

let panel: Awaited<ReturnType<typeof startPanel>>;

beforeAll(async () => {
  panel = await startPanel({}, { "analytics.enable_detailed_logging": "true" });
  await fill();
});
afterAll(() => panel.stop());

async function fill(): Promise<void> {
  const { client, server } = panel;
  const refused: unknown[] = [];
  const call = async (path: string, body: object) => {
    const answer = await client.call("POST", path, body);
    if (answer.status >= 300) refused.push([path, answer.status, answer.body.message]);
  };
  const link = {
    title: HOSTILE.slice(0, 200),
    note: HOSTILE.repeat(8),
    target: `https://example.com/?${HOSTILE}`,
  };
  await call("/links", { ...link, code: "long/code", tags: [HOSTILE.slice(0, 64), BIDI] });
  await call("/links", { code: LONG_CODE, title: LONG_WORD, target: `https://example.com/${LONG_WORD}` });
  await call("/links", { code: "rtl", title: BIDI, target: "https://example.com/" });
  await call("/tokens", { name: HOSTILE.slice(0, 60), scopes: ["links:read"] });
  await call("/domains", { host: "go.example.com", not_found_url: `https://example.com/?${HOSTILE}` });
  await call("/domains", { host: LONG_HOST });
  for (const code of [OWN_CODE, "gone/2027"])
    await call("/links", { code, domain: LONG_HOST, target: "https://example.com/" });
  await client.call("DELETE", `/links/gone/2027?domain=${LONG_HOST}`);
  const drive = driveClient(server.url, client.token);
  const folder = await drive.folder(LONG_WORD);
  await drive.upload(HOSTILE.replaceAll("/", "_"), HOSTILE, { type: "text/html" });
  await drive.upload(`${LONG_WORD}.txt`, "x", { folder: String(folder) });
  const share = await drive.call("POST", `/folders/${folder}/share`, { title: HOSTILE.slice(0, 200) });
  if (share.status !== 201) refused.push(share);
  expect(refused).toEqual([]);
  const headers = {
    "User-Agent": `Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 ${HOSTILE}`,
    Referer: `https://evil.example/${HOSTILE}`,
  };
  for (const code of ["long/code", "long/code", LONG_CODE])
    await fetch(`${server.url}/${code}`, { headers, redirect: "manual" });
  const own = { ...headers, Host: LONG_HOST };
  await fetch(`${server.url}/${OWN_CODE}`, { headers: own, redirect: "manual" });
  await until(async () => {
    const { body } = await client.call("GET", "/links/long/code");
    return body.data.click_count === 2;
  });
}

/** Elements whose own text is cut, or wider than the page. */
const cutTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const root = document.documentElement;
    const found: string[] = [];
    if (root.scrollWidth > root.clientWidth) found.push(`the page is ${root.scrollWidth} px wide`);
    const labels = "h1, h2, h3, label, nav a, button, [role=tab], [role=columnheader], th, legend";
    for (const element of document.querySelectorAll<HTMLElement>(labels)) {
      const { overflowX, textOverflow } = getComputedStyle(element);
      const isCut = overflowX !== "visible" || textOverflow === "ellipsis";
      // Values may be cut; what the panel itself says may not.
      if (element.closest("[data-value], [role=cell], [role=rowheader], tbody th, td") !== null) continue;
      // Those for screen readers only have one pixel.
      if (element.clientWidth <= 1) continue;
      if (isCut && element.scrollWidth > element.clientWidth + 1)
        found.push(`${element.tagName} ${element.textContent?.slice(0, 60)}`);
    }
    return found;
  });

/** Fields into which a phone would zoom. */
const smallFields = (page: Page): Promise<string[]> =>
  page.locator("input:visible, select:visible, textarea:visible").evaluateAll((fields) =>
    fields.flatMap((field) => {
      const size = getComputedStyle(field).fontSize;
      return Number.parseFloat(size) < 16 ? [`${field.outerHTML.slice(0, 80)} has ${size}`] : [];
    }),
  );

test.skipIf(!CHROMIUM)("hostile values run nothing and break nothing", async () => {
  const { page, complaints, close } = await panel.enter("/panel/settings");
  for (const path of [...PANEL_ROUTES, `link/${LONG_CODE}`]) {
    await turnTo(page, path);
    const state = await page.evaluate(() => ({
      ran: "ran" in window,
      images: document.querySelectorAll("img[src=x]").length,
    }));
    expect([path, state]).toEqual([path, { ran: false, images: 0 }]);
  }
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)("a code stands first and whole, and its long domain gives way", async () => {
  const { page, complaints, close } = await panel.enter("/panel/settings");
  for (const size of [WIDE, NARROW]) {
    await page.setViewportSize(size);
    for (const [path, code] of [
      ["", OWN_CODE],
      ["links?domain=*", OWN_CODE],
      ["links/deleted", "gone/2027"],
      ["events", OWN_CODE],
    ] as const) {
      await turnTo(page, path);
      const texts = page.getByText(code, { exact: true });
      await texts.first().waitFor();
      const looks = await texts.evaluateAll((all) =>
        all.map((one) => ({
          isCut: one.scrollWidth > one.clientWidth && getComputedStyle(one).overflowX !== "visible",
          whole: one.parentElement!.textContent,
        })),
      );
      expect([path, ...looks.filter(({ isCut, whole }) => isCut || !whole.startsWith(code))]).toEqual([path]);
      expect([path, looks[0]!.whole]).toEqual([path, `${code} ${LONG_HOST}`]);
    }
    // One that lacks room keeps its end, which tells it from others.
    await turnTo(page, "links");
    const end = page.getByRole("rowheader").getByText("x".repeat(10), { exact: true });
    await end.waitFor();
    expect(
      await end.evaluate(
        (one) =>
          one.getBoundingClientRect().right <= one.closest("[role=rowheader]")!.getBoundingClientRect().right,
      ),
    ).toBe(true);
  }
  expect(complaints).toEqual([]);
  await close();
});

const TABLET = { width: 820, height: 1180 };
test.skipIf(!CHROMIUM)("at 820 px no list is wider than its place", async () => {
  const { page, close } = await panel.enter("/panel/settings", { size: TABLET });
  for (const path of PANEL_ROUTES) {
    await turnTo(page, path);
    const places = page.locator("html, [data-holds-rows]");
    const over = await places.evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth));
    expect([path, ...over.filter((px) => px > 0)]).toEqual([path]);
  }
  await close();
});

const LINKS = { de: "Links", en: "Links", fr: "Liens", ja: "リンク", zh: "链接" };
for (const [locale, word] of Object.entries(LINKS)) {
  test.skipIf(!CHROMIUM)(`at 390 px no page is wider and no label is cut: ${locale}`, async () => {
    const { page, close } = await panel.enter("/panel/", { size: NARROW });
    await page.evaluate((language) => localStorage.setItem("waymark-language", language), locale);
    await page.goto(`${panel.origin}/panel/settings`);
    await shown(page);
    for (const path of PANEL_ROUTES) {
      await turnTo(page, path);
      if (path === "links") await page.getByRole("heading", { level: 1 }).filter({ hasText: word }).waitFor();
      expect([path, ...(await cutTexts(page)), ...(await smallFields(page))]).toEqual([path]);
      if (path === "events" && /ja|zh/.test(locale)) {
        await page.getByText("、").and(page.locator("summary")).first().waitFor();
      }
      if (/^(?:events|policies)$/.test(path) && /ja|zh/.test(locale)) {
        expect((await page.getByRole("main").textContent())!).not.toMatch(/[。、] |[\u3040-\u9fff], /);
      }
    }
    await close();
  });
}
