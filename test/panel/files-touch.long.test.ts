/** The page of files on a phone, by touch. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { CDPSession } from "playwright-core";
import { type DriveClient, driveClient } from "../support/drive.ts";
import { NARROW, once, signInToPanel, startPanel } from "../support/panel.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
let me: DriveClient;
beforeAll(async () => {
  panel = await startPanel();
  me = driveClient(panel.server.url, panel.client.token);
});
afterAll(() => panel.stop());

const namesIn = async (folder: number): Promise<string[]> => {
  const { folders, files } = (await me.call("GET", `/folders/${folder}`)).body.data;
  return [...folders, ...files].map(({ name }: { name: string }) => name);
};

async function swipe(screen: CDPSession, x: number, to: number, down = 0): Promise<void> {
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", touchPoints: { x: number; y: number }[]) =>
    screen.send("Input.dispatchTouchEvent", { type, touchPoints });
  await touch("touchStart", [{ x, y: 300 }]);
  for (let step = 1; step <= 5; step++) {
    await touch("touchMove", [{ x: x + ((to - x) * step) / 5, y: 300 + (down * step) / 5 }]);
  }
  await touch("touchEnd", []);
}

once("a tap opens, a swipe leads on, boxes select, menus rename and entries move by touch", async () => {
  const top = await me.folder("phone");
  const inner = await me.folder("inner", top);
  for (const name of ["1.txt", "2.txt", "3.txt"]) {
    await me.upload(name, `content of ${name}`, { folder: `${top}`, type: "text/plain" });
  }
  const { context: plain, close } = await panel.open("/panel/");
  const context = await plain
    .browser()!
    .newContext({ viewport: NARROW, hasTouch: true, isMobile: true, reducedMotion: "reduce", locale: "en" });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(`${panel.origin}/panel/files?folder=${top}`);
  await signInToPanel(page);
  const row = (name: string) => page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });
  const tapRow = async (name: string): Promise<void> => {
    const { x, y, width, height } = (await row(name).boundingBox())!;
    await page.touchscreen.tap(x + width / 2, y + height - 8);
  };
  await row("1.txt").waitFor();

  await tapRow("1.txt");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("content of 1.txt").waitFor();
  const screen = await context.newCDPSession(page);
  await swipe(screen, 320, 60);
  await dialog.getByText("content of 2.txt").waitFor();
  await swipe(screen, 60, 320);
  await dialog.getByText("content of 1.txt").waitFor();
  // Before the first there is none, and scrolling is no swipe.
  await swipe(screen, 60, 320);
  await swipe(screen, 250, 150, -120);
  await dialog.getByRole("heading", { name: "1.txt" }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).tap();
  await dialog.waitFor({ state: "detached" });

  for (const name of ["1.txt", "2.txt"]) await row(name).getByRole("checkbox").tap();
  await page.getByText("2 selected").waitFor();
  await page.getByRole("button", { name: "Move to…" }).tap();
  await dialog.getByRole("option", { name: "inner" }).tap();
  await dialog.getByText("There are no folders here.").waitFor();
  await dialog.getByRole("button", { name: "Move here" }).tap();
  await page.getByText("2 entries moved to inner.").waitFor();
  expect(await namesIn(inner)).toEqual(["1.txt", "2.txt"]);

  await page.getByRole("button", { name: "Actions for 3.txt" }).tap();
  await page.getByRole("menuitem", { name: "Rename" }).tap();
  await page.getByLabel("New name of 3.txt").fill("three.txt");
  await page.keyboard.press("Enter");
  await page.getByText("3.txt is called three.txt now.").waitFor();
  await tapRow("inner");
  await row("2.txt").waitFor();
  await page.getByRole("navigation", { name: "Folder" }).getByText("phone").tap();
  await row("three.txt").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
  await close();
});
