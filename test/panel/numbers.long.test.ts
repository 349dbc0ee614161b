/**
 * One number means one thing: human clicks, of all time in lists of links and shares, of the shown time in reports. The
 * walk goes through every place that shows clicks or visits.
 */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { CHROME, GOOGLEBOT } from "../../src/clicks/analytics/analytics.test-support.ts";
import { driveClient } from "../support/drive.ts";
import { NARROW, once, openTab, startPanel } from "../support/panel.ts";
import { soon } from "../support/until.ts";

const [HUMAN, BOTS, EARLIER_HUMAN, EARLIER_BOTS, VISITS] = [3, 2, 7, 4, 2];

let panel: Awaited<ReturnType<typeof startPanel>>;

const visit = (code: string, agent: string) =>
  fetch(`${panel.server.url}/${code}`, {
    redirect: "manual",
    headers: { "User-Agent": agent, Accept: "text/html", Referer: "https://news.example/story" },
  });

/** A link with clicks that have no date, from a file, and with new ones; a share with visits. */
beforeAll(async () => {
  panel = await startPanel({}, { "analytics.enable_detailed_logging": "true", "click.flush_interval": "1" });
  const csv = `code,target,click_count,human_clicks,title,tags\r\nwalk,https://example.com/,${EARLIER_HUMAN + EARLIER_BOTS},${EARLIER_HUMAN},A walk through all numbers,walked\r\n`;
  const form = new FormData();
  form.set("file", new File([csv], "walk.csv", { type: "text/csv" }));
  form.set("mode", "skip");
  expect((await panel.client.fetch("/links/import", { method: "POST", body: form })).status).toBe(200);
  const drive = driveClient(panel.server.url, panel.client.token);
  const folder = await drive.folder("Walked");
  await drive.call("POST", `/folders/${folder}/share`, { code: "walk-share" });
  for (let at = 0; at < HUMAN; at++) await visit("walk", CHROME);
  for (let at = 0; at < BOTS; at++) await visit("walk", GOOGLEBOT);
  for (let at = 0; at < VISITS; at++) await visit("walk-share", CHROME);
  await soon(async () => {
    const { body } = await panel.client.call("GET", "/analytics/trends?visitors=human");
    expect(body.data.values.at(-1)).toBe(HUMAN + VISITS);
  });
});
afterAll(() => panel.stop());

const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const item = (page: Page, list: string, name: string) =>
  page
    .getByRole("tabpanel", { name: list, exact: true })
    .or(region(page, list))
    .locator("li, [role=row]")
    .filter({ hasText: name });

/** The headline of a report: its number, and what it is of. */
const headline = (page: Page, count: number, what: string): Promise<void> =>
  soon(async () => {
    const said = page.getByText(new RegExp(`^human clicks.* · ${what}`)).first();
    expect(await said.locator("xpath=ancestor::p").innerText()).toMatch(
      new RegExp(`^${count}\\s*human clicks`),
    );
  });

once("the same clicks have the same number wherever they are shown", async () => {
  const { page, complaints, close } = await panel.enter("/panel/links");
  const ofAllTime = String(HUMAN + EARLIER_HUMAN);
  const row = page.getByRole("row").filter({ hasText: "A walk through all numbers" });
  await row.locator('[data-cell="people"]').getByText(ofAllTime, { exact: true }).waitFor();
  await page.goto(`${panel.origin}/panel/shares`);
  const shared = page.getByRole("row").filter({ hasText: "/walk-share" });
  await shared.getByText(String(VISITS), { exact: true }).first().waitFor();

  await page.goto(`${panel.origin}/panel/link/walk`);
  await headline(page, HUMAN, "this link · 30 days");
  await page
    .getByText(new RegExp(`^${ofAllTime} human clicks`))
    .first()
    .waitFor();
  await page.goto(`${panel.origin}/panel/link/walk-share`);
  await headline(page, VISITS, "this link · 30 days");

  await page.goto(`${panel.origin}/panel/analytics`);
  await headline(page, HUMAN + VISITS, "all links · 30 days");
  const share = (count: number) => `${Math.round((count / (HUMAN + VISITS)) * 100)}%`;
  await item(page, "Links", "A walk through all numbers")
    .getByText(`${HUMAN}${share(HUMAN)}`)
    .waitFor();
  await item(page, "Links", "walk-share")
    .getByText(`${VISITS}${share(VISITS)}`)
    .waitFor();
  await item(page, "Sites", "news.example")
    .getByText(`${HUMAN + VISITS}100%`)
    .waitFor();
  await openTab(page, "Tags");
  await item(page, "Tags", "walked")
    .getByText(`${HUMAN}${share(HUMAN)}`)
    .waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  await page.getByRole("menuitem", { name: "Chart and lists as CSV" }).click();
  const sums = await readFile(await (await download).path(), "utf8");
  expect(sums).toContain(`link,walk,,,${HUMAN},${BOTS},${HUMAN + BOTS}\r\n`);
  expect(sums).toContain(`tag,walked,,,${HUMAN},${BOTS},${HUMAN + BOTS}\r\n`);

  await page.goto(`${panel.origin}/panel/`);
  await headline(page, HUMAN + VISITS, "all links · 30 days");
  await item(page, "Most clicked links", "A walk through all numbers").getByText(String(HUMAN)).waitFor();
  const figure = page.getByText("Human clicks, all time", { exact: true }).locator("..");
  await figure.getByText(String(HUMAN + EARLIER_HUMAN + VISITS), { exact: true }).waitFor();

  const made = await panel.client.call("POST", "/analytics/pages", {
    title: "Walked",
    filter: { code: ["walk"] },
    days: 30,
  });
  const report = await fetch(`${panel.server.url}/${made.body.data.code}`, {
    headers: { Accept: "text/html" },
  });
  expect(await report.text()).toMatch(new RegExp(`>${HUMAN}<`));

  const exported = await (await panel.client.fetch("/links/export?columns=all")).text();
  const [names, ...lines] = exported
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(","));
  const cells = lines.find(([code]) => code === "walk")!;
  const cell = (name: string) => cells[names!.indexOf(name)];
  const all = HUMAN + BOTS + EARLIER_HUMAN + EARLIER_BOTS;
  expect([cell("click_count"), cell("human_clicks")]).toEqual([String(all), ofAllTime]);

  await panel.client.call("DELETE", "/links/walk");
  await page.goto(`${panel.origin}/panel/links/deleted`);
  const gone = page.getByRole("row").filter({ hasText: "walk" });
  await gone.getByText(ofAllTime, { exact: true }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

once("the overview names what needs somebody, and leads there", async () => {
  const end = new Date(Date.now() + 2 * 86_400_000).toISOString();
  const link = { code: "soon-over", target: "https://example.com/", expires_at: end };
  expect((await panel.client.call("POST", "/links", link)).status).toBe(201);
  const { page, complaints, close } = await panel.enter("/panel/");
  await page.getByRole("link", { name: "1 link expires within a week" }).click();
  await page.waitForURL(/\/links\?.*sort=expires_at/);
  const expiry = page.getByRole("row").filter({ hasText: "soon-over" }).locator("[data-cell=expires] time");
  await expiry.waitFor();
  await page.setViewportSize(NARROW);
  await expiry.waitFor();
  expect(complaints).toEqual([]);
  await close();
});

once("on a phone no name of a report is cut, and a link shows its title before its code", async () => {
  const code = `menus/${"autumn-".repeat(8)}2026`;
  const link = {
    code,
    target: "https://example.com/",
    title: "Menu for the autumn in all of our restaurants",
  };
  expect((await panel.client.call("POST", "/links", link)).status).toBe(201);
  await visit(code, CHROME);
  const { page, complaints, close } = await panel.enter("/panel/analytics", { size: NARROW });
  const named = item(page, "Links", code).getByRole("button");
  await named.waitFor();
  expect(await named.innerText()).toMatch(
    /^Menu for the autumn in all of our restaurants\s+,\s+menus\/autumn-/,
  );
  const cut = await page
    .locator("main li :is(button, span)")
    .evaluateAll((parts) =>
      parts
        .filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0)
        .map((part) => part.textContent),
    );
  expect(cut).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(NARROW.width);
  expect(complaints).toEqual([]);
  await close();
});
