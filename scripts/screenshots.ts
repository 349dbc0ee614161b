/**
 * The pictures in docs/screenshots: the panel and a share's page in both themes, with made-up links, clicks and files.
 * Needs Chromium. The same data give nearly the same pictures; commit them when the pages have changed.
 *
 *     bin/bun scripts/screenshots.ts
 *     bin/bun scripts/screenshots.ts --all FOLDER   every page at 390, 1280 and 1920 px, to look at
 */
import { Database as Sqlite } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { writeHistory } from "../bench/lib/click-history.ts";
import { DIMENSIONS } from "../src/clicks/rollups/dimensions.ts";
import { openDatabase } from "../src/platform/db/database.ts";
import { migrateUp } from "../src/platform/db/migrate.ts";
import { silentLogger } from "../src/lib/logger.ts";
import { NARROW, panelOrigin, signInToPanel, startPanelBrowser, WIDE } from "../test/support/panel.ts";
import { PANEL_ROUTES } from "../test/support/panel-routes.ts";
import { type Client, PASSWORD, signIn } from "../test/support/session.ts";
import { install } from "../test/support/waymark.ts";

const FOLDER = join(import.meta.dir, "../docs/screenshots");
const { values: given } = parseArgs({ options: { all: { type: "string" }, only: { type: "string" } } });
const DAY_MS = 86_400_000;
const CLICKS = 40_000;
const DAYS = 90;

const LINKS: readonly [code: string, title: string, target: string, tags: readonly string[]][] = [
  ["launch", "Autumn launch", "https://example.com/products/autumn", ["marketing", "autumn"]],
  ["docs", "Documentation", "https://docs.example.com/start", ["product"]],
  ["jobs", "Open positions", "https://example.com/careers", ["people"]],
  ["menu/berlin", "Menu, Berlin", "https://example.com/menus/berlin.pdf", ["restaurants"]],
  ["press", "Press kit", "https://example.com/press", ["marketing"]],
  ["survey", "Survey of visitors", "https://forms.example.com/visitors-2026", ["research"]],
  ["status", "Status page", "https://status.example.com/", ["product"]],
  ["summit/talks", "Talks of the summit", "https://example.com/summit/talks", ["events"]],
  ["app", "Get the app", "https://example.com/download", ["product", "marketing"]],
  ["menu/lyon", "Menu, Lyon", "https://example.com/menus/lyon.pdf", ["restaurants"]],
  ["report", "Annual report", "https://example.com/reports/2026", ["finance"]],
  ["tour", "A tour in two minutes", "https://video.example.com/tour", ["marketing"]],
];
const REFERRERS = ["search.example", "news.example", "social.example", "mail.example", "partner.example"];

/** Quiet weekends, a launch three weeks ago, and growth. */
function liveliness(day: number, lastDay: number): number {
  const weekday = new Date(day * DAY_MS).getUTCDay();
  const age = lastDay - day;
  const launch = age <= 21 ? 1.6 * Math.exp(-(21 - age) / 6) : 0;
  return (
    (weekday === 0 || weekday === 6 ? 0.55 : 1) * (1.25 - age / 150 + launch) * (1 + ((day * 37) % 11) / 40)
  );
}

/** Clicks on links as some months of use leave them. */
async function writeClicks(file: string): Promise<void> {
  const options = { logger: silentLogger };
  const database = await openDatabase(
    { url: `sqlite://${file}`, poolSize: 1 },
    { threads: false, ...options },
  );
  await migrateUp(database, options);
  const history = { clicks: CLICKS, links: LINKS.length, days: DAYS, end: Date.now() };
  await writeHistory(database, history, () => {});
  await database.close();

  const sqlite = new Sqlite(file);
  const change = sqlite.prepare(
    "UPDATE links SET code = ?, target = ?, title = ?, created_at = ?, updated_at = ? WHERE id = ?",
  );
  const count = sqlite.prepare(
    `UPDATE link_clicks SET (clicks, automated) = (SELECT sum(clicks), sum(automated) FROM click_days
     WHERE link_id = ?1) WHERE link_id = ?1`,
  );
  LINKS.forEach(([code, title, target], at) => {
    const made = Date.now() - (DAYS - at * 5) * DAY_MS;
    change.run(code, target, title, made, made, at + 1);
    count.run(at + 1);
  });
  const lastDay = Math.floor(Date.now() / DAY_MS);
  for (let day = lastDay - DAYS; day <= lastDay; day++) {
    const set = "SET clicks = round(clicks * ?1), automated = round(automated * ?1)";
    for (const table of ["click_days", "click_dim_days"])
      sqlite.run(`UPDATE ${table} ${set} WHERE day = ?2`, [liveliness(day, lastDay), day]);
    for (const table of ["click_hours", "click_dim_hours"])
      sqlite.run(`UPDATE ${table} ${set} WHERE hour >= ?2 * 24 AND hour < ?2 * 24 + 24`, [
        liveliness(day, lastDay),
        day,
      ]);
  }
  REFERRERS.forEach((name, at) => {
    sqlite.run("UPDATE click_values SET value = ? WHERE value = ?", [name, `site-${at + 1}.example`]);
  });
  const { source, referrer } = DIMENSIONS;
  sqlite.run(
    `INSERT INTO click_values (id, dimension, value, seen_day) SELECT -id, ?, value, seen_day FROM click_values
     WHERE dimension = ? AND value <> '(direct)'`,
    [referrer, source],
  );
  for (const [table, columns] of [
    ["click_dim_hours", "hour"],
    ["click_dim_days", "day, link_id"],
  ] as const)
    sqlite.run(
      `INSERT INTO ${table} (${columns}, dimension, value_id, clicks, automated)
       SELECT ${columns}, ?1, -value_id, clicks, automated FROM ${table}
       WHERE -value_id IN (SELECT id FROM click_values WHERE dimension = ?1)`,
      [referrer],
    );
  // The months as the days say now.
  const month = `(strftime('%Y', day * 86400, 'unixepoch') - 1970) * 12 + strftime('%m', day * 86400, 'unixepoch') - 1`;
  for (const [table, of, days, where] of [
    ["click_months", "link_id", "click_days", "true"],
    ["click_dim_months", "link_id, dimension, value_id", "click_dim_days", "link_id = 0"],
  ] as const) {
    sqlite.run(`DELETE FROM ${table}`);
    sqlite.run(
      `INSERT INTO ${table} (month, ${of}, clicks, automated)
       SELECT ${month}, ${of}, sum(clicks), sum(automated) FROM ${days} WHERE ${where} GROUP BY 1, ${of}`,
    );
  }
  sqlite.close();
}

async function addTagsAndFiles(client: Client, url: string): Promise<string> {
  for (const [code, , , tags] of LINKS) await client.call("PATCH", `/links/${code}`, { tags });
  const authorised = { Authorization: `Bearer ${client.token}` };
  const post = async (path: string, body: unknown) => {
    const headers = { ...authorised, "Content-Type": "application/json" };
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return ((await answer.json()) as { data: { id: number; short_url: string } }).data;
  };
  const upload = async (name: string, type: string, bytes: Uint8Array | string, folder?: number) => {
    const form = new FormData();
    form.set("file", new File([bytes as Uint8Array<ArrayBuffer>], name, { type }));
    const place = folder === undefined ? "" : `?folder_id=${folder}`;
    await fetch(`${url}/files/upload${place}`, { method: "POST", headers: authorised, body: form });
  };
  const kit = await post("/folders", { name: "Press kit" });
  await post("/folders", { name: "Menus" });
  await post("/folders", { name: "Reports" });
  await upload(
    "Logo.svg",
    "image/svg+xml",
    `<svg xmlns="http://www.w3.org/2000/svg"/>${" ".repeat(18_000)}`,
    kit.id,
  );
  await upload("Photos of the team.zip", "application/zip", new Uint8Array(4_800_000), kit.id);
  await upload("Press release.txt", "text/plain", "For immediate release. ".repeat(300), kit.id);
  await upload("Facts 2026.pdf", "application/pdf", new Uint8Array(640_000), kit.id);
  await upload("Annual report 2026.pdf", "application/pdf", new Uint8Array(2_300_000));
  await upload("Guests.csv", "text/csv", "name,table\n".repeat(900));
  await upload("Tour.mp4", "video/mp4", new Uint8Array(9_400_000));
  const share = await post(`/folders/${kit.id}/share`, {
    code: "press-kit",
    title: "Press kit, autumn 2026",
  });
  return new URL(share.short_url).pathname;
}

async function shoot(page: Page, name: string, folder = FOLDER): Promise<void> {
  await page.waitForLoadState("networkidle");
  // Transitions of the components.
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

const LARGE = { width: 1920, height: 1080 } as const;

/** `--only a,b`: pages whose paths contain one of these. */
async function shootEveryPage(browser: Browser, url: string, share: string, folder: string): Promise<void> {
  const origin = panelOrigin(url);
  const paths = [
    ...PANEL_ROUTES.map((path) => `/panel/${path.replace("long/code", "launch")}`),
    "/panel/link/launch?tab=settings",
    "/panel/nothing-here",
    share,
    "/nothing-here",
  ].filter((path) => given.only?.split(",").some((part) => path.includes(part)) ?? true);
  for (const size of [NARROW, WIDE, LARGE])
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({
        viewport: size,
        hasTouch: size === NARROW,
        colorScheme,
        locale: "en",
        reducedMotion: "reduce",
      });
      const page = await context.newPage();
      const look = `${size.width}-${colorScheme}`;
      await page.goto(`${origin}/panel/sign-in`);
      await shoot(page, `sign-in-${look}`, folder);
      await signInToPanel(page);
      for (const path of paths) {
        const name =
          path.replace("/panel/", "").replace(/^\//, "visitor-").replaceAll(/\W+/g, "-") || "overview";
        await page.goto(origin + path);
        await shoot(page, `${name}-${look}`, folder);
      }
      await context.close();
    }
}

async function shootAll(browser: Browser, url: string, share: string): Promise<void> {
  const origin = panelOrigin(url);
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ viewport: WIDE, colorScheme, locale: "en" });
    const page = await context.newPage();
    await page.goto(`${origin}/panel/`);
    await signInToPanel(page);
    await shoot(page, `overview-${colorScheme}`);
    for (const [path, name] of [
      ["links", "links"],
      ["link/launch", "link"],
      ["files", "files"],
    ] as const) {
      await page.goto(`${origin}/panel/${path}`);
      await shoot(page, `${name}-${colorScheme}`);
    }
    await page.goto(origin + share);
    await shoot(page, `share-${colorScheme}`);
    await page.setViewportSize(NARROW);
    await page.goto(`${origin}/panel/link/launch`);
    await shoot(page, `phone-${colorScheme}`);
    await context.close();
  }
}

mkdirSync(given.all ?? FOLDER, { recursive: true });
const installation = install();
try {
  await writeClicks(join(installation.dataDir, "waymark.db"));
  await installation.run(["reset-password", "--stdin"], PASSWORD);
  await installation.run(["config", "set", "analytics.enable_detailed_logging", "true"]);
  await installation.run(["config", "set", "features.public_url", "https://go.example.com"]);
  const server = await installation.serve();
  const client = await signIn(server.url);
  const share = await addTagsAndFiles(client, server.url);
  const browser = await startPanelBrowser();
  if (given.all === undefined) await shootAll(browser, server.url, share);
  else await shootEveryPage(browser, server.url, share, given.all);
  await browser.close();
} finally {
  await installation.remove();
}
