/** What a reload leaves of an import, in Chromium against the real program. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { expectAccessibleInAllLooks, once, startPanel, story } from "../support/panel.ts";
import { soon } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

const IMPORT = "**/admin/v1/links/import";
const statusOf = async (code: string) => (await panel.client.call("GET", `/links/${code}`)).status;

async function choose(page: Page, text: string | Buffer): Promise<void> {
  const choice = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a file" }).press("Enter");
  await (await choice).setFiles({ name: "mine.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
}

/** The browser asks before it leaves an import that runs. */
async function reloadAnyway(page: Page): Promise<void> {
  const asked = page.waitForEvent("dialog");
  const reloaded = page.reload();
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.accept();
  await reloaded;
}

const happened = (page: Page) => page.getByRole("group", { name: "What happened" });

async function reportOf(page: Page): Promise<string> {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download them with the reasons" }).click();
  return Bun.file(await (await download).path()).text();
}

story("the report of an import outlives reloads until it is left, without passwords", async () => {
  const { page, complaints, close } = await panel.enter("/panel/links/import");
  await choose(page, 'slug,URL,title\nkept,https://example.com/,a\nbad code,https://example.com/,"x\ny"\n');
  await page.getByRole("button", { name: "Import 1 row" }).press("Enter");
  await happened(page).waitFor();
  const before = await happened(page).innerText();
  const report = await reportOf(page);
  await page.reload();
  await page.getByText("mine.csv").waitFor();
  expect(await happened(page).innerText()).toBe(before);
  expect(await reportOf(page)).toBe(report);
  await page.getByRole("cell", { name: "bad code" }).waitFor();
  await expectAccessibleInAllLooks(page, "a kept report");
  await page.getByRole("button", { name: "Import another file" }).press("Enter");
  await page.getByRole("button", { name: "Choose a file" }).waitFor();
  await page.reload();

  const secret = "a secret of the file";
  await choose(page, `code,target,password\nno code,https://example.com/,${secret}\nheld,https://x.y/,\n`);
  await page.getByRole("button", { name: "Import 1 row" }).press("Enter");
  await happened(page).waitFor();
  expect(await reportOf(page)).toContain(secret);
  await page.reload();
  await happened(page).waitFor();
  expect(await reportOf(page)).toMatch(/^row,error,code\n2,.*,no code\n$/);
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(secret);
  expect(complaints).toEqual([]);
  await close();
});

story("a reload in the middle of an import tells what became of it, and how to go on", async () => {
  const { page, complaints, close } = await panel.enter("/panel/links/import");
  const rows = Array.from({ length: 3_000 }, (_, at) => `cut${at},https://example.com/,a password\n`).join(
    "",
  );
  await choose(page, `code,target,password\n${rows}`);
  await page.getByRole("button", { name: "Import 3,000 rows" }).press("Enter");
  await page.getByText("Hashing passwords").waitFor();
  await reloadAnyway(page);
  await page.getByText("The page was reloaded before the server had answered.").waitFor();
  await page.getByText("Rows written so far: 0.").waitFor();
  await expectAccessibleInAllLooks(page, "an interrupted import");
  expect(await statusOf("cut0")).toBe(404);
  await page.getByRole("button", { name: "Choose the file again" }).press("Enter");

  // The server writes all of it; the answer comes to nobody.
  let answered = false;
  await page.route(IMPORT, async (route) => {
    const isTrial = route.request().postData()?.includes("dry_run");
    const response = await route.fetch();
    if (isTrial) return route.fulfill({ response });
    answered = true;
  });
  await choose(page, "code,target\nlost/1,https://example.com/\nlost/2,https://example.com/\nno code,x\n");
  await page.getByRole("button", { name: "Import 2 rows" }).press("Enter");
  await soon(async () => expect(answered).toBe(true));
  await reloadAnyway(page);
  await soon(async () =>
    expect(await happened(page).innerText()).toMatch(
      /Made\s+2\s+Overwritten\s+0\s+Skipped\s+0\s+Failed\s+1/i,
    ),
  );
  await page.getByText("1 more is not kept here.").waitFor();
  await page.getByRole("link", { name: "Show the links" }).waitFor();
  expect(await statusOf("lost/2")).toBe(200);
  await page.reload();
  await happened(page).waitFor();
  await page.getByRole("link", { name: "Show the links" }).click();
  await page.goto(`${panel.origin}/panel/links/import`);
  await page.getByRole("button", { name: "Choose a file" }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

once("a file of several parts says how many of them were imported before a reload", async () => {
  const { page, close } = await panel.enter("/panel/links/import");
  const counts = { total_rows: 5, success_count: 5, skipped_count: 0, failed_count: 0, failed_items: [] };
  const data = { ...counts, overwritten_count: 0 };
  let parts = 0;
  // Stands for a server that has taken the first part.
  await page.route(IMPORT, async (route) => {
    const isTrial = route.request().postData()?.includes("dry_run");
    if (isTrial || parts++ === 0) await route.fulfill({ json: { code: 0, message: "OK", data } });
  });
  const line = `,https://example.com/${"x".repeat(1_000)}\n`;
  const rows = Array.from({ length: 12_000 }, (_, at) => `part${at}${line}`).join("");
  await choose(page, `code,target\n${rows}`);
  await page.getByRole("button", { name: "Import 10 rows" }).press("Enter");
  await soon(async () => expect(parts).toBe(2));
  await reloadAnyway(page);
  await page.getByText("Rows of part 2 of 2 written so far: 0.").waitFor();
  await soon(async () => expect(await happened(page).innerText()).toMatch(/Made\s+5/i));
  await page.getByRole("button", { name: "Choose the file again" }).waitFor();
  await close();
});
