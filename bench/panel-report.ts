/**
 * The panel's page of a link over a year of 10,000,000 clicks, in Chromium: `bin/bun bench/panel-report.ts [clicks]`.
 * Prints the time from the navigation to the last change of the page, freshly loaded and from the list of links, and the
 * longest task of the page while the chart is brushed. The page is complete when the chart, all lists, the map and the newest
 * clicks are there. The first run fills a database and keeps it for a week (.cache/bench).
 */
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { sql } from "kysely";
import { DAY_MS } from "../src/clicks/rollups/time-buckets.ts";
import { openDatabase } from "../src/db/database.ts";
import { migrateUp } from "../src/db/migrate.ts";
import { silentLogger } from "../src/lib/logger.ts";
import { panelOpener, panelOrigin, signInToPanel, startPanelBrowser } from "../test/support/panel.ts";
import { PASSWORD } from "../test/support/session.ts";
import { install } from "../test/support/waymark.ts";
import { writeHistory } from "./lib/click-history.ts";

const CLICKS = Number(process.argv[2] ?? 10_000_000);
const RUNS = 6;
const GOAL_MS = 700;
const TASK_GOAL_MS = 50;
const FOLDER = join(import.meta.dir, "../.cache/bench");
const LINKS = ["bench/1", "bench/2", "bench/300"];
const YEAR = "range=1y&visitors=all";

async function fill(path: string): Promise<void> {
  if (existsSync(path) && Date.now() - statSync(path).birthtimeMs < 7 * DAY_MS) return;
  mkdirSync(FOLDER, { recursive: true });
  const part = `${path}.part`;
  for (const end of ["", "-wal", "-shm"]) rmSync(part + end, { force: true });
  const database = await openDatabase(
    { url: `sqlite:${part}`, poolSize: 4 },
    { threads: false, logger: silentLogger },
  );
  await migrateUp(database, { logger: silentLogger });
  await sql.raw("pragma synchronous = off").execute(database.write);
  await writeHistory(database, { clicks: CLICKS, links: 10_000, days: 365, end: Date.now() }, () => {});
  await database.close();
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  renameSync(part, path);
}

/** In the page: the time of the last change after which all is there. */
const watch = () => {
  const isThere = () =>
    document.querySelector("figure canvas") !== null &&
    document.querySelector('[role="slider"][aria-label="Countries on a map"]') !== null &&
    document.querySelector(".mantine-Skeleton-root") === null &&
    ["Referrers", "Devices", "Browsers", "Systems", "Countries", "Newest clicks"].every(
      (name) => document.querySelector(`section[aria-label="${name}"] li`) !== null,
    );
  const state = { at: 0 };
  Object.assign(window, { waymarkBench: state });
  new MutationObserver(() => {
    if (state.at > 0 || !isThere()) return;
    // After the paint.
    requestAnimationFrame(() => setTimeout(() => (state.at ||= performance.now())));
  }).observe(document, { childList: true, subtree: true });
};

const completeAt = async (page: Page): Promise<number> => {
  await page.waitForFunction(
    () => (window as unknown as { waymarkBench: { at: number } }).waymarkBench.at > 0,
  );
  return page.evaluate(() => (window as unknown as { waymarkBench: { at: number } }).waymarkBench.at);
};

async function inPanel(page: Page): Promise<number> {
  const start = await page.evaluate(() => {
    (window as unknown as { waymarkBench: { at: number } }).waymarkBench.at = 0;
    return performance.now();
  });
  await page.evaluate(() => document.querySelector<HTMLElement>('a[href*="/link/bench"]')!.click());
  return (await completeAt(page)) - start;
}

type TraceEvent = { ph: string; name: string; tdur?: number };

/** The longest task of the page's threads while a pointer and then keys brush, in milliseconds of processor time. */
async function longestTask(browser: Browser, page: Page): Promise<number> {
  const chart = page.getByRole("slider", { name: "Clicks by time" });
  const { x, y, width, height } = (await chart.boundingBox())!;
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
  await page.mouse.move(x + 10, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width - 20, y + height / 2, { steps: 120 });
  await page.mouse.up();
  await page.getByRole("button", { name: "Whole time" }).waitFor();
  await chart.focus();
  for (let step = 0; step < 40; step++) await page.keyboard.press("Shift+ArrowLeft");
  await page.waitForTimeout(1_000);
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const tasks = trace.traceEvents.filter(({ ph, name }) => ph === "X" && name.includes("RunTask"));
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const told = (name: string, times: number[], goal: number): void =>
  console.log(
    `${name.padEnd(38)} median ${median(times).toFixed(0).padStart(5)} ms, slowest ${Math.max(...times)
      .toFixed(0)
      .padStart(5)} ms   goal ≤ ${goal} ms`,
  );

const path = join(FOLDER, `panel-${CLICKS}.db`);
await fill(path);
const installation = install({
  WAYMARK__DATABASE__URL: `sqlite:${path}`,
});
try {
  await installation.run(["reset-password", "--stdin"], PASSWORD);
  await installation.run(["config", "set", "analytics.enable_detailed_logging", "true"]);
  const server = await installation.serve();
  const browser = await startPanelBrowser();
  const { page, close } = await panelOpener(browser, server.url)("/panel/sign-in");
  await signInToPanel(page);
  // The map comes when it is seen.
  await page.setViewportSize({ width: 1280, height: 1600 });
  await page.addInitScript(watch);
  const address = (link: string) => `${panelOrigin(server.url)}/panel/link/${link}?${YEAR}`;
  const [fresh, within, tasks]: [number[], number[], number[]] = [[], [], []];
  for (let run = 0; run < RUNS; run++) {
    await page.goto(address(LINKS[run % LINKS.length]!));
    fresh.push(await completeAt(page));
    tasks.push(await longestTask(browser, page));
    await page.goto(`${panelOrigin(server.url)}/panel/links?q=bench/${run + 5}`);
    await page.locator('a[href*="/link/bench"]').first().waitFor();
    within.push(await inPanel(page));
  }
  const [load] = loadavg();
  console.log(`${CLICKS.toLocaleString("en")} clicks in a year, SQLite, load average ${load!.toFixed(1)}`);
  told("page of a link, loaded", fresh, GOAL_MS);
  told("page of a link, from the list (30 days)", within, GOAL_MS);
  told("longest task while brushing (CPU)", tasks, TASK_GOAL_MS);
  await close();
  await browser.close();
} finally {
  await installation.remove();
}
process.exit(0);
