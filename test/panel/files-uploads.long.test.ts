/** Uploads of the panel in Chromium: interrupted, as trees, with taken names, refused. */
import { afterAll, beforeAll, expect } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { type DriveClient, driveClient } from "../support/drive.ts";
import { expectAccessibleInAllLooks, once, signInToPanel, startPanel, story } from "../support/panel.ts";
import { until } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
let me: DriveClient;
const scratch = mkdtempSync(join(tmpdir(), "waymark-uploads-"));
beforeAll(async () => {
  panel = await startPanel();
  me = driveClient(panel.server.url, panel.client.token);
});
afterAll(async () => {
  await panel.stop();
  rmSync(scratch, { recursive: true, force: true });
});

async function choose(page: Page, file: string): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload", exact: true }).click();
  await page.getByRole("menuitem", { name: "Files" }).click();
  await (await chooser).setFiles(file);
}

/** Files are texts, folders are objects. */
type Tree = { [name: string]: string | Tree };

/** As from the desktop, onto the page. */
const dropTree = (page: Page, tree: Tree): Promise<void> =>
  page.evaluate((dropped) => {
    type Entry = object;
    const entryOf = ([name, content]: [string, unknown]): Entry =>
      typeof content === "string"
        ? { isFile: true, name, file: (take: (file: File) => void) => take(new File([content], name)) }
        : { isFile: false, name, createReader: () => readerOf(Object.entries(content as object)) };
    const readerOf = (inside: [string, unknown][]) => ({
      readEntries: (take: (entries: Entry[]) => void) => take(inside.splice(0, 1).map(entryOf)),
    });
    const items = Object.entries(dropped).map((one) => ({
      kind: "file",
      webkitGetAsEntry: () => entryOf(one),
      getAsFile: () => null,
    }));
    const drop = new DragEvent("drop", { bubbles: true, cancelable: true });
    Object.defineProperty(drop, "dataTransfer", { value: { types: ["Files"], items, files: [] } });
    document.querySelector("main h1")!.dispatchEvent(drop);
  }, tree);

async function treeOf(folder: number): Promise<Tree> {
  const { data } = (await me.call("GET", `/folders/${folder}`)).body;
  const tree: Tree = {};
  for (const { id, name } of data.folders) tree[name] = await treeOf(id);
  for (const { id, name } of data.files) {
    tree[name] = await (await me.send(`/files/${id}/download`)).text();
  }
  return tree;
}

story("50 MB outlive a reload, kill -9 of the server and a time without network", async () => {
  const bytes = randomBytes(50 * 1024 * 1024);
  const file = join(scratch, "large.bin");
  writeFileSync(file, bytes);
  const { page, context, close } = await panel.enter("/panel/files");
  const network = await context.newCDPSession(page);
  const limit = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1_500_000 };
  await network.send("Network.enable");
  await network.send("Network.emulateNetworkConditions", limit);
  const begun: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/files/tus")) begun.push(request.url());
  });
  const uploads = page.getByRole("region", { name: "Uploads" });
  const moves = () => uploads.getByText(/^[1-9]\d?%$/).waitFor();
  const stands = () => uploads.getByText("No connection; it continues by itself").waitFor();

  await choose(page, file);
  await moves();
  const asked: string[] = [];
  page.once("dialog", (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await page.reload();
  expect(asked).toEqual(["beforeunload"]);
  await moves();
  await uploads.getByRole("button", { name: "Pause large.bin" }).click();
  await uploads.getByText("Paused").waitFor();
  await uploads.getByRole("button", { name: "Continue large.bin" }).click();
  await moves();
  await panel.server.kill();
  await stands();
  await panel.startAgain();
  await moves();
  await network.send("Network.emulateNetworkConditions", { ...limit, offline: true });
  await stands();
  await network.send("Network.emulateNetworkConditions", { ...limit, uploadThroughput: -1 });
  await uploads.getByText("1 upload is done").waitFor();
  expect(begun.length).toBe(1);
  const { files } = (await me.call("GET", "/folders")).body.data;
  expect(files).toMatchObject([
    { name: "large.bin", sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex") },
  ]);
  await page.getByRole("row").filter({ hasText: "large.bin" }).waitFor();
  // Nothing of it stays in the browser.
  const kept = () =>
    page.evaluate(async () => {
      const opened = indexedDB.open("waymark-uploads");
      await new Promise((resolve) => opened.addEventListener("success", resolve));
      const counts = ["records", "bytes"].map((name) => {
        const counted = opened.result.transaction(name).objectStore(name).count();
        return new Promise<number>((resolve) => {
          counted.addEventListener("success", () => resolve(counted.result));
        });
      });
      return (await Promise.all(counts)).join(" ");
    });
  await until(async () => (await kept()) === "0 0");
  await close();
});

once("a dropped tree comes whole; taken names are asked about once", async () => {
  const folder = await me.folder("dropped");
  const { page, complaints, close } = await panel.enter(`/panel/files?folder=${folder}`);
  await page.getByText("This folder is empty.").waitFor();
  const tree = { photos: { "a.txt": "first a", empty: {}, deep: { "b.txt": "first b" } }, "c.txt": "" };
  await dropTree(page, tree);
  await page.getByText("3 uploads are done").waitFor();
  expect(await treeOf(folder)).toEqual(tree);
  await page.getByRole("row").filter({ hasText: "photos" }).waitFor();

  const again = { photos: { "a.txt": "second a", "new.txt": "new" } };
  const dialog = page.getByRole("dialog");
  await dropTree(page, again);
  await dialog.getByText("1 name is taken").waitFor();
  await dialog.getByText("photos/a.txt").waitFor();
  await dialog.getByRole("button", { name: "Replace" }).click();
  await page.getByText("5 uploads are done").waitFor();
  expect(await treeOf(folder)).toEqual({
    ...tree,
    photos: { ...tree.photos, "a.txt": "second a", "new.txt": "new" },
  });
  const [found] = (await me.call("GET", "/files/search?q=a.txt")).body.data;
  expect((await me.call("GET", `/files/${found.id}/versions`)).body.data).toMatchObject([{ size: 7 }]);

  await dropTree(page, { "c.txt": "second c" });
  await dialog.getByRole("button", { name: "Keep both" }).click();
  await page.getByText("6 uploads are done").waitFor();
  expect(await treeOf(folder)).toMatchObject({ "c.txt": "", "c (2).txt": "second c" });
  await dropTree(page, { "c.txt": "third c", "d.txt": "d" });
  await dialog.getByRole("button", { name: "Skip them" }).click();
  await page.getByText("7 uploads are done").waitFor();
  expect(await treeOf(folder)).toMatchObject({ "c.txt": "", "d.txt": "d" });
  await page.getByRole("button", { name: "Clear what has ended" }).click();
  expect(complaints).toEqual([]);
  await close();
});

once("another tab takes over; a file that is not kept is chosen again", async () => {
  const folder = await me.folder("tabs");
  const file = join(scratch, "again.bin");
  writeFileSync(file, "x".repeat(3_000_000));
  const { page, context, close } = await panel.enter(`/panel/files?folder=${folder}`);
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  await network.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 100_000,
  });
  await choose(page, file);
  await page.getByText(/^[1-9]\d?%$/).waitFor();
  await page.getByRole("button", { name: "Pause again.bin" }).click();
  await page.getByText("Paused").waitFor();
  const isFilled = async (shown: Page): Promise<boolean> => {
    const bar = shown.getByRole("progressbar", { name: "Progress of again.bin" });
    return Number(await bar.getAttribute("aria-valuenow")) > 0;
  };
  await page.reload();
  await page.getByText("Paused").waitFor();
  await until(() => isFilled(page));

  const other = await context.newPage();
  const begun: string[] = [];
  other.on("request", (request) => {
    if (request.method() === "POST") begun.push(new URL(request.url()).pathname);
  });
  await other.goto(page.url());
  await other.getByText("This folder is empty.").waitFor();
  expect(await other.getByRole("region", { name: "Uploads" }).count()).toBe(0);
  // As if the browser had had no room.
  await other.evaluate(async () => {
    const opened = indexedDB.open("waymark-uploads");
    await new Promise((resolve) => opened.addEventListener("success", resolve));
    const cleared = opened.result.transaction("bytes", "readwrite").objectStore("bytes").clear();
    await new Promise((resolve) => cleared.addEventListener("success", resolve));
  });
  await page.close();
  await other.getByText("1 upload is unfinished").waitFor();
  await until(() => isFilled(other));
  const chooser = other.waitForEvent("filechooser");
  await other.getByRole("button", { name: "Choose the files again" }).click();
  await (await chooser).setFiles(file);
  await other.getByRole("button", { name: "Continue again.bin" }).click();
  await other.getByText("1 upload is done").waitFor();
  expect(begun.filter((path) => path.endsWith("/files/tus"))).toEqual([]);
  expect(await treeOf(folder)).toEqual({ "again.bin": "x".repeat(3_000_000) });
  await close();
});

once("a refusal shows the server's sentence and can be tried again", async () => {
  const folder = await me.folder("refused");
  const [policy] = (await me.call("GET", "/admin/policies")).body.data;
  const limit = (most: number) => me.call("PATCH", `/admin/policies/${policy.id}`, { max_file_size: most });
  await limit(1_000);
  const file = join(scratch, "too-large.txt");
  writeFileSync(file, "x".repeat(2_000));
  const { page, close } = await panel.enter(`/panel/files?folder=${folder}`);
  await choose(page, file);
  const uploads = page.getByRole("region", { name: "Uploads" });
  await uploads.getByText("1 upload failed").waitFor();
  await uploads.getByText(/1,?000/).waitFor();
  await expectAccessibleInAllLooks(page, "uploads");
  await limit(0);
  await uploads.getByRole("button", { name: "Try too-large.txt again" }).click();
  await uploads.getByText("1 upload is done").waitFor();
  expect(await treeOf(folder)).toEqual({ "too-large.txt": "x".repeat(2_000) });
  await close();
});

once("pieces get smaller until a proxy takes them; one that takes none is named", async () => {
  const folder = await me.folder("pieces");
  const file = join(scratch, "pieces.bin");
  writeFileSync(file, "x".repeat(3_000_000));
  const { page, context, close } = await panel.enter(`/panel/files?folder=${folder}`);
  let limit = 1_000_000;
  const sent: number[] = [];
  await context.route("**/files/tus/*", (route) => {
    const size = Number(
      route.request().headers()["content-length"] ?? route.request().postDataBuffer()?.length ?? 0,
    );
    if (route.request().method() === "PATCH") sent.push(size);
    return size > limit ? route.fulfill({ status: 413, body: "<h1>Too large</h1>" }) : route.continue();
  });
  await choose(page, file);
  const uploads = page.getByRole("region", { name: "Uploads" });
  await uploads.getByText("1 upload is done").waitFor();
  expect(await treeOf(folder)).toEqual({ "pieces.bin": "x".repeat(3_000_000) });
  expect(sent.slice(0, 3)).toEqual([3_000_000, 1_500_000, 750_000]);
  limit = 100;
  await choose(page, file);
  await page.getByRole("button", { name: "Keep both" }).click();
  await uploads.getByText("1 upload failed").waitFor();
  await uploads.getByText(/refuses even small parts of a file/).waitFor();
  await close();
});

once("a file that changed since it was chosen fails with what to do, the others arrive", async () => {
  const folder = await me.folder("changed");
  const [file, other] = [join(scratch, "changed.txt"), join(scratch, "stays.txt")];
  for (const path of [file, other]) writeFileSync(path, "as it was chosen");
  const { page, close } = await panel.enter(`/panel/files?folder=${folder}`);
  // Changed when the upload has begun on the server.
  await page.route("**/files/tus", async (route) => {
    writeFileSync(file, "another text with another length");
    await route.continue();
  });
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload", exact: true }).click();
  await page.getByRole("menuitem", { name: "Files" }).click();
  await (await chooser).setFiles([file, other]);
  const uploads = page.getByRole("region", { name: "Uploads" });
  await uploads.getByText("The file has changed or can’t be read any more. Choose it again.").waitFor();
  await until(async () => Object.keys(await treeOf(folder)).length === 1);
  expect(await treeOf(folder)).toEqual({ "stays.txt": "as it was chosen" });
  await close();
});

once("an upload rests while nobody is signed in, and goes on for the same account", async () => {
  const path = join(scratch, "resting.bin");
  writeFileSync(path, randomBytes(5_000_000));
  const { page, complaints, close } = await panel.enter("/panel/files");
  await page.clock.install();
  await page.goto(`${panel.origin}/panel/files`);
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  await page.route(/\/files\/tus\//, async (route) => {
    begun.resolve();
    await end.promise;
    await route.continue().catch(() => {});
  });
  await choose(page, path);
  await begun.promise;
  page.on("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: /Account menu/ }).click();
  await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
  await page.getByLabel("Password", { exact: true }).waitFor();
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  end.resolve();
  await page.clock.runFor(60_000);
  expect(requests).toEqual([]);
  await signInToPanel(page);
  await page.getByRole("grid", { name: "Files" }).getByText("resting.bin").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

once("a copied picture that is pasted becomes an upload, and tiles show pictures that are some", async () => {
  const folder = await me.folder("pasted");
  await me.upload("none.png", "no picture", { folder: `${folder}`, type: "image/png" });
  const { page, context, complaints, close } = await panel.enter(`/panel/files?folder=${folder}`);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("row", { name: /none\.png/ }).waitFor();
  await page.getByRole("button", { name: "Show as tiles" }).click();
  await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(40, 30);
    canvas.getContext("2d")!.fillRect(0, 0, 40, 30);
    await navigator.clipboard.write([new ClipboardItem({ "image/png": await canvas.convertToBlob() })]);
  });
  await page.getByRole("grid").press("Control+v");
  const notice = page.getByRole("alert").filter({ hasText: /Pasted picture .*\.png/ });
  await notice.getByRole("button", { name: "Upload" }).click();
  const tile = (name: string | RegExp) => page.getByRole("gridcell").filter({ hasText: name });
  const sizeOf = (name: string | RegExp) =>
    tile(name)
      .locator("img")
      .evaluate((image: HTMLImageElement) => [image.hidden, image.naturalWidth, image.naturalHeight]);
  await tile(/Pasted picture/).waitFor();
  await until(async () => (await sizeOf(/Pasted picture/))[1] === 40);
  await until(async () => (await sizeOf("none.png"))[0] === true);
  expect(complaints).toEqual([]);
  await close();
});
