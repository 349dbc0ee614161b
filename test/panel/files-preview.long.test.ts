/** Previews of the panel in Chromium: what is shown, and that nothing that was uploaded runs or fetches. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import { CHROMIUM } from "../support/chromium.ts";
import { type DriveClient, driveClient } from "../support/drive.ts";
import { expectAccessibleInAllLooks, focused, once, signInToPanel, startPanel } from "../support/panel.ts";
import { middleOf, pdfOf, RED } from "../support/pdf.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
let me: DriveClient;
const reached: string[] = [];
/** The canary: takes what a file sends. */
const canary: Bun.Server<undefined> = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/page/")) {
      return new Response(html(pathname.slice(6)), { headers: { "Content-Type": "text/html" } });
    }
    reached.push(pathname);
    return new Response("");
  },
});
beforeAll(async () => {
  panel = await startPanel();
  me = driveClient(panel.server.url, panel.client.token);
});
afterAll(async () => {
  await canary.stop(true);
  await panel.stop();
});

const script = (name: string) =>
  `fetch('${canary.url.origin}/${name}-script',{mode:'no-cors'});top.document.title='taken'`;
const html = (name: string) =>
  `<html><body onload="${script(name)}"><script>${script(name)}</script><img src="${canary.url.origin}/${name}-img"></body></html>`;
const svg = (name: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" onload="${script(name)}"><script>${script(name)}</script><image href="${canary.url.origin}/${name}-img"/></svg>`;
const xml = (name: string) =>
  `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="${canary.url.origin}/${name}-xsl"?><a xmlns:h="http://www.w3.org/1999/xhtml"><h:script>${script(name)}</h:script></a>`;

/** Name, claimed type, content. */
const hostile = (): [name: string, type: string, content: string | Uint8Array<ArrayBuffer>][] => [
  ["1 page.html", "text/html", html("html")],
  ["2 page as text.txt", "text/plain", html("text")],
  ["3 page as picture.png", "image/png", html("picture")],
  ["4 page as film.mp4", "video/mp4", html("film")],
  ["5 drawing.svg", "image/svg+xml", svg("svg")],
  ["6 drawing as picture.gif", "image/gif", svg("svg-gif")],
  ["7 data.xml", "text/xml", xml("xml")],
  ["8 both.gif", "image/gif", `GIF89a=1;${script("gif")}`],
  ["9 report.pdf", "application/pdf", `%PDF-1.4\n${html("pdf")}`],
];

/** A picture of one pixel. */
function pixel(): Uint8Array<ArrayBuffer> {
  const chunk = (kind: string, data: Uint8Array): Buffer => {
    const body = Buffer.concat([Buffer.from(kind), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(Bun.hash.crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const parts = [
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(Buffer.from([0, 200, 30, 30]))),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return new Uint8Array(Buffer.concat(parts));
}

test.skipIf(!CHROMIUM)("nothing in a previewed file runs or fetches", async () => {
  const folder = await me.folder("hostile");
  for (const [name, type, content] of hostile()) {
    expect((await me.upload(name, content, { folder: `${folder}`, type })).status).toBe(201);
  }
  const { page, close } = await panel.enter(`/panel/files?folder=${folder}`);
  await page.getByRole("link", { name: "1 page.html" }).click();
  const dialog = page.getByRole("dialog");
  for (const [name] of hostile()) {
    await dialog.getByRole("heading", { name, exact: true }).waitFor();
    await dialog.getByText("SHA-256").waitFor();
    if (name.startsWith("2")) await dialog.getByText("top.document.title='taken'").first().waitFor();
    else
      await dialog
        .getByText(/no preview|shows no PDF/)
        .or(dialog.locator("img"))
        .first()
        .waitFor();
    await page.keyboard.press("ArrowRight");
  }
  // Time to do harm. The network counts as busy for ever if the frame of the broken PDF left while it loaded.
  await page.waitForTimeout(1_000);
  expect(await page.title()).not.toBe("taken");
  expect(reached).toEqual([]);
  // The proof that they would: without protection the same page reaches the canary.
  await page.goto(`${canary.url.origin}/page/html`);
  await page.waitForFunction("document.title === 'taken'");
  expect(reached).toContain("/html-script");
  await close();
});

test.skipIf(!CHROMIUM)(
  "pictures and texts are shown with their details; arrows lead on, Escape back",
  async () => {
    const folder = await me.folder("shown");
    const { body } = await me.upload("a picture.png", pixel(), { folder: `${folder}`, type: "image/png" });
    await me.upload("b text.md", "# Title\n<b>not bold</b>", { folder: `${folder}`, type: "text/markdown" });
    await me.upload("c other.bin", "\x00\x01", { folder: `${folder}` });
    const { page, complaints, close } = await panel.enter(`/panel/files?folder=${folder}`);
    await page.getByRole("row").filter({ hasText: "a picture.png" }).waitFor();
    await page.getByRole("grid").focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    const picture = dialog.getByRole("img", { name: "Preview of a picture.png" });
    await picture.waitFor();
    await page.waitForFunction(
      () => document.querySelector<HTMLImageElement>("[role=dialog] img")!.naturalWidth,
    );
    await dialog.getByText(body.data.sha256).waitFor();
    const first = new URL(page.url()).searchParams.get("file");
    expect(first).toBe(String(body.data.id));
    await page.keyboard.press("ArrowRight");
    await dialog.getByText("<b>not bold</b>").waitFor();
    await expectAccessibleInAllLooks(page, "preview");
    await page.keyboard.press("ArrowRight");
    await dialog.getByText("There is no preview of this file.").waitFor();
    const download = page.waitForEvent("download");
    await dialog.getByRole("link", { name: "Download" }).click();
    expect((await download).suggestedFilename()).toBe("c other.bin");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    // Keys go on at the file that was shown last.
    await page.locator("[data-active]").filter({ hasText: "c other.bin" }).waitFor();
    await focused(page.getByRole("grid"));
    // The address of a preview can be sent.
    await page.goto(`${panel.origin}/panel/files?folder=${folder}&file=${first}`);
    await picture.waitFor();
    expect(complaints).toEqual([]);
    await close();
  },
);

once("the owner sees a PDF, in which nothing runs; what is none has no preview", async () => {
  const folder = await me.folder("papers");
  const launch = `app.launchURL('${canary.url.origin}/pdf-script')`;
  const catalog = `/OpenAction<</S/JavaScript/JS(${launch})>>`;
  for (const [name, content] of [
    ["a.pdf", pdfOf({ content: RED, catalog })],
    ["b.pdf", "<html>no paper</html>"],
    ["c.pdf", "%PDF-1.7 with nothing to draw"],
  ] as const) {
    await me.upload(name, content, { folder: `${folder}`, type: "application/pdf" });
  }
  const { page, complaints, close } = await panel.enter(`/panel/files?folder=${folder}`);
  await page.getByRole("link", { name: "a.pdf" }).click();
  const dialog = page.getByRole("dialog");
  const shown = dialog.getByTitle("Preview of a.pdf");
  const frame = (await (await shown.elementHandle())!.contentFrame())!;
  expect(await middleOf(frame)).toEqual([255, 0, 0]);
  await frame.getByRole("img", { name: "Page 1 of 1" }).waitFor();
  expect(await frame.evaluate(() => self.origin)).toBe("null");
  await expectAccessibleInAllLooks(page, "PDF");
  for (const name of ["b.pdf", "c.pdf"]) {
    await dialog.getByRole("button", { name: "The next file" }).click();
    await dialog.getByRole("heading", { name }).waitFor();
    await dialog.getByText("There is no preview of this file.").waitFor();
  }
  expect(reached.filter((path) => path.startsWith("/pdf"))).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)("the list follows what a stranger puts into a drop box", async () => {
  const folder = await me.folder("box");
  const box = (await me.call("POST", `/folders/${folder}/drop`, { max_bytes: 1_000_000, max_files: 10 }))
    .body;
  const { page, context, complaints, close } = await panel.open(`/panel/files?folder=${folder}`);
  // The news begin late.
  const sending = Promise.withResolvers<void>();
  await context.route(/\/folders\/live/, (route) => sending.promise.then(() => route.continue()));
  await signInToPanel(page);
  await page.getByText("This folder is empty.").waitFor();
  const form = new FormData();
  form.append("file", new File(["from a stranger"], "from a stranger.txt"));
  const sent = await fetch(box.data.short_url, {
    method: "POST",
    body: form,
    headers: { Accept: "text/html" },
  });
  expect(sent.ok).toBe(true);
  sending.resolve();
  await page.getByRole("row").filter({ hasText: "from a stranger.txt" }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});
