/** Shares and drop boxes in the panel, and what strangers see of them, in Chromium against the real program. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../support/chromium.ts";
import { driveClient } from "../support/drive.ts";
import { signInToPanel, startPanel } from "../support/panel.ts";
import { HTML, stranger } from "../support/stranger.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
let drive: ReturnType<typeof driveClient>;
let reports = 0;
beforeAll(async () => {
  panel = await startPanel();
  drive = driveClient(panel.server.url, panel.client.token);
  reports = await drive.folder("<b>Reports");
  await drive.upload("<img src=x onerror=alert(1)>.txt", "for one's eyes", { type: "text/plain" });
});
afterAll(() => panel.stop());

const form = (page: Page) => page.getByRole("dialog");
/** Of the dialog, once the address is there. */
const madeAddress = async (page: Page): Promise<string> => {
  await form(page)
    .getByRole("img", { name: /QR code/ })
    .waitFor();
  return (await form(page).getByRole("link").getAttribute("href"))!;
};

async function shareFrom(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Share" }).click();
}

test.skipIf(!CHROMIUM)("one dialog shares a file with a password, and opens a drop box", async () => {
  const { page, complaints, close } = await panel.open("/panel/files");
  await signInToPanel(page);
  await shareFrom(page, "<img src=x onerror=alert(1)>.txt");
  await form(page).getByLabel("Code", { exact: true }).fill("for/anna");
  await form(page).getByText("This code is free.").waitFor();
  await form(page).locator("label", { hasText: "Ask for a password" }).click();
  await form(page).getByLabel("Password", { exact: true }).fill("a good password");
  await form(page).getByLabel("Most downloads").fill("3");
  await form(page).getByRole("button", { name: "Share" }).click();
  const address = await madeAddress(page);
  expect(address).toEndWith("/for/anna");
  await form(page).getByRole("button", { name: "Copy" }).click();
  await form(page).getByRole("button", { name: "Copied" }).waitFor();

  const visitor = stranger();
  expect((await visitor.send(address, { headers: HTML })).status).toBe(401);
  const body = new URLSearchParams({ password: "a good password" });
  await visitor.send(address, { method: "POST", body, headers: HTML });
  expect(await visitor.page(address)).toContain("3 of 3");
  expect(await (await visitor.send(`${address}?download=1`)).text()).toBe("for one's eyes");
  await form(page).getByRole("button", { name: "Done" }).click();

  await shareFrom(page, "<b>Reports");
  await form(page).getByText("Drop box").click();
  await form(page).getByLabel("Code", { exact: true }).fill("for/anna");
  await form(page).getByText("Another link has this code.").waitFor();
  await form(page).getByLabel("Code", { exact: true }).fill("inbox");
  await form(page).getByLabel("Title").fill("Hand in here");
  await form(page).getByLabel("Most files").fill("2");
  await form(page).getByRole("button", { name: "Create" }).click();
  const box = await madeAddress(page);
  expect(await stranger().page(box)).toContain("Hand in here");
  expect((await drive.call("GET", `/folders/${reports}/drop`)).body.data[0]).toMatchObject({
    code: "inbox",
    max_files: 2,
    max_bytes: 1_000_000_000,
    max_file_size: null,
  });
  expect(complaints).toEqual([]);
  await close();
});
