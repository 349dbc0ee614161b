/** Lists that load on as one scrolls, in Chromium against the real program. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { openDatabase } from "../../src/platform/db/database.ts";
import { isLong } from "../../src/platform/db/fresh.test-support.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { driveClient } from "../support/drive.ts";
import { expectAccessibleInAllLooks, once, startPanel, story } from "../support/panel.ts";
import { soon } from "../support/until.ts";

const MOST_ROWS = 60;
const MANY = 10_000;
const PIECE = 500;

let panel: Awaited<ReturnType<typeof startPanel>>;
let drive: ReturnType<typeof driveClient>;
let file = 0;
const shareAs = (code: string) => drive.call("POST", `/files/${file}/share`, { code });
beforeAll(async () => {
  panel = await startPanel();
  drive = driveClient(panel.server.url, panel.client.token);
  file = (await drive.upload("report.txt", "text")).body.data.id;
  await shareAs("first");
});
afterAll(() => panel.stop());

const open = () =>
  openDatabase({ url: panel.databaseUrl, poolSize: 1 }, { threads: false, logger: silentLogger });

/** Like the share `first`. */
async function makeMany(): Promise<void> {
  const database = await open();
  const { write } = database;
  const { id: known, ...like } = await write
    .selectFrom("links")
    .where("code", "=", "first")
    .select(["id", "target", "created_at", "updated_at"])
    .executeTakeFirstOrThrow();
  const share = await write
    .selectFrom("shares")
    .where("link_id", "=", known)
    .selectAll()
    .executeTakeFirstOrThrow();
  for (let from = 1; from <= MANY; from += PIECE) {
    const codes = Array.from({ length: PIECE }, (_, at) => `many/${String(from + at).padStart(5, "0")}`);
    await write
      .insertInto("links")
      .values(codes.map((code) => ({ ...like, code })))
      .execute();
    const made = await write.selectFrom("links").select("id").where("code", "in", codes).execute();
    await write
      .insertInto("shares")
      .values(made.map(({ id }) => ({ ...share, link_id: id })))
      .execute();
  }
  await database.close();
}

const table = (page: Page) => page.getByRole("table");
const rowsIn = (page: Page) => page.locator("tbody tr[data-index]").count();
const rowOf = (page: Page, index: number) => page.locator(`tbody tr[aria-rowindex="${index}"]`);
const scrollToPart = (page: Page, part: number) =>
  page.evaluate((of) => window.scrollTo(0, document.documentElement.scrollHeight * of), part);
const place = (page: Page) => page.evaluate(() => scrollY);

/** In the long suite, on PostgreSQL alone. */
const longStory: typeof story = isLong ? story : () => {};

longStory("10,000 shares are one list: it scrolls, sorts and searches, and keeps its place", async () => {
  const { page, complaints, close } = await panel.enter("/panel/shares");
  await page.getByText("1 share", { exact: true }).waitFor();
  expect(await table(page).getAttribute("aria-rowcount")).toBe("2");
  await shareAs("second");
  await shareAs("third");
  await page.reload();
  await page.getByText("3 shares", { exact: true }).waitFor();
  expect(await rowsIn(page)).toBe(3);

  await makeMany();
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.waitForURL(/sort=code&order=asc/);
  await page.reload();
  await page.getByText("10,003 shares", { exact: true }).waitFor();
  expect(await table(page).getAttribute("aria-rowcount")).toBe("10004");
  await rowOf(page, 2).getByText("/first").waitFor();
  for (const part of [0.25, 0.5, 0.75]) {
    await soon(async () => {
      await scrollToPart(page, part);
      const shown = await page.locator("tbody tr[data-index]").last().innerText();
      const [, code] = /\/many\/(\d+)/.exec(shown)!;
      expect(Number(code)).toBeGreaterThan(part * 9_000);
    });
    expect(await rowsIn(page)).toBeLessThan(MOST_ROWS);
  }
  await expectAccessibleInAllLooks(page, "the middle of a long list");

  // A change in the middle leaves the list where it is.
  await scrollToPart(page, 0.5);
  const middle = page.locator("tbody tr[data-index]").filter({ hasText: "/many/" }).nth(14);
  let at = 0;
  // Until then the rows are those of the place before.
  await soon(async () => {
    at = Number(await middle.getAttribute("aria-rowindex"));
    expect(Math.abs(at - 5_000)).toBeLessThan(500);
  });
  const before = await place(page);
  await rowOf(page, at).getByRole("link", { name: "report.txt" }).click();
  const main = page.getByRole("main");
  await main.getByLabel("Title").fill("In the middle");
  await main.getByRole("button", { name: "Save" }).press("Enter");
  await main.getByRole("heading", { name: "In the middle", level: 1 }).waitFor();
  await page.goBack();
  await rowOf(page, at).getByText("In the middle").waitFor();
  expect(Math.abs((await place(page)) - before)).toBeLessThan(200);

  await page.keyboard.press("End");
  await rowOf(page, 10_004).getByText("/third").waitFor();
  expect(await rowsIn(page)).toBeLessThan(MOST_ROWS);
  await page.keyboard.press("Home");
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.waitForURL(/order=desc/);
  await rowOf(page, 2).getByText("/third").waitFor();
  await page.getByRole("textbox", { name: /Search/ }).fill("many/077");
  await page.getByText("100 shares", { exact: true }).waitFor();
  await page.reload();
  await page.getByText("100 shares", { exact: true }).waitFor();
  await page.keyboard.press("End");
  await rowOf(page, 101).getByText("/many/07700").waitFor();
  expect(complaints).toEqual([]);

  // Tab walks the list, and the row with the focus stays, with those beside it.
  await page.goto(`${panel.origin}/panel/shares?sort=code&order=asc`);
  const focusedRow = () =>
    page.evaluate(() => Number(document.activeElement?.closest("tr")?.getAttribute("aria-rowindex")));
  await rowOf(page, 2).getByRole("button").first().focus();
  for (let presses = 0; (await focusedRow()) < 40 && presses < 200; presses++) {
    await page.keyboard.press("Tab");
  }
  expect(await focusedRow()).toBe(40);
  expect(await rowsIn(page)).toBeLessThan(MOST_ROWS);
  await scrollToPart(page, 0.8);
  await rowOf(page, 8_000).waitFor({ state: "attached" });
  expect(await focusedRow()).toBe(40);
  await page.keyboard.press("Shift+Tab");
  expect(await focusedRow()).toBe(39);

  // A page that fails says so, and comes when it is asked for again.
  await page.goto(`${panel.origin}/panel/shares`);
  await rowOf(page, 2).waitFor();
  await page.route(/\/shares\?.*page=101\b/, (route) =>
    route.fulfill({ status: 400, json: { code: 1000, message: "Not now.", error: "BadRequest" } }),
  );
  await scrollToPart(page, 0.5);
  await page.getByRole("alert").getByText("Not now.").waitFor();
  await page.unroute(/\/shares\?.*page=101\b/);
  await page.getByRole("button", { name: "Try again" }).press("Enter");
  await page.getByRole("alert").waitFor({ state: "detached" });
  await close();
});

once("events, deleted links and the trash load on as one scrolls", async () => {
  const database = await open();
  const events = Array.from({ length: 400 }, (_, at) => ({
    at: Date.now() - 3_600_000 + at,
    actor: "anna",
    via: "api",
    action: "link.delete",
    subject: `event-${at}`,
  }));
  await database.write.insertInto("events").values(events).execute();
  await database.close();
  const codes = Array.from({ length: 120 }, (_, at) => `gone-${at}`);
  const links = codes.map((code) => ({ code, target: "https://example.com/" }));
  await panel.client.call("POST", "/links/batch", { links });
  await panel.client.call("DELETE", "/links/batch", { codes });
  for (let at = 0; at < 105; at++) {
    await drive.call("POST", `/folders/${await drive.folder(`folder ${at}`)}/trash`);
  }
  const { page, complaints, close } = await panel.enter("/panel/events");
  const LISTS = [
    { path: "events", last: "event-0", rows: 400 },
    { path: "links/deleted", last: "gone-0", rows: 120 },
    { path: "files/trash", last: "folder 0", rows: 105 },
  ];
  for (const { path, last, rows } of LISTS) {
    await page.goto(`${panel.origin}/panel/${path}`);
    await page.locator("tbody tr[data-index]").first().waitFor();
    await soon(async () => {
      await scrollToPart(page, 1);
      expect(await page.locator("tbody").getByText(last, { exact: true }).count()).toBe(1);
    });
    const end = page.locator("tbody tr[data-index]").last();
    expect(Number(await end.getAttribute("aria-rowindex"))).toBeGreaterThan(rows);
    expect(await table(page).getAttribute("aria-rowcount")).toBe(await end.getAttribute("aria-rowindex"));
    expect(await rowsIn(page)).toBeLessThan(MOST_ROWS);
    await expectAccessibleInAllLooks(page, `the end of ${path}`);
  }
  expect(complaints).toEqual([]);
  await close();
});
