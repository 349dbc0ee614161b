/** The move from another service in the panel: preview, columns, import, report, undo and confirmation. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page, Response } from "playwright-core";
import { expectAccessibleInAllLooks, once, startPanel } from "../support/panel.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

const statusOf = async (code: string) =>
  (await fetch(`${panel.server.url}/${code}`, { redirect: "manual" })).status;
const count = (page: Page, group: string) =>
  page.getByRole("group", { name: group }).getByText(/\d/).allTextContents();

async function choose(page: Page, product: string, name: string, text: string): Promise<void> {
  await page.getByRole("combobox", { name: "From" }).click();
  await page.getByRole("option", { name: product }).click();
  const buffer = Buffer.from(text);
  await page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer });
  await page.getByRole("button", { name: "Preview" }).press("Enter");
}

async function confirm(page: Page, label: string): Promise<void> {
  await page.getByRole("button", { name: label }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: label }).press("Enter");
}

const isStopped = async (answer: Response) =>
  answer.url().endsWith("/imports/1") && (await answer.json()).data.state === "stopped";

once("a table is matched, previewed, imported, reported and taken back", async () => {
  await panel.client.call("POST", "/links", { code: "taken", target: "https://example.com/own" });
  const { page, complaints, close } = await panel.enter("/panel/links/moves");
  await choose(page, "YOURLS", "empty.sql", "-- nothing");
  await page.getByText("The file has no links of YOURLS").waitFor();
  const asked = page.waitForResponse((answer) => answer.request().method() === "PATCH");
  const readAgain = asked.then(() => page.waitForResponse(isStopped));
  await page.getByRole("button", { name: "Try again" }).press("Enter");
  expect((await asked).status()).toBe(200);
  await readAgain;
  await page.getByText("The file has no links of YOURLS").waitFor();
  await page.getByRole("button", { name: "Cancel" }).press("Enter");
  await page.waitForURL(/\/links\/moves$/);
  const rows = [
    "summer,https://example.com/s,7",
    "taken,https://example.com/t,1",
    "bad,ftp://example.com/,2",
  ];
  await choose(page, "CSV file", "old.csv", ["Word,Goes to,Clicks", ...rows].join("\n"));
  await page.getByText("Choose which column holds the target.").waitFor();
  await page.getByText("Columns to match").waitFor();
  for (const [column, field] of [
    ["Goes to", "target"],
    ["Word", "code"],
  ] as const) {
    await page.getByRole("combobox", { name: `${column} is taken as` }).click();
    await page.getByRole("option", { name: field, exact: true }).click();
  }
  await page.getByRole("button", { name: "Import 1 link" }).waitFor();
  expect(await count(page, "What will be imported")).toEqual(["1", "7", "0", "2"]);
  await expectAccessibleInAllLooks(page, "the preview of a move");
  await page.getByRole("radio", { name: "Give them another code" }).press("Space");
  await page.getByRole("button", { name: "Import 2 links" }).press("Enter");
  await page.getByText("Done, can be undone").waitFor();
  expect(await count(page, "What was imported")).toEqual(["2", "8", "0", "1"]);
  expect(await statusOf("summer")).toBe(307);
  await expectAccessibleInAllLooks(page, "a move that is done");
  await page.getByRole("button", { name: "Show each one" }).press("Enter");
  await page.getByRole("table", { name: "Affected records" }).getByText("bad", { exact: true }).waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download the report (CSV)" }).press("Enter");
  expect(await Bun.file(await (await download).path()).text()).toContain("refused,bad,");
  await confirm(page, "Undo the import");
  await page.getByText("Undone", { exact: true }).waitFor();
  expect([await statusOf("summer"), await statusOf("taken")]).toEqual([404, 307]);
  await page.getByRole("button", { name: "Delete the report" }).press("Enter");
  await page.waitForURL(/\/links\/moves$/);
  expect(complaints).toEqual([]);
  await close();
});

once("an export of YOURLS comes with its visits, and stays for good", async () => {
  const { page, complaints, close } = await panel.enter("/panel/links/moves");
  const dump = [
    "CREATE TABLE `yourls_log` (`click_id` int, `click_time` datetime, `shorturl` varchar(100), `referrer` text, `user_agent` text, `ip_address` text, `country_code` char(2));",
    "INSERT INTO `yourls_log` VALUES (1,'2026-01-02 10:00:00','old','direct','Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0','198.51.100.7','DE');",
    "CREATE TABLE `yourls_url` (`keyword` varchar(100), `url` text, `title` text, `timestamp` timestamp, `ip` text, `clicks` int);",
    "INSERT INTO `yourls_url` VALUES ('old','https://example.com/old','Old','2026-01-01 10:00:00','198.51.100.7',1);",
  ];
  await choose(page, "YOURLS", "yourls.sql", dump.join("\n"));
  await page.getByRole("button", { name: "Import 1 link" }).press("Enter");
  await confirm(page, "Keep for good");
  await page.getByText("Kept for good").waitFor();
  expect((await panel.client.call("GET", "/links/old")).body.data.click_count).toBe(1);
  await page.getByRole("link", { name: "All imports" }).press("Enter");
  await page.getByRole("row").filter({ hasText: "yourls.sql" }).getByText("Kept for good").waitFor();
  expect(complaints).toEqual([]);
  await close();
});
