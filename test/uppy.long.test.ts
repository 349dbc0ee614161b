/** Uppy in Chromium, on a page of another origin, uploads to the API. Its packages are in the folder UPPY_DIR. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHROMIUM, startChromium } from "./support/chromium.ts";
import { type Client, startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const FOLDER = process.env["UPPY_DIR"] ?? "";
const isThere = CHROMIUM !== null && existsSync(join(FOLDER, "node_modules/@uppy/tus"));
if (!isThere) console.log("skipped: Uppy, there is no Chromium or UPPY_DIR is no folder with its packages");

const MIB = 1024 * 1024;
const BYTES = 12 * MIB;
const STORY = `
import Uppy from "@uppy/core";
import Tus from "@uppy/tus";
globalThis.outcome = null;
globalThis.send = ({ name, stopAt, ...options }) => {
  const uppy = new Uppy();
  uppy.use(Tus, { retryDelays: [0, 500, 1000], ...options });
  uppy.on("upload-progress", (_, { bytesUploaded }) => {
    if (bytesUploaded >= stopAt) globalThis.outcome = "stopped";
  });
  const data = new File([new Uint8Array(${BYTES}).fill(120)], name, { type: "text/plain", lastModified: 1 });
  uppy.addFile({ name, type: "text/plain", data, meta: { filename: name, filetype: "text/plain" } });
  uppy.upload().then(
    ({ failed, successful }) => { globalThis.outcome = failed[0]?.error ?? successful[0]?.uploadURL; },
    (error) => { globalThis.outcome = String(error); },
  );
};`;

let installation: Installation;
let server: RunningWaymark;
let client: Client;
let page: Awaited<ReturnType<Awaited<ReturnType<typeof startChromium>>["page"]>>;
let browser: Awaited<ReturnType<typeof startChromium>>;
let site: ReturnType<typeof Bun.serve>;
let scratch: string;

beforeAll(async () => {
  if (!isThere) return;
  ({ installation, server, client } = await startSignedIn());
  scratch = mkdtempSync(join(FOLDER, "story-"));
  writeFileSync(join(scratch, "story.js"), STORY);
  const built = await Bun.build({ entrypoints: [join(scratch, "story.js")], target: "browser" });
  const script = await built.outputs[0]!.text();
  site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) =>
      url.endsWith(".js")
        ? new Response(script, { headers: { "Content-Type": "text/javascript" } })
        : new Response('<!doctype html><script type="module" src="/story.js"></script>', {
            headers: { "Content-Type": "text/html" },
          }),
  });
  const values = { "cors.enabled": "true", "cors.allowed_origins": new URL(site.url).origin };
  expect((await client.call("PATCH", "/config", { values })).status).toBe(200);
  browser = await startChromium();
  page = await browser.page({ width: 800, height: 600, dark: false });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await site?.stop(true);
  await installation?.remove();
  if (isThere) rmSync(scratch, { recursive: true });
});

async function begin(options: object): Promise<void> {
  await page.open(site.url.href);
  await until(async () => await page.evaluate<boolean>("typeof send === 'function'"));
  const headers = { Authorization: `Bearer ${client.token}` };
  const given = { endpoint: `${server.url}/files/tus`, headers, chunkSize: MIB, ...options };
  await page.evaluate(`send(${JSON.stringify(given)})`);
}

async function outcome(): Promise<string> {
  await until(async () => (await page.evaluate("outcome")) !== null, 60_000);
  return page.evaluate<string>("outcome");
}

const stored = async (): Promise<Record<string, unknown>> => {
  const answer = await fetch(`${server.url}/folders`, {
    headers: { Authorization: `Bearer ${client.token}` },
  });
  const { data } = (await answer.json()) as { data: { files: { name: string; size: number }[] } };
  return Object.fromEntries(data.files.map(({ name, size }) => [name, size]));
};

test.skipIf(!isThere)(
  "uploads in pieces, also with the creation",
  async () => {
    await begin({ name: "pieces.bin" });
    expect(await outcome()).toStartWith(`${server.url}/files/tus/`);
    await begin({ name: "early.bin", uploadDataDuringCreation: true });
    expect(await outcome()).toStartWith(`${server.url}/files/tus/`);
    expect(await stored()).toEqual({ "pieces.bin": BYTES, "early.bin": BYTES });
  },
  120_000,
);

test.skipIf(!isThere)(
  "goes on after the page was left",
  async () => {
    await begin({ name: "resumed.bin", chunkSize: MIB, stopAt: 3 * MIB });
    expect(await outcome()).toBe("stopped");
    const before = page.requests.length;
    await begin({ name: "resumed.bin" });
    const address = await outcome();
    expect(await stored()).toMatchObject({ "resumed.bin": BYTES });
    const after = page.requests.slice(before).filter((url) => url.includes("/files/tus"));
    expect([...new Set(after)]).toEqual([address]);
  },
  120_000,
);

test.skipIf(!isThere)(
  "is told that parts in parallel are not supported",
  async () => {
    await begin({ name: "parallel.bin", parallelUploads: 2, retryDelays: [] });
    expect(await outcome()).toContain("Upload-Concat is not supported");
    expect(await stored()).not.toHaveProperty(["parallel.bin"]);
  },
  120_000,
);
