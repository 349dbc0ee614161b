/** The list of a file's versions in Chromium, the comparison, and putting one back. */
import { afterAll, beforeAll, expect } from "bun:test";
import { type DriveClient, driveClient } from "../support/drive.ts";
import { expectAccessibleInAllLooks, once, startPanel } from "../support/panel.ts";
import { soon } from "../support/until.ts";

const LINES = Array.from({ length: 20 }, (_, at) => `Line ${at + 1}`);
const FIRST = LINES.join("\n");
const SECOND = FIRST.replace("Line 10\n", "");
const THIRD = `${SECOND}\nThe end`;

let panel: Awaited<ReturnType<typeof startPanel>>;
let me: DriveClient;
let id: number;
beforeAll(async () => {
  panel = await startPanel();
  me = driveClient(panel.server.url, panel.client.token);
  id = (await me.upload("minutes.txt", FIRST, { type: "text/plain" })).body.data.id;
  for (const body of [SECOND, THIRD]) {
    const headers = { "Content-Type": "text/plain" };
    expect((await me.send(`/files/${id}/content`, { method: "PUT", body, headers })).status).toBe(200);
  }
});
afterAll(() => panel.stop());

const content = async (): Promise<string> => (await me.send(`/files/${id}/download`)).text();

once("former contents are listed, compared and put back", async () => {
  const { page, complaints, close } = await panel.enter("/panel/files");
  await page.getByRole("link", { name: "minutes.txt" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("heading", { name: "Versions" }).waitFor();
  const versions = dialog.getByRole("listitem");
  expect(await versions.count()).toBe(2);
  const first = versions.last();
  await first.getByText("admin").waitFor();
  const compare = first.getByRole("button", { name: "Compare" });
  await compare.focus();
  await page.keyboard.press("Enter");
  await first.getByText("− Line 10").waitFor();
  expect((await first.locator("pre").innerText()).split(/\n+/).filter((line) => line !== "")).toEqual([
    "6 unchanged lines",
    "  Line 7",
    "  Line 8",
    "  Line 9",
    "− Line 10",
    "  Line 11",
    "  Line 12",
    "  Line 13",
    "4 unchanged lines",
    "  Line 18",
    "  Line 19",
    "  Line 20",
    "+ The end",
  ]);
  await expectAccessibleInAllLooks(page, "versions and a comparison");
  await first.getByRole("button", { name: "Restore" }).click();
  const question = page.getByText("The file gets this content back.").locator("..");
  await question.getByRole("button", { name: "Restore" }).click();
  await soon(async () => expect(await content()).toBe(FIRST));
  await dialog.getByRole("definition").getByText(`${FIRST.length} bytes`).waitFor();
  await close();
  expect(complaints).toEqual([]);
});
