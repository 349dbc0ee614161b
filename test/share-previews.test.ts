/**
 * Hostile files in every preview, in Chromium: nothing that was uploaded runs or fetches. Each file tries to reach a
 * server that listens for it; the same files from a server without protection do reach it.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Page, startChromium, WHOLE_CHROMIUM } from "./support/chromium.ts";
import { driveClient } from "./support/drive.ts";
import { startShared } from "./support/shared-server.ts";
import { until } from "./support/until.ts";
import type { Installation } from "./support/waymark.ts";

const isRequired = process.env["WAYMARK_TEST_REQUIRE_SERVICES"] === "1";
const WAIT_MS = 400;

let installation: Installation;
let url: string;
let me: ReturnType<typeof driveClient>;
const reached: string[] = [];
/** Takes what the files send, serves them without protection, and frames previews of the share like another site. */
const other = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.startsWith("/reached/")) reached.push(pathname);
    const [type, body] = pages.get(pathname) ?? ["text/html", searchParams.get("html") ?? ""];
    return new Response(body, { headers: { "Content-Type": type } });
  },
});
const pages = new Map<string, [type: string, body: string | Uint8Array<ArrayBuffer>]>();

beforeAll(async () => {
  const started = await startShared();
  installation = started.installation;
  url = started.server.url;
  me = driveClient(url, started.client.token);
});
afterAll(async () => {
  await other.stop(true);
  await installation.remove();
});

const script = (name: string) =>
  `new Image().src='${other.url.origin}/reached/${name}-script';fetch('${other.url.origin}/reached/${name}-fetch',{mode:'no-cors'});top.document.title='taken'`;
const html = (name: string) =>
  `<html><body onload="${script(name)}"><script>${script(name)}</script><img src="${other.url.origin}/reached/${name}-img"></body></html>`;
const svg = (name: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" onload="${script(name)}"><script>${script(name)}</script><image href="${other.url.origin}/reached/${name}-img"/></svg>`;
const xml = (name: string) =>
  `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="${other.url.origin}/reached/${name}-xsl"?><a xmlns:h="http://www.w3.org/1999/xhtml"><h:script>${script(name)}</h:script></a>`;
const pdf = (name: string): string => {
  const objects = [
    "<</Type/Catalog/Pages 2 0 R/OpenAction 4 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>",
    `<</S/JavaScript/JS(app.launchURL\\("${other.url.origin}/reached/${name}-launch"\\))>>`,
  ];
  return `%PDF-1.4\n${objects.map((text, at) => `${at + 1} 0 obj${text}endobj`).join("\n")}\ntrailer<</Root 1 0 R>>\n${html(name)}`;
};
const bytesOf = (...parts: (string | readonly number[])[]) =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part)))),
  );
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Name, types that an uploader may claim, content. */
const hostile = (): [name: string, types: readonly string[], bytes: Uint8Array<ArrayBuffer>][] => [
  ["html", ["text/html", "text/plain", "image/png", "video/mp4", "application/pdf"], bytesOf(html("html"))],
  ["svg", ["image/svg+xml", "image/png", "text/plain", "audio/mpeg"], bytesOf(svg("svg"))],
  ["xml", ["text/xml", "application/xhtml+xml", "text/plain", "application/json"], bytesOf(xml("xml"))],
  ["pdf", ["application/pdf", "text/plain", "image/gif"], bytesOf(pdf("pdf"))],
  ["gif-script", ["image/gif", "text/javascript", "text/plain"], bytesOf("GIF89a=1;", script("gif-script"))],
  ["png-html", ["image/png", "text/html"], bytesOf(PNG, html("png-html"))],
  ["png-pdf", ["image/png", "application/pdf"], bytesOf(PNG, pdf("png-pdf"))],
  ["utf16", ["text/plain", "text/html"], new Uint8Array(Buffer.from(`\ufeff${html("utf16")}`, "utf16le"))],
];

test.skipIf(WHOLE_CHROMIUM === null && !isRequired)("no uploaded file runs or fetches anything", async () => {
  // Its PDF viewer is an extension.
  const browser = await startChromium(WHOLE_CHROMIUM!);
  try {
    const newPage = () => browser.page({ width: 800, height: 600, dark: false });
    const open = async (page: Page, address: string): Promise<void> => {
      await Promise.race([page.open(address), Bun.sleep(5_000)]);
      await Bun.sleep(WAIT_MS);
    };
    const claims = hostile().flatMap(([name, types, bytes]) => types.map((type) => ({ name, type, bytes })));
    const waiting = claims.values();
    const look = async () => {
      const page = await newPage();
      for (const { name, type, bytes } of waiting) {
        const made = await me.upload(`${name} as ${type.replace("/", "-")}`, bytes, { type });
        const { id } = made.body.data;
        const shared: string = (await me.call("POST", `/files/${id}/share`, {})).body.data.url;
        const preview = `${shared}?preview=1`;
        await open(page, shared);
        const title = await page.evaluate<string>("document.title");
        expect([name, type, title]).toEqual([name, type, `${made.body.data.name} · Waymark`]);
        await open(page, preview);
        expect(await page.evaluate("document.title")).toBe(title);
        // The page of another site, which frames and embeds the preview in every way.
        const frames = `<iframe src="${preview}"></iframe><object data="${preview}"></object><embed src="${preview}"><img src="${preview}"><script src="${preview}"></script><link rel="stylesheet" href="${preview}"><video src="${preview}"></video>`;
        await open(page, `${other.url.origin}/frames?html=${encodeURIComponent(frames)}`);
        expect([name, type, reached]).toEqual([name, type, []]);
        expect(page.requests.filter((address) => address.startsWith("chrome-extension:"))).toEqual([]);
        // Chromium's own pages about refused frames have pictures in data: addresses, the viewer of PDF a worker of its own.
        const known = [url, other.url.origin, "data:", "blob:"];
        const strangers = page.requests.filter(
          (address) => !known.some((start) => address.startsWith(start)),
        );
        expect(strangers).toEqual([]);
      }
    };
    // Most of the time is waiting.
    await Promise.all([look(), look(), look(), look()]);
    const page = await newPage();
    // The proof that the files would: without protection they reach the server, and a PDF is shown.
    for (const [name, types, bytes] of hostile().slice(0, 4)) {
      pages.set(`/${name}`, [types[0]!, bytes]);
      await open(page, `${other.url.origin}/${name}`);
      if (name === "pdf") {
        await until(() => page.requests.some((address) => address.startsWith("chrome-extension:")));
      } else {
        await until(() => reached.some((path) => path.startsWith(`/reached/${name}-`)));
      }
    }
  } finally {
    await browser.close();
  }
});
