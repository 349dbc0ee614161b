/** The page of a drop box in Chromium: with its script, and what a visitor sees. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { CHROMIUM, startChromium } from "./support/chromium.ts";
import { driveClient, type DriveClient } from "./support/drive.ts";
import { startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const MIB = 1024 * 1024;

let installation: Installation;
let server: RunningWaymark;
let me: DriveClient;
let browser: Awaited<ReturnType<typeof startChromium>> | undefined;

beforeAll(async () => {
  let client;
  ({ installation, server, client } = await startSignedIn());
  await client.call("PUT", "/config/api.cookie_secure", { value: false });
  me = driveClient(server.url, client.token);
  if (CHROMIUM !== null) browser = await startChromium();
});
afterAll(async () => {
  await browser?.close();
  await installation?.remove();
});

async function box(input: object = {}) {
  const folder = await me.folder(crypto.randomUUID());
  const limits = {
    title: "Photos of the wedding",
    max_bytes: 64 * MIB,
    max_files: 10,
    max_file_size: 8 * MIB,
  };
  const { body } = await me.call("POST", `/folders/${folder}/drop`, { ...limits, ...input });
  const files = async () =>
    (await me.call("GET", `/folders/${folder}`)).body.data.files as { name: string; size: number }[];
  return { folder, url: body.data.url as string, files };
}

/** Chooses files in the page's form and sends them. */
const choose = (files: readonly { name: string; bytes: number }[]): string => `(() => {
  const chosen = new DataTransfer();
  for (const { name, bytes } of ${JSON.stringify(files)})
    chosen.items.add(new File([new Uint8Array(bytes).fill(120)], name, { lastModified: 1 }));
  const form = document.querySelector("form");
  form.querySelector("input[type=file]").files = chosen.files;
  form.querySelector("input:not([type=file])").value = "Anna";
  form.requestSubmit();
})()`;

test.skipIf(CHROMIUM === null)(
  "the script sends files with progress, and the page then lists them",
  async () => {
    const drop = await box();
    const page = await browser!.page({ width: 390, height: 844, dark: false });
    await page.open(drop.url);
    await page.evaluate(
      choose([
        { name: "one.jpg", bytes: 5 * MIB },
        { name: "no bytes.txt", bytes: 0 },
      ]),
    );
    await until(async () => await page.evaluate<boolean>("location.search === '?sent=1'"), 30_000);
    await until(async () => await page.evaluate<boolean>("document.readyState === 'complete'"), 30_000);
    const text = await page.evaluate<string>("document.querySelector('main').innerText");
    for (const part of ["Your files have arrived", "one.jpg", "5.2\u00a0MB", "no bytes.txt"])
      expect(text).toContain(part);
    expect((await drop.files()).map(({ name, size }) => [name, size])).toEqual([
      ["no bytes.txt", 0],
      ["one.jpg", 5 * MIB],
    ]);
    // The thanks are not for what is refused after them.
    await page.evaluate(choose([{ name: "large.bin", bytes: 9 * MIB }]));
    const shown = () => page.evaluate<string>("document.querySelector('main').innerText");
    await until(async () => (await shown()).includes("larger than allowed here"), 30_000);
    expect(await shown()).not.toContain("Your files have arrived");
    expect(page.complaints).toEqual([]);
    expect(page.requests.every((url) => url.startsWith(server.url))).toBe(true);
  },
  60_000,
);

test.skipIf(CHROMIUM === null)(
  "an upload that broke off goes on when the same file is chosen again",
  async () => {
    const drop = await box();
    const page = await browser!.page({ width: 1280, height: 800, dark: true });
    await page.open(drop.url);
    const file = { name: "long.bin", bytes: 6 * MIB };
    // The page is left after two of six megabytes.
    await page.evaluate(`(async () => {
    const address = (await fetch(location.pathname, { method: "POST", headers: {
      "Tus-Resumable": "1.0.0", "Upload-Length": "${file.bytes}", "Upload-Metadata": "filename " + btoa("${file.name}"),
    } })).headers.get("Location");
    await fetch(address, { method: "PATCH", body: new Uint8Array(${2 * MIB}).fill(120), headers: {
      "Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream",
    } });
    localStorage.setItem(["waymark-drop", location.pathname, "${file.name}", ${file.bytes}, 1].join("|"), address);
  })()`);
    await page.open(drop.url);
    const begun = page.requests.length;
    await page.evaluate(choose([file, { name: "too large.bin", bytes: 9 * MIB }]));
    await until(
      async () =>
        (await page.evaluate<string>("document.querySelector('main').innerText")).includes(
          "larger than allowed",
        ),
      30_000,
    );
    await until(async () => (await drop.files()).length === 1, 30_000);
    expect(await drop.files()).toMatchObject([{ name: "long.bin", size: 6 * MIB }]);
    // One question for the offset and one PATCH: nothing was begun anew.
    expect(page.requests.slice(begun).filter((url) => url.includes("upload=")).length).toBe(2);
    // The page asks for itself once, and lists what was taken.
    await until(
      async () =>
        (await page.evaluate<string>("document.querySelector('h2 + ul')?.innerText ?? ''")).includes(
          "long.bin",
        ),
      30_000,
    );
    expect(page.requests.slice(begun).filter((url) => url === drop.url)).toEqual([drop.url]);
    expect(await page.evaluate<string>("document.querySelector('form button').textContent")).toBe(
      "Send again",
    );
  },
  60_000,
);

test.skipIf(CHROMIUM === null)(
  "the page fits narrow and wide screens in light and dark",
  async () => {
    const drop = await box({
      title: `${"A long title without blanks".replaceAll(" ", "_")} ${"x".repeat(120)}`,
      expires_at: "7d",
    });
    const full = await box({ max_files: 1 });
    const form = new FormData();
    form.append("file", new File(["x"], `${"long_name_".repeat(20)}.txt`));
    expect((await fetch(full.url, { method: "POST", body: form })).status).toBe(201);
    for (const { width, height, dark } of [
      { width: 390, height: 844, dark: false },
      { width: 1280, height: 800, dark: true },
    ]) {
      const page = await browser!.page({ width, height, dark });
      for (const [name, url] of [
        ["open", drop.url],
        ["full", full.url],
      ] as const) {
        await page.open(url);
        expect([
          url,
          await page.evaluate<number>(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth",
          ),
        ]).toEqual([url, 0]);
        const shots = process.env["WAYMARK_TEST_SHOTS"];
        if (shots !== undefined) await page.screenshot(`${shots}/drop-${name}-${width}.png`);
      }
      expect(page.complaints).toEqual([]);
    }
  },
  60_000,
);

test.skipIf(CHROMIUM === null)(
  "a shared folder shows its pictures as tiles, and takes one that is pasted",
  async () => {
    const folder = await me.folder(crypto.randomUUID());
    await me.upload("none.png", "no picture", { folder: `${folder}`, type: "image/png" });
    const { url } = (await me.call("POST", `/folders/${folder}/share`, { add: true })).body.data;
    const page = await browser!.page({ width: 1280, height: 800, dark: false });
    await page.open(url);
    await page.evaluate(`(async () => {
      const canvas = new OffscreenCanvas(40, 30);
      canvas.getContext("2d").fillRect(0, 0, 40, 30);
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([await canvas.convertToBlob()], "image.png", { type: "image/png" }));
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
      document.activeElement.click();
    })()`);
    await until(async () => await page.evaluate<boolean>("location.search === '?sent=1'"), 30_000);
    const tiles = () =>
      page.evaluate<string[]>(
        "[...document.querySelectorAll('.tiles li')].map((tile) => tile.querySelector('bdi').innerText + ' ' + (tile.querySelector('img')?.naturalWidth ?? 'icon'))",
      );
    await until(async () => (await tiles()).some((tile) => tile.endsWith(" 40")), 30_000);
    await until(async () => (await tiles()).some((tile) => tile.endsWith(" icon")), 30_000);
    expect(await tiles()).toEqual(["none.png icon", expect.stringMatching(/^Pasted picture .*\.png 40$/)]);
    expect(page.complaints).toEqual([]);
  },
  60_000,
);
