/** Files of this device that become a share, and what its page tells of visitors, in Chromium. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { expectAccessibleInAllLooks, once, startPanel } from "../support/panel.ts";
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
