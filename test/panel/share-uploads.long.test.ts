/** Files that become a share, of this device or stored ones, and what its page tells of visitors, in Chromium. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { driveClient } from "../support/drive.ts";
import { expectAccessible, expectAccessibleInAllLooks, once, startPanel } from "../support/panel.ts";
import { HTML, stranger } from "../support/stranger.ts";
import { until } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

const form = (page: Page) => page.getByRole("main");

once(
  "files of this device become a share in one step, and its page tells who fetched which of them",
  async () => {
    const { page, complaints, close } = await panel.enter("/panel/files");
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByRole("menuitem", { name: "Upload and share" }).click();
    const files = ["plan a.txt", "plan b.txt", "plan c.txt"].map((name) => ({
      name,
      mimeType: "text/plain",
      buffer: Buffer.from(name),
    }));
    await form(page).getByLabel("Choose files").setInputFiles(files);
    const chosen = form(page).locator("form li");
    const preview = form(page).locator("section", { hasText: "What visitors see" }).locator("li");
    await chosen.filter({ hasText: "plan b.txt" }).getByText("10 bytes").waitFor();
    await preview.nth(2).waitFor();
    // A stored file goes too, also after a reload.
    await page.reload();
    await chosen.filter({ hasText: "plan c.txt" }).waitFor();
    await form(page).getByRole("button", { name: "Remove plan c.txt" }).click();
    await until(async () => (await chosen.count()) === 2 && (await preview.count()) === 2);
    await form(page).getByRole("button", { name: "Share" }).click();
    await form(page)
      .getByRole("img", { name: /QR code/ })
      .waitFor();
    const address = (await form(page).locator("a[href^=http]").first().getAttribute("href"))!;
    await page.reload();
    await form(page).getByText("Whoever has this short URL can open it.").waitFor();
    await form(page)
      .getByText(/^Ends on /)
      .waitFor();
    await form(page).getByLabel("Title").fill("Plans");
    await page.reload();
    await form(page).getByRole("button", { name: "Discard changes" }).click();
    expect(await form(page).getByLabel("Title").inputValue()).toBe("");
    await form(page).getByText("Nobody has opened it yet.").waitFor();
    const visitor = stranger();
    const html = await visitor.page(address);
    expect(html).not.toContain("plan c.txt");
    const [first, second] = [...html.matchAll(/class="get"[^>]*href="(\?file=\d+)"/g)].map(
      ([, href]) => href!,
    );
    for (const href of [first, second]) expect((await visitor.send(`${address}${href}`)).status).toBe(200);
    await page.reload();
    await form(page)
      .getByRole("listitem")
      .filter({ hasText: "A bot downloaded plan b.txt, plan a.txt" })
      .waitFor();
    const entry = (text: string) => form(page).getByRole("listitem").filter({ hasText: text });
    // What programs do counts as no visit.
    await entry("A bot opened").waitFor();
    const agent = "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0";
    await fetch(address, { headers: { ...HTML, "User-Agent": agent } });
    await page.reload();
    await entry("Somebody opened").waitFor();
    await expectAccessibleInAllLooks(page, "the page of a share");
    expect(complaints).toEqual([]);
    await close();
  },
);

once("files of several folders are one share, in natural order, and are found", async () => {
  const drive = driveClient(panel.server.url, panel.client.token);
  for (const name of ["page 10.txt", "Page 2.txt"]) await drive.upload(name, name, { type: "text/plain" });
  const deep = await drive.folder("Deep");
  await drive.upload("hidden plan.txt", "plan", { type: "text/plain", folder: String(deep) });
  const { page, complaints, close } = await panel.enter("/panel/shares", {
    size: { width: 1280, height: 600 },
  });
  await page.getByRole("button", { name: "New share" }).first().click();
  await form(page).getByText("Files", { exact: true }).click();
  const choices = form(page).getByRole("group", { name: "Files" });
  await choices.getByRole("button", { name: "page 10.txt" }).waitFor();
  const names = (await choices.getByRole("button", { name: /page \d+/i }).allTextContents()).join();
  expect(names).toBe("Page 2.txt,page 10.txt");
  const search = choices.getByLabel("Search all folders");
  await search.fill("nothing of this name");
  await choices.getByText("Nothing is found.").waitFor();
  await search.fill("hidden");
  await choices.getByRole("button", { name: "hidden plan.txt" }).click();
  await search.fill("");
  await choices.getByRole("button", { name: "page 10.txt" }).click();
  // Pressed again, a file is not chosen any more.
  for (const isChosen of [true, false]) {
    await choices.getByRole("button", { name: "Page 2.txt", pressed: !isChosen }).click();
    await choices.getByRole("button", { name: "Page 2.txt", pressed: isChosen }).waitFor();
  }
  await form(page).getByRole("button", { name: "Take hidden plan.txt out of the share" }).waitFor();
  await expectAccessible(page, "several chosen files");
  await form(page).getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("heading", { name: "page 10.txt and 1 more", level: 1 }).waitFor();
  const [made] = (await drive.call("GET", "/shares")).body.data;
  const { data: items } = (await drive.call("GET", `/shares/${made.code}/items`)).body;
  expect(items.map(({ name }: { name: string }) => name)).toEqual(["page 10.txt", "hidden plan.txt"]);

  // Fewer items are no folder.
  await form(page).getByRole("button", { name: "Change what it leads to" }).click();
  await form(page).getByRole("button", { name: "Take hidden plan.txt out of the share" }).click();
  await form(page).getByText("Folder", { exact: true }).first().click();
  await form(page).getByRole("button", { name: "Save" }).click();
  await form(page).getByRole("alert").filter({ hasText: "Choose a folder." }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});
