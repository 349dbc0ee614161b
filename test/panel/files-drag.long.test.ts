/** Dragging in the page of files, by the mouse and from the desktop: where it may end, and where nothing happens. */
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { type DriveClient, driveClient } from "../support/drive.ts";
import { NARROW, once, startPanel, undo, WIDE } from "../support/panel.ts";
import { soon, until } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
let me: DriveClient;
const scratch = mkdtempSync(join(tmpdir(), "waymark-drag-"));
beforeAll(async () => {
  panel = await startPanel();
  me = driveClient(panel.server.url, panel.client.token);
  mkdirSync(join(scratch, "tree", "inner"), { recursive: true });
  writeFileSync(join(scratch, "tree", "inner", "deep.txt"), "deep");
  writeFileSync(join(scratch, "one.txt"), "one");
});
afterAll(async () => {
  await panel.stop();
  rmSync(scratch, { recursive: true, force: true });
});

const row = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });
const crumb = (page: Page, name: string) => page.getByRole("navigation", { name: "Folder" }).getByText(name);
const namesIn = async (folder: number): Promise<string[]> => {
  const { folders, files } = (await me.call("GET", `/folders/${folder}`)).body.data;
  return [...folders, ...files].map(({ name }: { name: string }) => name);
};

/** A target that is entered hears that something is over it with the next step. */
async function moveTo(page: Page, to: Locator): Promise<void> {
  const { x, y, width, height } = (await to.boundingBox())!;
  for (const steps of [10, 1, 1]) {
    await page.mouse.move(x + Math.min(width / 2, 200) + (steps % 2), y + height / 2, { steps });
  }
}
/** Holds the button above the target. */
async function hold(page: Page, from: Locator, to: Locator): Promise<void> {
  const start = (await from.boundingBox())!;
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
  await page.mouse.down();
  await page.mouse.move(start.x + start.width / 2 + 8, start.y + start.height / 2 + 4, { steps: 3 });
  await moveTo(page, to);
}
async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  await hold(page, from, to);
  await page.mouse.up();
}

once("rows are dragged onto folders and breadcrumbs; elsewhere nothing happens", async () => {
  const top = await me.folder("top");
  const inner = await me.folder("inner folder", top);
  await me.folder("child folder", inner);
  for (const name of ["1.txt", "2.txt", "3.txt"]) await me.upload(name, name, { folder: `${top}` });
  for (const size of [WIDE, NARROW]) {
    const { page, complaints, close } = await panel.enter(`/panel/files?folder=${top}`, { size });
    await row(page, "1.txt").waitFor();
    const changes: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "PATCH") changes.push(request.url());
    });
    for (const [from, to] of [
      [row(page, "inner folder"), row(page, "inner folder")],
      [row(page, "1.txt"), row(page, "2.txt")],
      [row(page, "1.txt"), crumb(page, "top")],
      [row(page, "1.txt"), page.getByRole("heading", { name: "Files" })],
    ] as const) {
      await hold(page, from, to);
      expect(await page.locator("[data-over]").count()).toBe(0);
      await page.mouse.up();
    }
    await hold(page, row(page, "1.txt"), row(page, "inner folder"));
    await page.locator("[data-over]").filter({ hasText: "inner folder" }).waitFor();
    await page.keyboard.press("Escape");
    await page.mouse.up();
    await page.locator("[data-over]").waitFor({ state: "detached" });
    await page.getByRole("searchbox").fill("folder");
    await row(page, "child folder").first().waitFor();
    await drag(page, row(page, "inner folder").first(), row(page, "child folder").first());
    await page.getByRole("searchbox").press("Escape");
    expect(changes).toEqual([]);

    // By its name too, although that is a link.
    await drag(page, page.getByRole("link", { name: "2.txt" }), row(page, "inner folder"));
    await undo(page, "2.txt is in inner folder now.");
    await row(page, "2.txt").waitFor();
    await hold(page, row(page, "3.txt"), crumb(page, "All files"));
    await page.locator("[data-over]").filter({ hasText: "All files" }).waitFor();
    await page.mouse.up();
    await undo(page, "3.txt is in All files now.");
    await row(page, "3.txt").waitFor();
    // The page shows it before the server has answered.
    await soon(async () => expect(await namesIn(top)).toEqual(["inner folder", "1.txt", "2.txt", "3.txt"]));
    expect(complaints).toEqual([]);
    await close();
  }
});

once("a long list scrolls while one drags; entries of another tab are not taken for own ones", async () => {
  const top = await me.folder("long");
  for (let n = 1; n <= 60; n++) await me.folder(`folder ${n}`, top);
  const { page, complaints, close } = await panel.enter(`/panel/files?folder=${top}`);
  await row(page, "folder 1").waitFor();
  const grid = page.getByRole("grid");
  const { x, y, height } = (await grid.boundingBox())!;
  const scrolled = () => grid.evaluate(({ scrollTop }) => scrollTop);
  await hold(page, row(page, "folder 1"), row(page, "folder 5"));
  for (let side = 0; (await scrolled()) < 500; side = 1 - side) {
    await page.mouse.move(x + 200 + side, y + height - 10);
  }
  await moveTo(page, page.getByRole("heading", { name: "Files" }));
  await moveTo(page, grid);
  const target = await page.locator("[data-over] bdi").textContent();
  await page.mouse.up();
  await undo(page, `folder 1 is in ${target} now.`);
  await until(async () => (await namesIn(top)).length === 60);
  const isTaken = await grid.evaluate((place) => {
    const over = new DragEvent("dragover", {
      bubbles: true,
      cancelable: true,
      dataTransfer: new DataTransfer(),
    });
    over.dataTransfer!.setData("application/x-waymark-entries", "1");
    place.querySelector("[role=row]:nth-child(3)")!.dispatchEvent(over);
    return over.defaultPrevented;
  });
  expect(isTaken).toBe(false);
  expect(complaints).toEqual([]);
  await close();
});

once(
  "files and folders from the desktop go where they are dropped; a missed place keeps the page",
  async () => {
    const top = await me.folder("desktop");
    const inner = await me.folder("inner", top);
    const { page, context, complaints, close } = await panel.enter(`/panel/files?folder=${top}`);
    await row(page, "inner").waitFor();
    const browser = await context.newCDPSession(page);
    const cover = page.getByText("Drop to upload to");
    const fire = async (
      type: "dragEnter" | "dragOver" | "drop",
      to: Locator,
      name: string,
    ): Promise<void> => {
      const { x, y, width, height } = (await to.boundingBox())!;
      const data = { items: [], files: [join(scratch, name)], dragOperationsMask: 1 };
      const at = { x: x + Math.min(width / 2, 200), y: y + height - 8 };
      await browser.send("Input.dispatchDragEvent", { type, ...at, data });
      if (type === "dragOver") await browser.send("Input.dispatchDragEvent", { type, ...at, data });
    };
    const list = page.getByRole("grid");
    await fire("dragEnter", list, "one.txt");
    await fire("dragOver", list, "one.txt");
    await page.getByText("Drop to upload to desktop").waitFor();
    // A folder of the list takes them itself.
    await fire("dragOver", row(page, "inner"), "one.txt");
    await page.locator("[data-over]").filter({ hasText: "inner" }).waitFor();
    await cover.waitFor({ state: "detached" });
    await fire("dragOver", page.getByRole("link", { name: "Overview" }), "one.txt");
    await page.locator("[data-over]").waitFor({ state: "detached" });
    await fire("dragOver", list, "one.txt");
    await fire("drop", list, "one.txt");
    await page.getByText("1 upload is done").waitFor();
    await cover.waitFor({ state: "detached" });
    await fire("dragEnter", row(page, "inner"), "tree");
    await fire("dragOver", row(page, "inner"), "tree");
    await fire("drop", row(page, "inner"), "tree");
    await page.getByText("2 uploads are done").waitFor();
    expect([await namesIn(top), await namesIn(inner)]).toEqual([["inner", "one.txt"], ["tree"]]);
    // Otherwise the browser would open the file in place of the panel.
    const isRefused = await page.getByRole("link", { name: "Overview" }).evaluate((place) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["x"], "x.txt"));
      const drop = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer });
      place.dispatchEvent(drop);
      return drop.defaultPrevented;
    });
    expect(isRefused).toBe(true);
    expect(complaints).toEqual([]);
    await close();
  },
);
