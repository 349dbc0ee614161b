/**
 * PDF in the pages of shares, drawn in Chromium by our viewer: nothing of a PDF runs or fetches, and none hangs the
 * page. Pictures and media that can't be shown leave no hole, and times are in the reader's zone.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Frame, Page } from "playwright-core";
import { CHROMIUM } from "./support/chromium.ts";
import { driveClient } from "./support/drive.ts";
import { startPanel } from "./support/panel.ts";
import { middleOf, pdfOf, RED } from "./support/pdf.ts";

const isRequired = process.env["WAYMARK_TEST_REQUIRE_SERVICES"] === "1";

let started: Awaited<ReturnType<typeof startPanel>>;
let me: ReturnType<typeof driveClient>;
beforeAll(async () => {
  started = await startPanel();
  me = driveClient(started.server.url, started.client.token);
});
afterAll(() => started.stop());

let reports = 0;
async function shareOf(content: string, input = {}): Promise<string> {
  const { body } = await me.upload(`report ${++reports}.pdf`, content, { type: "application/pdf" });
  return (await me.call("POST", `/files/${body.data.id}/share`, input)).body.data.url;
}

async function visit(address: string) {
  const opened = await started.open(new URL(address).pathname);
  const requests: string[] = [];
  opened.page.on("request", (request) => requests.push(request.url()));
  return { ...opened, requests };
}

async function frameOf(page: Page): Promise<Frame> {
  const element = await page.locator("figure iframe").elementHandle();
  return (await element!.contentFrame())!;
}

const takesRoom = (element: Element): boolean => element.getBoundingClientRect().width > 0;

test.skipIf(CHROMIUM === null && !isRequired)(
  "a PDF is drawn without its scripts, links and forms, and fetches nothing",
  async () => {
    const script =
      "app.launchURL('https://example.com/launched');this.submitForm('https://example.com/sent')";
    const address = await shareOf(
      pdfOf({
        content: RED,
        catalog: `/OpenAction<</S/JavaScript/JS(${script})>>/AcroForm<</Fields[5 0 R]/CO[5 0 R]>>/AA<</WC<</S/JavaScript/JS(${script})>>>>`,
        page: `/Annots[5 0 R 6 0 R 7 0 R]/AA<</O<</S/URI/URI(https://example.com/opened)>>>>`,
        more: [
          `<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(b)/Rect[0 0 200 200]/AA<</C<</S/JavaScript/JS(${script})>>>>>>`,
          "<</Type/Annot/Subtype/Link/Rect[0 0 200 200]/A<</S/URI/URI(https://example.com/link)>>>>",
          "<</Type/Annot/Subtype/FileAttachment/Rect[0 0 9 9]/FS<</Type/Filespec/FS/URL/F(https://example.com/file)>>>>",
        ],
      }),
      { password: "a good password" },
    );
    const { page, requests, complaints, close } = await visit(address);
    complaints.length = 0;
    await page.getByLabel("Password").fill("a good password");
    await page.getByRole("button", { name: "Open" }).click();
    const frame = await frameOf(page);
    expect(await middleOf(frame)).toEqual([255, 0, 0]);
    await frame.getByRole("img", { name: "Page 1 of 1" }).click();
    expect(await frame.locator("a, input, form, object, embed").count()).toBe(0);
    expect(await frame.evaluate(() => [self.origin, document.title])).toEqual(["null", "PDF"]);
    const refused = await frame.evaluate(async (target) => {
      const tries = [async () => fetch(target), async () => document.cookie, async () => localStorage.length];
      return Promise.all(
        tries.map((attempt) =>
          attempt().then(
            () => "done",
            () => "refused",
          ),
        ),
      );
    }, `${address}?download=1`);
    expect(refused).toEqual(["refused", "refused", "refused"]);
    expect(requests.filter((url) => !url.startsWith(started.origin) && !url.startsWith("blob:"))).toEqual([]);
    expect(page.url()).toBe(started.origin + new URL(address).pathname);
    expect(await page.locator(".no-pdf").isVisible()).toBe(false);
    const bytes = requests.filter((url) => url.includes("preview="));
    expect(bytes).toHaveLength(1);
    expect((await me.call("GET", `/shares${new URL(address).pathname}`)).body.data.downloads).toBe(0);
    await close();
  },
);

test.skipIf(CHROMIUM === null && !isRequired)("what is no PDF leaves the sentence", async () => {
  const noPdf = await visit(await shareOf("%PDF-1.7\nnothing that could be drawn"));
  await noPdf.page.locator(".no-pdf").waitFor();
  await noPdf.close();
});

// Drawing until the limit takes a core for as long.
test.skipIf(CHROMIUM === null)(
  "what never ends leaves the sentence and a page that answers",
  async () => {
    // Each form draws the next one ten times: 10^9 rectangles.
    const forms = Array.from({ length: 10 }, (_, level) => {
      const content = level === 9 ? RED : "/F Do ".repeat(10);
      return `<</Type/XObject/Subtype/Form/BBox[0 0 200 200]/Resources<</XObject<</F ${level + 6} 0 R>>>>/Length ${content.length}>>stream\n${content}\nendstream`;
    });
    const bomb = pdfOf({ content: "/F Do", page: "/Resources<</XObject<</F 5 0 R>>>>", more: forms });
    const { page, close } = await visit(await shareOf(bomb));
    await page.locator("figure iframe").waitFor();
    await page.locator(".no-pdf").waitFor({ timeout: 90_000 });
    expect(await page.locator("iframe").count()).toBe(0);
    expect(await page.evaluate(() => 6 * 7)).toBe(42);
    await close();
  },
  180_000,
);

test.skipIf(CHROMIUM === null && !isRequired)(
  "what only claims to be a picture, video or sound leaves no broken picture and no empty player",
  async () => {
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    for (const [name, type, content, tag] of [
      ["a.png", "image/png", Buffer.from(png, "base64"), "img"],
      ["cut.png", "image/png", Buffer.from(png, "base64").subarray(0, 20), null],
      ["words.mp4", "video/mp4", "words", null],
      ["words.mp3", "audio/mpeg", "words", null],
    ] as const) {
      const { body } = await me.upload(name, content, { type });
      const { page, close } = await visit(
        (await me.call("POST", `/files/${body.data.id}/share`, {})).body.data.url,
      );
      if (tag === null) await page.locator(".view").waitFor({ state: "detached" });
      else expect(await page.locator(`.view ${tag}`).evaluate(takesRoom)).toBe(true);
      await page.getByRole("link", { name: "Download" }).waitFor();
      await close();
    }
  },
);

test.skipIf(CHROMIUM === null && !isRequired)(
  "times of shares and drop boxes are in the reader's zone, in the page's language",
  async () => {
    const folder = await me.folder("times");
    const expires_at = "2030-01-02T20:30:00Z";
    const limits = { max_bytes: 1_000, max_files: 1 };
    for (const [path, input] of [
      [`/folders/${folder}/share`, {}],
      [`/folders/${folder}/drop`, limits],
    ] as const) {
      const { body } = await me.call("POST", path, { ...input, expires_at });
      const { page, context, complaints, close } = await visit(body.data.url);
      const cdp = await context.newCDPSession(page);
      await cdp.send("Emulation.setTimezoneOverride", { timezoneId: "Asia/Tokyo" });
      await page.reload();
      await page.getByText("Jan 3, 2030, 5:30 AM", { exact: true }).waitFor();
      expect(complaints).toEqual([]);
      await close();
    }
  },
);

test("the viewer is a document without origin that a browser keeps; without it the page has its sentence", async () => {
  const address = await shareOf(pdfOf({ content: RED }));
  const html = await (
    await fetch(address, { headers: { Accept: "text/html", "User-Agent": "Mozilla/5.0 Chrome/140.0" } })
  ).text();
  expect(html).toContain('<p class="soft say no-pdf">');
  expect(html).toMatch(/<figure class="view" hidden /);
  const viewer = /data-viewer="(\?viewer=[^"]+)"/.exec(html)![1]!;
  const answer = await fetch(address + viewer);
  expect([answer.status, answer.headers.get("content-encoding")]).toEqual([200, "gzip"]);
  expect(answer.headers.get("cache-control")).toContain("immutable");
  const policy = answer.headers.get("content-security-policy")!;
  expect(policy).toStartWith(
    "sandbox allow-scripts; default-src 'none'; script-src 'wasm-unsafe-eval' 'sha256-",
  );
  expect(policy).not.toMatch(/unsafe-inline|unsafe-eval'(?!.)|connect-src|'self'(?!$)/);
  const plain = await fetch(address + viewer, { headers: { "Accept-Encoding": "identity" } });
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect(await plain.text()).toBe(await answer.text());
  const others = await fetch(address, {
    headers: { Accept: "text/html", "User-Agent": "Gecko Firefox/140.0" },
  });
  expect(await others.text()).not.toContain("viewer=");
  // Bytes for a script of the same site only.
  const asked = async (site: string) =>
    (
      await fetch(`${address}?preview=1`, {
        headers: { "Sec-Fetch-Dest": "empty", "Sec-Fetch-Site": site, "Accept-Encoding": "identity" },
      })
    ).headers.get("content-type");
  expect(await asked("same-origin")).toBe("application/pdf");
  expect(await asked("cross-site")).toStartWith("text/html");
});
