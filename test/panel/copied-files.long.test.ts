/** Files that are copied with the keyboard, or from the selection on a phone. */
import { afterAll, beforeAll, expect } from "bun:test";
import { type DriveClient, driveClient } from "../support/drive.ts";
import { expectAccessibleInAllLooks, NARROW, once, startPanel } from "../support/panel.ts";
import { until } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
let me: DriveClient;
let folder: number;
beforeAll(async () => {
  panel = await startPanel();
  me = driveClient(panel.server.url, panel.client.token);
  folder = await me.folder("Into");
  await me.upload("notes.txt", "notes");
});
afterAll(() => panel.stop());

const namesIn = async (): Promise<string[]> =>
  (await me.call("GET", `/folders/${folder}`)).body.data.files.map(({ name }: { name: string }) => name);

once("Ctrl+C in a list and Ctrl+V in a folder copy, and text fields keep their keys", async () => {
  const { page, complaints, close } = await panel.enter("/panel/files");
  const grid = page.getByRole("grid");
  await page.getByRole("link", { name: "notes.txt" }).waitFor();
  await grid.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Control+c");
  await page.getByText("1 entry copied.").waitFor();
  await page.getByRole("link", { name: "Into" }).click();
  await page.getByText("This folder is empty").or(page.getByText("Into")).first().waitFor();
  await page.waitForURL(/folder=/);
  await page.keyboard.press("Control+v");
  await until(async () => (await namesIn()).length === 1);
  await page.getByText("was copied to").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await until(async () => (await namesIn()).length === 0);
  await close();
  expect(complaints).toEqual([]);
});

once("a phone has Copy to… in the selection", async () => {
  const { page, complaints, close } = await panel.enter("/panel/files", { size: NARROW });
  await page.getByRole("link", { name: "notes.txt" }).waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("End");
  await page.keyboard.press("x");
  const bar = page.getByLabel("Actions for the selected entries");
  await bar.getByRole("button", { name: "Copy to…" }).click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await expectAccessibleInAllLooks(page, "the selection on a phone");
  await close();
  expect(complaints).toEqual([]);
});
