/** Report pages in Chromium, from a link's page to its visitors; and a time zone that changes while pages are open. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { CHROMIUM } from "../support/chromium.ts";
import { startPanel } from "../support/panel.ts";
import { until } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  for (const code of ["spring", "autumn"])
    expect((await panel.client.call("POST", "/links", { code, target: "https://example.com/" })).status).toBe(
      201,
    );
});
afterAll(() => panel.stop());

test.skipIf(!CHROMIUM)("a link's page leads to a report of it, whose filter can be changed", async () => {
  const { page, complaints, close } = await panel.enter("/panel/link/spring");
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("menuitem", { name: "Share as a page…" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Title").fill("Spring of 2026");
  await form.getByRole("button", { name: /^Remove the filter .*spring/ }).waitFor();
  await form.getByRole("button", { name: "Create", exact: true }).click();
  await form.getByRole("status").waitFor();
  await form.getByRole("button", { name: "Done" }).click();
  const row = page.getByRole("row").filter({ hasText: "Spring of 2026" });
  await row.getByText(/Clicks of: .*spring/).waitFor();

  await row.getByRole("button", { name: /^Edit .*Spring of 2026/ }).click();
  await form.getByRole("button", { name: /^Remove the filter .*spring/ }).click();
  await form.getByText("All links that its owner may see").waitFor();
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await form.waitFor({ state: "detached" });
  await row.getByText("All links that its owner may see").waitFor();
  const read = async () => (await panel.client.fetch("/analytics/pages")).json();
  const { data } = (await read()) as { data: { filter: object; short_url: string }[] };
  expect(data.map(({ filter }) => filter)).toEqual([{}]);
  const shown = await fetch(data[0]!.short_url);
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining("Spring of 2026")]);
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)("a new time zone shows without a reload, in days and newest clicks", async () => {
  const { page, complaints, close } = await panel.enter("/panel/analytics");
  await page.getByText(/Days in .*UTC/).waitFor();
  const zone = "Pacific/Kiritimati";
  const url = "/config/analytics.time_zone";
  expect((await panel.client.call("PUT", url, { value: zone })).status).toBe(200);
  const zoneNow = async () => {
    const answer = await panel.client.fetch("/analytics/trends");
    return ((await answer.json()) as { time_zone?: string }).time_zone;
  };
  await until(async () => (await zoneNow()) === zone);
  await fetch(`${panel.origin}/spring`, {
    redirect: "manual",
    headers: { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" },
  });
  await page.getByLabel("Time", { exact: true }).selectOption("7d");
  await page.getByText(/Days in .*Kiritimati/).waitFor();
  const hour = new Intl.DateTimeFormat("en-US", { timeZone: zone, hour: "numeric" })
    .format()
    .replace(/\s.*/, "");
  const clicked = page.getByRole("region", { name: "Newest clicks" }).locator("time").first();
  await until(async () => (await clicked.textContent())?.includes(`${hour}:`) ?? false);
  expect(complaints).toEqual([]);
  await close();
});
