/** The page of files in Chromium: list, keyboard, moving, search, trash. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openDatabase } from "../../src/platform/db/database.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { CHROMIUM } from "../support/chromium.ts";
import { type DriveClient, driveClient } from "../support/drive.ts";
import {
  expectAccessible,
  expectAccessibleInAllLooks,
  NARROW,
  startPanel,
  focused,
  undo,
  WIDE,
} from "../support/panel.ts";
import { soon } from "../support/until.ts";

/** Markup, the longest name, and one that is written from right to left. */
const HOSTILE = "<img src=x onerror=alert(1)>";
const LONG = `${"long ".repeat(49)}names.docx`;
const TURNED = "ملف مهم.txt";

let panel: Awaited<ReturnType<typeof startPanel>>;
let me: DriveClient;
beforeAll(async () => {
  panel = await startPanel();
  me = driveClient(panel.server.url, panel.client.token);
});
afterAll(() => panel.stop());

const row = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });
const expectRows = (page: Page, names: string[]): Promise<void> =>
  soon(async () => {
    const shown = await page.getByRole("row").locator("bdi").allTextContents();
    expect(shown.map((name) => name.trim())).toEqual(names);
  });
const namesIn = async (folder: number): Promise<string[]> => {
  const { body } = await me.call("GET", `/folders/${folder}`);
  return [...body.data.folders, ...body.data.files].map(({ name }: { name: string }) => name);
};

test.skipIf(!CHROMIUM)("a folder is sorted, selected, renamed and trashed by keyboard alone", async () => {
  const folder = await me.folder("keyboard");
  for (const name of ["file 10.txt", "file 2.txt", "file 1.txt"])
    await me.upload(name, name, { folder: `${folder}` });
  await me.folder("inner", folder);
  const { page, complaints, close } = await panel.enter(`/panel/files?folder=${folder}`);
  await row(page, "file 1.txt").waitFor();
  await expectRows(page, ["inner", "file 1.txt", "file 2.txt", "file 10.txt"]);
  await page.getByRole("button", { name: "Name" }).click();
  await expectRows(page, ["inner", "file 10.txt", "file 2.txt", "file 1.txt"]);
  await page.waitForURL((url) => url.searchParams.get("order") === "desc");
  await page.getByRole("button", { name: "Name" }).click();
  await expectRows(page, ["inner", "file 1.txt", "file 2.txt", "file 10.txt"]);

  await page.getByRole("grid").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("F2");
  await page.getByLabel("New name of file 1.txt").fill("first.txt");
  await page.keyboard.press("Enter");
  await row(page, "first.txt").waitFor();
  await page.getByText("file 1.txt is called first.txt now.").waitFor();
  expect(await namesIn(folder)).toContain("first.txt");
  await undo(page, "file 1.txt is called first.txt now.");
  await row(page, "file 1.txt").waitFor();
  // By the right button, where the pointer is.
  await row(page, "file 1.txt").click({ button: "right", position: { x: 300, y: 20 } });
  const place = (await page.getByRole("menu").boundingBox())!;
  expect(Math.abs(place.x - (await row(page, "file 1.txt").boundingBox())!.x - 300)).toBeLessThan(30);
  await page.getByRole("menuitem", { name: "Rename" }).press("Enter");
  await page.getByLabel("New name of file 1.txt").fill("by menu.txt");
  await page.keyboard.press("Enter");
  await row(page, "by menu.txt").waitFor();
  await undo(page, "file 1.txt is called by menu.txt now.");
  await row(page, "file 1.txt").waitFor();

  await page.getByRole("grid").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await page.getByText("2 selected").waitFor();
  await page.keyboard.press("Delete");
  await page.getByText("2 entries are in the trash.").waitFor();
  await row(page, "file 1.txt").waitFor({ state: "detached" });
  expect(await namesIn(folder)).toEqual(["inner", "file 10.txt"]);
  await undo(page, "2 entries are in the trash.");
  await expectRows(page, ["inner", "file 1.txt", "file 2.txt", "file 10.txt"]);

  await page.getByRole("grid").focus();
  await page.keyboard.press("Control+a");
  await page.getByText("4 selected").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await page.getByText("This folder is empty.").waitFor();
  await page.keyboard.press("Backspace");
  await row(page, "file 1.txt").waitFor();
  await page.keyboard.press("End");
  await page.getByRole("button", { name: "Actions for file 10.txt" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Move to…" }).waitFor();
  await page.keyboard.press("Escape");
  await focused(page.getByRole("button", { name: "Actions for file 10.txt" }));
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Delete");
  await page.getByText("file 2.txt is in the trash.").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)("entries are moved by drag and by the dialog, and back", async () => {
  const folder = await me.folder("moves");
  const target = await me.folder("target", folder);
  const deep = await me.folder("deep", target);
  for (const name of ["a.txt", "b.txt", "c.txt"]) await me.upload(name, name, { folder: `${folder}` });
  const { page, complaints, close } = await panel.enter(`/panel/files?folder=${folder}`);
  await row(page, "a.txt").click({ position: { x: 400, y: 20 } });
  await row(page, "b.txt").click({ position: { x: 400, y: 20 }, modifiers: ["Shift"] });
  await page.getByText("2 selected").waitFor();
  await row(page, "b.txt").dragTo(row(page, "target"));
  await page.getByText("2 entries moved to target.").waitFor();
  expect((await namesIn(target)).toSorted()).toEqual(["a.txt", "b.txt", "deep"]);
  await undo(page, "2 entries moved to target.");
  await expectRows(page, ["target", "a.txt", "b.txt", "c.txt"]);
  expect(await namesIn(folder)).toEqual(["target", "a.txt", "b.txt", "c.txt"]);

  await page.getByRole("button", { name: "Actions for c.txt" }).click();
  await page.getByRole("menuitem", { name: "Move to…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("option", { name: "target" }).waitFor();
  await dialog.getByRole("button", { name: "Move here", disabled: true }).waitFor();
  await page.keyboard.press("ArrowRight");
  await dialog.getByRole("option", { name: "deep" }).waitFor();
  await page.keyboard.press("Enter");
  await dialog.getByText("There are no folders here.").waitFor();
  await dialog.getByRole("button", { name: "Move here" }).click();
  await row(page, "c.txt").waitFor({ state: "detached" });
  expect(await namesIn(deep)).toEqual(["c.txt"]);

  await page.goto(`${panel.origin}/panel/files?folder=${deep}`);
  await row(page, "c.txt").dragTo(page.getByRole("navigation", { name: "Folder" }).getByText("moves"));
  await page.getByText("c.txt is in moves now.").waitFor();
  expect(await namesIn(folder)).toContain("c.txt");
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)("a search leads to the folder; the trash is listed, restored, emptied", async () => {
  const folder = await me.folder("searched");
  const inner = await me.folder("needle folder", folder);
  await me.upload("needle.txt", "needle", { folder: `${inner}` });
  await me.upload(HOSTILE, "hostile", { folder: `${inner}` });
  const { page, complaints, close } = await panel.enter("/panel/files");
  await row(page, "searched").waitFor();
  await page.keyboard.press("/");
  await page.getByRole("searchbox").and(page.locator(":focus")).waitFor();
  await page.keyboard.type("needle");
  await row(page, "needle.txt").getByRole("link", { name: "searched / needle folder" }).click();
  await row(page, HOSTILE).waitFor();
  await page.waitForURL((url) => url.search === `?folder=${inner}`);
  // On a phone the field stays where one types.
  await page.setViewportSize(NARROW);
  const place = await page.getByRole("searchbox").boundingBox();
  await page.getByRole("searchbox").fill("no such name");
  await page.getByText("No name matches").waitFor();
  expect(await page.getByRole("searchbox").boundingBox()).toEqual(place);
  await page.getByRole("searchbox").press("Escape");
  await page.setViewportSize(WIDE);

  for (const name of ["needle.txt", HOSTILE]) {
    await page.getByRole("button", { name: `Actions for ${name}` }).click();
    await page.getByRole("menuitem", { name: "Move to the trash" }).click();
    await row(page, name).waitFor({ state: "detached" });
  }
  await page.getByRole("link", { name: "Trash" }).click();
  await row(page, HOSTILE).getByText("searched / needle folder").waitFor();
  await page.getByRole("button", { name: "Put back: needle.txt" }).click();
  await row(page, "needle.txt").waitFor({ state: "detached" });
  expect(await namesIn(inner)).toEqual(["needle.txt"]);
  await page.getByRole("button", { name: "Empty the trash" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Empty the trash" }).click();
  await page.getByText("The trash is empty.").waitFor();
  expect((await me.call("GET", "/trash")).body.data).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)(
  "a folder of 10,004 entries paints few rows; axe finds nothing in any look",
  async () => {
    const folder = await me.folder("many");
    const settings = { url: panel.databaseUrl, poolSize: 1 };
    const database = await openDatabase(settings, { threads: false, logger: silentLogger });
    const shared = { account_id: 0, parent_id: folder, kind: "folder", size: 0 } as const;
    for (let n = 0; n < 10_000; n += 1_000) {
      const some = Array.from({ length: 1_000 }, (_, at) => n + at + 1);
      await database.write
        .insertInto("entries")
        .values(some.map((at) => ({ ...shared, name: `folder ${at}`, created_at: at, updated_at: at })))
        .execute();
    }
    await database.close();
    for (const name of [HOSTILE, LONG, TURNED, "🎉 party 🎉.png"])
      await me.upload(name, "x", { folder: `${folder}` });
    const { page, complaints, close } = await panel.enter(`/panel/files?folder=${folder}`);
    await page.getByText("10,004 entries").waitFor();
    await page.getByRole("row").nth(5).waitFor();
    expect(await page.getByRole("row").count()).toBeLessThan(60);
    await page.getByRole("grid").focus();
    await page.keyboard.press("End");
    await row(page, HOSTILE).waitFor();
    await expectAccessibleInAllLooks(page, "files");
    await page.keyboard.press(" ");
    await page.getByText("1 selected").waitFor();
    await expectAccessible(page, "selection");
    await page.getByRole("button", { name: "Move to…" }).click();
    await page.getByRole("dialog").getByRole("option").first().waitFor();
    await expectAccessible(page, "move dialog");
    expect(complaints).toEqual([]);
    await close();
  },
);
