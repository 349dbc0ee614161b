/** Overview, analytics and a link's numbers in Chromium, against the real program. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import {
  CHROME,
  GOOGLEBOT,
  IPHONE,
  openAnalytics,
  type TestClick,
} from "../../src/clicks/analytics/analytics.test-support.ts";
import { openDatabase } from "../../src/platform/db/database.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import {
  expectAccessible,
  expectAccessibleInAllLooks,
  focused,
  NARROW,
  once,
  openTab,
  signInToPanel,
  startPanel,
  story,
} from "../support/panel.ts";
import { signIn } from "../support/session.ts";
import { soon } from "../support/until.ts";

const HOSTILE = "<img src=x onerror=alert(1)>";
const DAY_MS = 86_400_000;

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  for (const code of ["spring", "autumn", `long/${"x".repeat(90)}`]) {
    const link = { code, target: "https://example.com/", title: HOSTILE };
    expect((await panel.client.call("POST", "/links", link)).status).toBe(201);
  }
});
afterAll(() => panel.stop());

/** The shown one of its card, or a card of its own. */
const list = (page: Page, name: string) =>
  page.getByRole("tabpanel", { name, exact: true }).or(page.getByRole("region", { name, exact: true }));
const rows = async (page: Page, name: string): Promise<string[]> => {
  const shown = list(page, name);
  const named = shown.getByRole("row").filter({ has: page.getByRole("rowheader") });
  return (await shown.getByRole("listitem").or(named).allTextContents()).map((text) => text.trim());
};
/** Lists follow a brush one after the other. */
const expectRows = (page: Page, name: string, expected: string[]): Promise<void> =>
  soon(async () => expect([name, ...(await rows(page, name))]).toEqual([name, ...expected]));
const chart = (page: Page) => page.getByRole("slider", { name: "Values by time" });

/** Six clicks three days ago, four ten days ago with hostile texts, two of machines, five in the time before. */
async function recordClicks(): Promise<void> {
  await panel.client.call("PUT", "/config/analytics.enable_detailed_logging", { value: "true" });
  await panel.client.call("PUT", "/config/click.flush_interval", { value: "1" });
  // The retention task may run at any time, and the oldest click is 40 days old.
  await panel.client.call("PUT", "/config/analytics.log_retention_days", { value: "90" });
  await panel.server.stop();
  const settings = { url: panel.databaseUrl, poolSize: 1 };
  const database = await openDatabase(settings, { threads: false, logger: silentLogger });
  const room = await openAnalytics(database);
  room.clock.time = Date.now();
  const found = await database.read.selectFrom("links").select("id").where("code", "=", "spring").execute();
  const noon = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
  const clicks = (count: number, daysAgo: number, click: Partial<TestClick>): TestClick[] =>
    Array.from({ length: count }, (_, at) => ({
      linkId: found[0]!.id,
      at: noon - daysAgo * DAY_MS + at * 1_000,
      ...click,
    }));
  const news = { source: "ref:news.example", columns: { referrer: "news.example" } };
  const from = { referrer: HOSTILE, utm_source: "letter", utm_campaign: "spring-27" };
  const letter = { source: "letter", columns: from };
  await room.record([
    ...clicks(6, 3, { ...news, country: "DE", city: "Köln", userAgent: CHROME }),
    ...clicks(4, 10, { ...letter, country: "FR", city: `"><b>${HOSTILE}`, userAgent: IPHONE }),
    ...clicks(2, 10, { country: "US", userAgent: GOOGLEBOT, automated: true }),
    ...clicks(5, 40, { country: "MT", userAgent: CHROME }),
  ]);
  await database.close();
  await panel.startAgain();
}

once("while details are off a link's page says so and shows no empty list", async () => {
  const { page, complaints, close } = await panel.enter("/panel/link/spring");
  const note = page.getByRole("note").filter({ hasText: "because “Details of clicks” is off" });
  await note.waitFor();
  await chart(page).waitFor();
  for (const name of ["Sites", "Countries", "Devices", "Newest clicks"])
    await soon(async () => expect([name, await list(page, name).count()]).toEqual([name, 0]));
  const waits = "The change of the setting waits for a restart of the server.";
  expect(await note.textContent()).not.toContain(waits);
  await panel.client.call("PUT", "/config/analytics.enable_detailed_logging", { value: "true" });
  await page.goto(`${panel.origin}/panel/`);
  await page
    .getByText(/“Details of clicks” is off/)
    .filter({ hasText: waits })
    .waitFor();
  await page.getByRole("link", { name: "Details of clicks" }).click();
  await page.getByRole("heading", { level: 3, name: "Details of clicks" }).waitFor();
  await panel.client.call("DELETE", "/config/analytics.enable_detailed_logging");
  expect(complaints).toEqual([]);
  await close();
});

story("a brush by mouse, touch and keys filters every list; a click arrives live", async () => {
  await recordClicks();
  const { page, context, complaints, close } = await panel.enter("/panel/link/spring");
  const referrer = (name: string) => list(page, "Sites").getByText(name, { exact: true });
  await referrer("news.example").waitFor();
  await expectRows(page, "Sites", ["news.example660%", `${HOSTILE}440%`]);
  const sites = page.getByRole("table", { name: "Sites" });
  await sites.getByRole("columnheader", { name: "Human clicks", exact: true }).waitFor();
  await openTab(page, "Campaigns");
  await expectRows(page, "Campaigns", ["spring-27440%", "No campaign660%"]);
  await openTab(page, "UTM sources");
  await expectRows(page, "UTM sources", ["letter440%", "No campaign660%"]);
  await openTab(page, "Sites");
  await page.getByText("human clicks · this link · 30 days", { exact: true }).waitFor();
  await expectRows(page, "Devices", ["Desktop660%", "Phone440%"]);
  await soon(async () => expect(await rows(page, "Newest clicks")).toHaveLength(10));
  await expectRows(page, "Countries", ["Germany660%", "France440%"]);
  // The map comes when it is seen.
  await list(page, "Countries").scrollIntoViewIfNeeded();
  const map = page.getByRole("slider", { name: "Countries on a map" });
  await soon(async () => expect(await map.getAttribute("aria-valuetext")).toBe("Germany: 6 (60%)"));

  await page.evaluate(() => scrollTo(0, 0));
  const box = (await chart(page).boundingBox())!;
  const day = box.width / 30;
  const middleOf = (daysAgo: number) => box.x + (29 - daysAgo + 0.5) * day;
  await page.mouse.move(middleOf(4), box.y + 50);
  await page.mouse.down();
  await page.mouse.move(middleOf(2), box.y + 60, { steps: 4 });
  await page.mouse.up();
  await referrer(HOSTILE).waitFor({ state: "detached" });
  await expectRows(page, "Countries", ["Germany6100%"]);
  await openTab(page, "Systems");
  await expectRows(page, "Systems", ["Windows6100%"]);
  await openTab(page, "Cities");
  await expectRows(page, "Cities", ["Köln, Germany6100%"]);
  await page.reload();
  await page.getByRole("button", { name: "Whole time" }).waitFor();
  await referrer("news.example").waitFor();
  await expectRows(page, "Sites", ["news.example6100%"]);

  await chart(page).focus();
  await page.keyboard.press("Escape");
  await referrer(HOSTILE).waitFor();
  await page.keyboard.press("End");
  for (let step = 0; step < 9; step++) await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Shift+ArrowLeft");
  await referrer("news.example").waitFor({ state: "detached" });
  await expectRows(page, "Countries", ["France4100%"]);
  await soon(async () =>
    expect(await chart(page).getAttribute("aria-valuetext")).toMatch(/Human clicks: 0; .*Chosen: /),
  );
  await page.keyboard.press("Escape");
  await referrer("news.example").waitFor();

  const cdp = await context.newCDPSession(page);
  await cdp.send("Emulation.setTouchEmulationEnabled", { enabled: true });
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", daysAgo?: number) => {
    const touchPoints = daysAgo === undefined ? [] : [{ x: middleOf(daysAgo), y: box.y + 80 }];
    return cdp.send("Input.dispatchTouchEvent", { type, touchPoints });
  };
  await page.evaluate(() => scrollTo(0, 0));
  await touch("touchStart", 11);
  for (const daysAgo of [10.5, 10, 9]) await touch("touchMove", daysAgo);
  await touch("touchEnd");
  await referrer("news.example").waitFor({ state: "detached" });
  await cdp.send("Emulation.setTouchEmulationEnabled", { enabled: false });
  await page.getByRole("button", { name: "Whole time" }).click();
  await referrer("news.example").waitFor();

  await list(page, "Newest clicks").getByText("Live").waitFor();
  const headers = { "User-Agent": CHROME, Referer: "https://live.example/page" };
  expect((await fetch(`${panel.server.url}/spring`, { redirect: "manual", headers })).status).toBe(307);
  await list(page, "Newest clicks").getByText("live.example").waitFor();
  await referrer("live.example").waitFor();

  await page.getByLabel("Visitors", { exact: true }).selectOption("all");
  await list(page, "Countries").getByText("United States").waitFor();
  // Humans and bots are a line each, from the axis on; the day that is not over says so.
  const figure = page.getByRole("figure");
  for (const name of ["Human clicks", "Bots", "Previous period", "Clicks"])
    await figure.getByText(name, { exact: true }).last().waitFor();
  await chart(page).focus();
  await page.keyboard.press("End");
  await soon(async () =>
    expect(await chart(page).getAttribute("aria-valuetext")).toMatch(/, so far; Human clicks: 1; Bots: 0; /),
  );
  await page.getByText(/Previous period: 5$/).waitFor();
  await page.getByLabel("Comparison").selectOption("year");
  await figure.getByText("A year before").last().waitFor();
  await page.waitForURL(/visitors=all.*vs=year/);
  await chart(page).dblclick();
  await page.waitForURL(/range=90d/);
  await list(page, "Countries").getByText("Malta").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

story("analytics of all links are exported, as sums and as clicks, by the server's time", async () => {
  const { page, complaints, close } = await panel.enter("/panel/analytics?range=90d&visitors=all");
  await list(page, "Countries").getByText("Malta").waitFor();
  await list(page, "Sites").getByText("news.example").waitFor();
  const exported = async (name: string): Promise<string> => {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export", exact: true }).click();
    await page.getByRole("menuitem", { name }).click();
    return readFile(await (await download).path(), "utf8");
  };
  const sums = await exported("Chart and lists as CSV");
  expect(sums).toStartWith("\ufefflist,name,from,to,human_clicks,bot_clicks,all_clicks\r\n");
  for (const line of [
    "link,spring,,,16,2,18",
    "site,news.example,,,6,0,6",
    "country,FR,,,4,0,4",
    "os,iOS,,,4,0,4",
  ])
    expect(sums).toContain(`${line}\r\n`);
  expect(sums).toMatch(/\r\nsite,Direct,,,\d+,\d+,\d+\r\n/);
  expect(sums).not.toContain("\nreferrer,");
  const countries = page.waitForEvent("download");
  await page
    .getByRole("region", { name: "Places" })
    .getByRole("button", { name: "Export this list" })
    .click();
  expect((await countries).suggestedFilename()).toMatch(/^Countries_\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d\.csv$/);
  const listed = await readFile(await (await countries).path(), "utf8");
  expect(listed).toStartWith("\ufeffcountry,name,human_clicks,bot_clicks,all_clicks,share_percent\r\n");
  expect(listed).toContain("FR,France,4,0,4,");
  const clicks = await exported("Every click as CSV");
  expect(clicks.split("\n")[0]).toBe(
    "\ufeffshort_code,clicked_at,referrer,source,ip_address,country,city,visitors,domain,referrer_host,utm_source,utm_medium,utm_campaign,utm_term,utm_content,language,channel,rule,user_agent",
  );
  expect(clicks.trim().split("\n")).toHaveLength(19);
  // The headline and the row of the only clicked link compare the same days.
  await page.goto(`${panel.origin}/panel/analytics`);
  await soon(async () => {
    const said = await page.getByTitle(/Before: 5$/).allTextContents();
    const [headline, row] = said.map((change) => /^\d+% more/.exec(change)?.[0]);
    expect([said.length, headline]).toEqual([2, row]);
  });
  // The clock of this machine is behind; the range ends with the server's day.
  await page.clock.setFixedTime(Date.now() - 20 * DAY_MS);
  await page.goto(`${panel.origin}/panel/link/spring?range=7d`);
  await list(page, "Sites").getByText("live.example").waitFor();
  await list(page, "Sites").getByText("news.example").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

once(
  "the page of a link has tabs in its address, a way back to the links, and folds empty lists",
  async () => {
    const { page, complaints, close } = await panel.enter("/panel/link/autumn");
    const trail = page.getByRole("navigation", { name: "Breadcrumb" });
    await trail.getByRole("link", { name: "Links" }).waitFor();
    const menu = page.getByRole("navigation", { name: "Pages" });
    expect(await menu.locator("[data-active] > span:first-of-type").allTextContents()).toEqual(["Links"]);
    const sources = page.getByRole("region", { name: "Sources" });
    await sources.getByText("No clicks in this range.").waitFor();
    expect((await sources.boundingBox())!.height).toBeLessThan(70);
    const controls = page.getByRole("group", { name: "Time and visitors" });
    await controls.getByRole("link", { name: "Compare" }).waitFor();
    await controls.getByRole("button", { name: "Filter" }).waitFor();
    // Two lines.
    expect((await controls.boundingBox())!.height).toBeLessThanOrEqual(2 * 36 + 10);
    await page.getByRole("region", { name: "Where it leads" }).getByText("Leads to").waitFor();
    await openTab(page, "History");
    await page.getByText("admin created the link over the API").waitFor();
    await page.reload();
    await page.getByText("admin created the link over the API").waitFor();
    await page.goBack();
    await chart(page).waitFor();
    expect(complaints).toEqual([]);
    await close();
  },
);

const conditionsOf = (address: string): string[][] => [...new URL(address).searchParams].sort();

story("rows and keys filter a report, chips and its address say how, and a view keeps it", async () => {
  await panel.client.call("PATCH", "/links/spring", { tags: ["season"] });
  const { page, complaints, close } = await panel.enter("/panel/analytics?range=90d&visitors=all");
  const chip = (label: string) => page.getByRole("button", { name: `Remove the filter ${label}` });
  await list(page, "Countries").getByRole("button", { name: "France" }).click();
  await page.waitForURL(/country=FR/);
  await chip("Country: France").waitFor();
  await expectRows(page, "Sites", [`${HOSTILE}4100%`]);
  await expectRows(page, "Links", [`${HOSTILE}, spring4100%`]);
  await openTab(page, "Tags");
  await list(page, "Tags").getByRole("button", { name: "season" }).click();
  await chip("Tag: season").waitFor();
  // Three keys and a name: a filter, what it is, Enter.
  await page.getByRole("heading", { name: "Analytics" }).click();
  await page.keyboard.press("f");
  await page.getByRole("option", { name: "iOS" }).waitFor();
  await page.keyboard.type("ios");
  await page.locator("[role=option][data-combobox-selected]", { hasText: "iOS" }).waitFor();
  await page.keyboard.press("Enter");
  await chip("System: iOS").waitFor();
  const filter = page.getByRole("button", { name: "Filter", exact: true });
  await focused(filter);
  // Dimmed old numbers have less contrast.
  await page.waitForFunction(() => document.querySelector("[data-stale]") === null);
  await expectAccessible(page, "filters");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Phones in France");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Phones in France", exact: true }).waitFor();
  await page.keyboard.press("Escape");
  const kept = conditionsOf(page.url());
  await chip("Country: France").press("Enter");
  await chip("Country: France").waitFor({ state: "detached" });
  await focused(filter);
  await chip("Tag: season").click();
  await chip("System: iOS").click();
  await list(page, "Countries").getByText("Malta").waitFor();
  expect(new URL(page.url()).search).toBe("?range=90d&visitors=all");
  await page.reload();
  await list(page, "Countries").getByText("Malta").waitFor();
  // Views are found with the filters, and come first.
  await page.keyboard.press("f");
  await page.locator("[role=option][data-combobox-selected]", { hasText: "Phones in France" }).waitFor();
  await page.keyboard.press("Enter");
  await chip("Country: France").waitFor();
  expect(conditionsOf(page.url())).toEqual(kept);
  await page.goBack();
  await list(page, "Countries").getByText("Malta").waitFor();
  // A name and a time at once.
  await page.getByRole("heading", { name: "Analytics" }).click();
  await page.keyboard.press("f");
  await page.getByRole("option", { name: "iOS" }).waitFor();
  await page.keyboard.type("ios last month");
  await page.locator("[role=option][data-combobox-selected]", { hasText: "iOS · Last month" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/[?&]range=last_month/);
  await chip("System: iOS").waitFor();
  // The same on the page of a link, of its clicks.
  await page.goto(`${panel.origin}/panel/link/spring?range=90d`);
  await list(page, "Countries").getByRole("button", { name: "Germany" }).click();
  await expectRows(page, "Sites", ["news.example6100%"]);
  expect(complaints).toEqual([]);
  await close();
});

story("an editor has overview and analytics of own links only", async () => {
  const account = { username: "edda", password: "edda's password", role: "editor" };
  expect((await panel.client.call("POST", "/users", account)).status).toBe(201);
  const { page, complaints, close } = await panel.open("/panel/");
  await signInToPanel(page, account.password, account.username);
  await page.getByRole("heading", { name: "Create your first short link" }).waitFor();
  await page.getByRole("link", { name: "Share a file" }).waitFor();
  for (const other of ["Move from another service", "Invite people", "spring"])
    expect([other, await page.getByText(other).count()]).toEqual([other, 0]);
  const edda = await signIn(panel.server.url, account.password, account.username);
  const link = { code: "edda-s", target: "https://example.com/" };
  expect((await edda.call("POST", "/links", link)).status).toBe(201);
  const visit = () => {
    const headers = { "User-Agent": CHROME, Referer: "https://edda.example/" };
    return fetch(`${panel.server.url}/edda-s`, { redirect: "manual", headers });
  };
  await visit();
  await soon(async () =>
    expect((await edda.call("GET", "/links/edda-s")).body.data).toMatchObject({ human_clicks: 1 }),
  );
  await page.reload();
  await list(page, "Most clicked links").getByRole("link", { name: "edda-s" }).waitFor();
  await page.getByText("human clicks · 0 from bots · all links").waitFor();
  await page.getByRole("link", { name: "Analytics" }).click();
  await expectRows(page, "Links", ["edda-s1100%"]);
  await expectRows(page, "Sites", ["edda.example1100%"]);
  expect(await page.getByText("spring").count()).toBe(0);
  // The page follows the clicks that come, by asking for the newest.
  await list(page, "Newest clicks").getByText("edda.example").waitFor();
  await visit();
  await expectRows(page, "Links", ["edda-s2100%"]);
  expect(complaints).toEqual([]);
  await close();
});

once("axe finds nothing on pages with numbers, in both sizes and schemes", async () => {
  const { page, complaints, close } = await panel.enter("/panel/");
  for (const path of ["", "analytics", "link/spring?part=x"]) {
    await page.goto(`${panel.origin}/panel/${path}`);
    await list(page, "Newest clicks").getByRole("listitem").first().waitFor();
    await chart(page).focus();
    await page.keyboard.press("ArrowLeft");
    await expectAccessibleInAllLooks(page, `/${path}`);
    const heights = await page.$$eval("main li button", (all) => all.map((one) => one.clientHeight));
    expect(Math.min(24, ...heights)).toBe(24);
  }
  expect(complaints).toEqual([]);
  await close();
});

once("a card begins with the first tab that has something to say", async () => {
  await panel.client.call("POST", "/links", { code: "placeless", target: "https://example.com/" });
  const headers = { "Accept-Language": "de", "User-Agent": CHROME };
  await fetch(`${panel.server.url}/placeless`, { headers, redirect: "manual" });
  await soon(async () => {
    const { body } = await panel.client.call("GET", "/analytics/report?by=language&code=placeless");
    expect(body.data).toMatchObject([{ value: "de" }]);
  });
  const { page, complaints, close } = await panel.enter("/panel/link/placeless");
  await expectRows(page, "Languages", ["German1100%"]);
  await expectRows(page, "Sites", ["Direct1100%"]);
  await openTab(page, "Campaigns");
  await page.getByText("No clicks in this range had utm_campaign. Add it to the target of a link.").waitFor();
  await openTab(page, "Countries");
  await page.getByText(/^No places are recorded for these clicks/).waitFor();
  // On a phone a chosen tab moves no other.
  await page.setViewportSize(NARROW);
  const last = page.getByRole("tab", { name: "UTM sources", exact: true });
  const { x } = (await last.boundingBox())!;
  await last.click();
  const chosen = (await last.boundingBox())!;
  const first = (await page.getByRole("tab", { name: "Sites", exact: true }).boundingBox())!;
  expect([chosen.x, chosen.y]).toEqual([x, first.y]);
  expect(complaints).toEqual([]);
  await close();
});
