/** The page of a drop box in Chromium: with its script, and what a visitor sees. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHROMIUM, type Page, startChromium } from "./support/chromium.ts";
import { driveClient, type DriveClient } from "./support/drive.ts";
import type { Client } from "./support/session.ts";
import { resetSettings, startShared } from "./support/shared-server.ts";
import { until } from "./support/until.ts";
import type { RunningWaymark } from "./support/waymark.ts";

const MIB = 1024 * 1024;

let server: RunningWaymark;
let client: Client;
let me: DriveClient;
let browser: Awaited<ReturnType<typeof startChromium>> | undefined;

beforeAll(async () => {
  ({ server, client } = await startShared("drops-browser"));
  await client.call("PUT", "/config/api.cookie_secure", { value: false });
  me = driveClient(server.url, client.token);
  if (CHROMIUM !== null) browser = await startChromium();
});
afterAll(async () => {
  await browser?.close();
  await resetSettings(client, ["api.cookie_secure"]);
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

const CHANGED = "This file has changed or can’t be read any more, so it was not sent. Choose it again.";

const SHOTS = process.env["WAYMARK_TEST_SHOTS"];
const shoot = async (page: Page, name: string): Promise<void> => {
  if (SHOTS !== undefined) await page.screenshot(`${SHOTS}/drop-${name}.png`);
};

/** Refuses larger bodies, as proxies do. */
function proxyTo(url: string, limit: number, onPiece = () => {}) {
  const refused: number[] = [];
  const listener = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    maxRequestBodySize: 1024 * MIB,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const body = await request.bytes();
      if (body.length > proxy.limit) {
        refused.push(body.length);
        return new Response("<h1>413 Request Entity Too Large</h1>", { status: 413 });
      }
      const { method, headers } = request;
      const hasBody = !["GET", "HEAD"].includes(method);
      const answer = await fetch(url + pathname + search, { method, headers, ...(hasBody && { body }) });
      if (method === "PATCH") onPiece();
      return answer;
    },
  });
  const proxy = {
    limit,
    refused,
    at: (address: string) => `http://127.0.0.1:${listener.port}${new URL(address).pathname}`,
    stop: () => listener.stop(true),
  };
  return proxy;
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
    await until(
      async () => await page.evaluate<boolean>("location.search === '?sent=1'").catch(() => false),
      30_000,
    );
    await until(
      async () => await page.evaluate<boolean>("document.readyState === 'complete'").catch(() => false),
      30_000,
    );
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
    expect(
      await page.evaluate<string>("document.querySelector('form > button:not([type])').textContent"),
    ).toBe("Send again");
  },
  60_000,
);

const shownOn = (page: Page) => page.evaluate<string>("document.querySelector('main').innerText");
const PICKER = "input[type=file]";
const SEND = "document.querySelector('form').requestSubmit()";

test.skipIf(CHROMIUM === null)(
  "files that changed, went or were emptied since they were chosen are named, the others arrive",
  async () => {
    const drop = await box();
    const folder = mkdtempSync(join(tmpdir(), "waymark-chosen-"));
    const paths = ["changed.txt", "emptied.txt", "gone.txt", "stays.txt", "void.txt"].map((name) =>
      join(folder, name),
    );
    for (const path of paths) writeFileSync(path, path.endsWith("void.txt") ? "" : "as it was chosen");
    const page = await browser!.page({ width: 390, height: 844, dark: true });
    await page.open(drop.url);
    await page.chooseFiles(PICKER, paths);
    writeFileSync(paths[0]!, "another text with another length");
    writeFileSync(paths[1]!, "");
    rmSync(paths[2]!);
    await page.evaluate(SEND);
    const rows = () =>
      page.evaluate<string[]>("[...document.querySelectorAll('form .files li')].map((row) => row.innerText)");
    const button = () =>
      page.evaluate<string>("document.querySelector('form > button:not([type])').textContent");
    await until(async () => (await button()) === "Send again", 30_000);
    expect((await rows()).map((row) => row.split(/\s*\n/))).toEqual([
      ["changed.txt", CHANGED, "×"],
      ["emptied.txt", CHANGED, "×"],
      ["gone.txt", CHANGED, "×"],
      ["stays.txt", "Arrived"],
      ["void.txt", "Arrived"],
    ]);
    expect((await drop.files()).map(({ name, size }) => [name, size])).toEqual([
      ["stays.txt", 16],
      ["void.txt", 0],
    ]);
    expect(await shownOn(page)).not.toContain("Your files have arrived");
    await shoot(page, "changed-390-dark");
    rmSync(folder, { recursive: true });
    // The box has no upload of them.
    expect(page.requests.filter((url) => url.includes("upload=")).length).toBe(1);
  },
  60_000,
);

test.skipIf(CHROMIUM === null)(
  "a file that changes while it is sent is named, and nothing of it stays",
  async () => {
    const drop = await box();
    const folder = mkdtempSync(join(tmpdir(), "waymark-chosen-"));
    const path = join(folder, "changes.bin");
    writeFileSync(path, new Uint8Array(6 * MIB));
    // The second piece comes when the file is another.
    const proxy = proxyTo(server.url, 4 * MIB, () => writeFileSync(path, new Uint8Array(5 * MIB)));
    const page = await browser!.page({ width: 1280, height: 800, dark: false });
    await page.open(proxy.at(drop.url));
    await page.chooseFiles(PICKER, [path]);
    await page.evaluate(SEND);
    await until(async () => (await shownOn(page)).includes(CHANGED), 30_000);
    expect(await drop.files()).toEqual([]);
    const address = page.requests.find((url) => url.includes("upload="))!;
    const head = { method: "HEAD", headers: { "Tus-Resumable": "1.0.0" } };
    await until(async () => (await fetch(address, head)).status === 404, 30_000);
    await shoot(page, "changes-1280-light");
    rmSync(folder, { recursive: true });
    await proxy.stop();
  },
  60_000,
);

test.skipIf(CHROMIUM === null)(
  "dropped folders keep their folders, and what is listed can be taken out before it is sent",
  async () => {
    const drop = await box({ types: ["txt", "image/*"], require: "email", expires_at: "7d" });
    const folder = mkdtempSync(join(tmpdir(), "waymark-dropped-"));
    mkdirSync(join(folder, "Holidays", "Day 1"), { recursive: true });
    for (const name of ["Holidays/a.txt", "Holidays/Day 1/b.txt", "Holidays/Day 1/c.exe", "beside.txt"])
      writeFileSync(join(folder, name), name);
    for (const look of [
      { width: 390, height: 844, dark: false },
      { width: 1280, height: 800, dark: true },
    ]) {
      const page = await browser!.page(look);
      await page.open(drop.url);
      await page.dropFiles(PICKER, [join(folder, "Holidays"), join(folder, "beside.txt")]);
      const rows = () =>
        page.evaluate<string[]>(
          "[...document.querySelectorAll('form .files li')].map((row) => row.innerText.replace(/\\s*\\n/g, ' · '))",
        );
      await until(async () => (await rows()).length === 4, 30_000);
      expect((await rows()).toSorted()).toEqual([
        "Holidays/Day 1/b.txt · 20\u00a0bytes · ×",
        "Holidays/Day 1/c.exe · 20\u00a0bytes · ×",
        "Holidays/a.txt · 14\u00a0bytes · ×",
        "beside.txt · 10\u00a0bytes · ×",
      ]);
      await shoot(page, `folder-${look.width}-${look.dark ? "dark" : "light"}`);
      await page.evaluate("document.querySelector('button[title=\"Remove beside.txt\"]').click()");
      await page.evaluate("document.querySelector('input[type=email]').value = 'Anna@Example.com'");
      await page.evaluate(SEND);
      await until(async () => (await shownOn(page)).includes("Send again"), 30_000);
      expect((await rows()).filter((row) => !row.endsWith("Arrived"))).toEqual([
        "Holidays/Day 1/c.exe · Files of this kind are not accepted here. Nothing was stored. · ×",
      ]);
      await shoot(page, `folder-sent-${look.width}-${look.dark ? "dark" : "light"}`);
      // Nothing is left that was not sent.
      await page.evaluate("setTimeout(() => document.querySelector('form .files button').click())");
      await until(
        async () => await page.evaluate<boolean>("location.search === '?sent=1'").catch(() => false),
        30_000,
      );
      await until(
        async () => String(await shownOn(page).catch(() => "")).includes("Holidays/Day 1/b.txt"),
        30_000,
      );
      expect(page.complaints.filter((complaint) => !complaint.includes("415"))).toEqual([]);
    }
    expect(await drop.files()).toEqual([]);
    const [holidays] = (await me.call("GET", `/folders/${drop.folder}`)).body.data.folders;
    const { folders, files } = (await me.call("GET", `/folders/${holidays.id}`)).body.data;
    expect([folders, files].map((all) => all.map(({ name }: { name: string }) => name))).toEqual([
      ["Day 1"],
      ["a (2).txt", "a.txt"],
    ]);
    rmSync(folder, { recursive: true });
  },
  60_000,
);

test.skipIf(CHROMIUM === null)(
  "pieces get smaller until a proxy takes them, and a sentence says when it takes none",
  async () => {
    const drop = await box();
    const proxy = proxyTo(server.url, MIB);
    const page = await browser!.page({ width: 1280, height: 800, dark: true });
    await page.open(proxy.at(drop.url));
    await page.evaluate(choose([{ name: "pieces.bin", bytes: 5 * MIB }]));
    await until(
      async () => await page.evaluate<boolean>("location.search === '?sent=1'").catch(() => false),
      30_000,
    );
    expect(await drop.files()).toMatchObject([{ name: "pieces.bin", size: 5 * MIB }]);

    // 5 MiB, a half and a quarter are refused; an eighth passes.
    expect(proxy.refused).toEqual([5 * MIB, 2.5 * MIB, 1.25 * MIB]);
    proxy.limit = 1000;
    await until(
      async () => await page.evaluate<boolean>("document.readyState === 'complete'").catch(() => false),
      30_000,
    );
    await page.open(proxy.at(drop.url));
    await page.evaluate(choose([{ name: "none.bin", bytes: 5 * MIB }]));
    await until(async () => (await shownOn(page)).includes("refuses even small parts of a file"), 30_000);
    await shoot(page, "pieces-1280-dark");
    expect((await drop.files()).length).toBe(1);
    await proxy.stop();
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
        await shoot(page, `${name}-${width}`);
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
    await until(
      async () => await page.evaluate<boolean>("location.search === '?sent=1'").catch(() => false),
      30_000,
    );
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
