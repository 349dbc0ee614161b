/** The page of files while the server takes its time: what is under way is seen, and the focus stays in the list. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { type DriveClient, driveClient } from "../support/drive.ts";
import { focused, once, startPanel } from "../support/panel.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
let me: DriveClient;
beforeAll(async () => {
  panel = await startPanel();
  me = driveClient(panel.server.url, panel.client.token);
});
afterAll(() => panel.stop());

const row = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });

/** Changes of entries, and previews, wait between `hold` and `go`. */
async function brakeOf(page: Page) {
  let held = Promise.withResolvers<void>();
  held.resolve();
  await page.route(/\/(?:files|folders|trash)\/\d+(?:\/\w+)?$/, async (route) => {
    const request = route.request();
    if (request.method() !== "GET" || request.url().endsWith("/preview")) await held.promise;
    await route.continue();
  });
  return { hold: () => void (held = Promise.withResolvers()), go: () => held.resolve() };
}

async function press(page: Page, name: string, item: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

once(
  "rows that are changed are busy until the list has the change, and undo says that it works",
  async () => {
    const folder = await me.folder("slow");
    for (const name of ["a.txt", "b.txt", "c.txt"]) await me.upload(name, name, { folder: `${folder}` });
    const picture = Uint8Array.fromBase64("R0lGODlhAQABAIAAAMgeHgAAACwAAAAAAQABAAACAkQBADs=");
    await me.upload("d.gif", picture, { folder: `${folder}`, type: "image/gif" });
    const { page, complaints, close } = await panel.enter(`/panel/files?folder=${folder}`);
    await row(page, "a.txt").waitFor();
    const busy = page.locator("[role=row][aria-busy=true]");

    const brake = await brakeOf(page);
    brake.hold();
    await press(page, "a.txt", "Rename");
    await page.getByLabel("New name of a.txt").fill("z.txt");
    await page.keyboard.press("Enter");
    await busy.filter({ hasText: "z.txt" }).waitFor();
    brake.go();
    await page.getByText("a.txt is called z.txt now.").waitFor();
    await busy.waitFor({ state: "detached" });
    await row(page, "z.txt").waitFor();

    // An undo at once: the list that the rename reads late does not end it.
    const listing = Promise.withResolvers<void>();
    await page.route(/\/folders\/\d+\?/, (route) => listing.promise.then(() => route.continue()));
    await press(page, "z.txt", "Rename");
    await page.getByLabel("New name of z.txt").fill("y.txt");
    await page.keyboard.press("Enter");
    await page.getByText("z.txt is called y.txt now.").waitFor();
    brake.hold();
    await page.keyboard.press("Control+z");
    await busy.filter({ hasText: "z.txt" }).waitFor();
    const read = page.waitForResponse(/\/folders\/\d+\?/);
    listing.resolve();
    await read;
    await page.getByText("Undoing…").waitFor();
    await busy.filter({ hasText: "z.txt" }).waitFor();
    brake.go();
    await busy.waitFor({ state: "detached" });
    await row(page, "z.txt").waitFor();

    brake.hold();
    await press(page, "b.txt", "Move to the trash");
    await busy.filter({ hasText: "b.txt" }).waitFor();
    brake.go();
    await row(page, "b.txt").waitFor({ state: "detached" });
    // The button that had it is gone.
    await focused(page.getByRole("grid"));

    brake.hold();
    await page.keyboard.press("Control+z");
    await page.getByText("Undoing…").waitFor();
    brake.go();
    await row(page, "b.txt").waitFor();
    await page.getByText("Undoing…").waitFor({ state: "detached" });

    brake.hold();
    await page.getByRole("link", { name: "d.gif" }).click();
    const waits = page.getByRole("dialog").locator("[aria-busy=true]");
    await waits.waitFor();
    brake.go();
    await waits.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");

    // What is refused is as it was.
    await me.upload("taken.txt", "taken", { folder: `${folder}` });
    brake.hold();
    await press(page, "c.txt", "Rename");
    await page.getByLabel("New name of c.txt").fill("taken.txt");
    await page.keyboard.press("Enter");
    await busy.filter({ hasText: "taken.txt" }).waitFor();
    brake.go();
    await row(page, "c.txt").waitFor();
    await busy.waitFor({ state: "detached" });
    expect(complaints.filter((text) => !text.includes("409"))).toEqual([]);
    await close();
  },
);

once("the list shows a file that was stored before the list of uploads had loaded", async () => {
  const folder = await me.folder("quick");
  const { page, complaints, close } = await panel.enter("/panel/");
  const held = Promise.withResolvers<void>();
  await page.route(/\/upload-dock-[^/]*\.js$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(`${panel.origin}/panel/files?folder=${folder}`);
  await page.getByText("This folder is empty.").waitFor();
  const stored = page.waitForResponse(
    (answer) => answer.request().method() === "PATCH" && answer.status() === 204,
  );
  await page
    .locator("input[type=file]:not([webkitdirectory])")
    .setInputFiles({ name: "quick.txt", mimeType: "text/plain", buffer: Buffer.from("hello") });
  await stored;
  await page.waitForTimeout(500);
  held.resolve();
  await row(page, "quick.txt").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

once("a folder follows what is done to it elsewhere", async () => {
  const folder = await me.folder("followed");
  const { page, complaints, close } = await panel.enter("/panel/");
  await page.clock.install();
  await page.goto(`${panel.origin}/panel/files?folder=${folder}`);
  await page.getByText("This folder is empty.").waitFor();
  await me.upload("new.txt", "new", { folder: `${folder}` });
  await page.clock.fastForward(31_000);
  await row(page, "new.txt").waitFor();
  await me.call("POST", `/folders/${folder}/trash`);
  await page.clock.fastForward(31_000);
  await page.getByText("This folder is no longer here.").waitFor();
  expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
  await close();
});
