/** What visitors see of shares of a running server: pages of files and folders, and of what can't be served. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { driveClient, type DriveClient } from "./support/drive.ts";
import { startShared } from "./support/shared-server.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const CHROME =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const HTML = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const PNG = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
  (letter) => letter.charCodeAt(0),
);
const ICON = Uint8Array.of(0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 32, 0);
const SCANNERS = [
  "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
  "WhatsApp/2.23.20.0",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) SafeLinks/1.0",
];

let installation: Installation;
let server: RunningWaymark;
let me: DriveClient;
beforeAll(async () => {
  const started = await startShared("share-pages");
  ({ installation, server } = started);
  me = driveClient(server.url, started.client.token);
});
afterAll(() => installation.remove());

const upload = async (name: string, bytes: string | Uint8Array<ArrayBuffer>, options = {}): Promise<number> =>
  (await me.upload(name, bytes, options)).body.data.id;
const share = async (kind: "files" | "folders", id: number, input: object = {}): Promise<string> =>
  (await me.call("POST", `/${kind}/${id}/share`, input)).body.data.url;
const downloads = async (id: number): Promise<number> =>
  (await me.call("GET", `/files/${id}/share`)).body.data[0].downloads;

const browse = (url: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
  fetch(url, { redirect: "manual", ...init, headers: { "User-Agent": CHROME, ...HTML, ...headers } });
const htmlOf = async (url: string, headers: Record<string, string> = {}): Promise<string> =>
  (await browse(url, headers)).text();

describe("the page of a shared file", () => {
  test("tells name, kind, size, date, terms and checksum, and leads to the bytes", async () => {
    const id = await upload("figures.xlsx", "x".repeat(1536));
    const url = await share("files", id, { expires_at: "2030-01-02T03:04:00Z", max_downloads: 7 });
    const answer = await browse(url);
    const html = await answer.text();
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
      200,
      "text/html; charset=utf-8",
      "private, no-store",
    ]);
    const { sha256 } = (await me.call("GET", `/files/${id}`)).body.data;
    for (const part of [
      "<h1><bdi>figures.xlsx</bdi></h1>",
      "Spreadsheet\u00a0· 1.5\u00a0kB",
      'datetime="2030-01-02T03:04:00.000Z">Jan 2, 2030',
      "7 of 7",
      `<code>${sha256}</code>`,
      'href="?download=1"',
      '<meta property="og:title" content="figures.xlsx">',
      '<meta property="og:description" content="Spreadsheet · 1.5\u00a0kB">',
    ])
      expect(html).toContain(part);
    expect(await (await browse(`${url}?download=1`)).text()).toBe("x".repeat(1536));
    expect(await htmlOf(url)).toContain("6 of 7");
    expect(await downloads(id)).toBe(1);
  });

  test("names a picture for the cards of link previews, whose programs get it and count as nothing", async () => {
    const id = await upload("view.png", PNG, { type: "image/png" });
    const url = await share("files", id);
    const [, card = ""] = /<meta property="og:image" content="([^"]+)">/.exec(
      await htmlOf(url, { "X-Forwarded-Proto": "https" }),
    )!;
    expect(card).toBe(`${url.replace("http:", "https:")}?thumbnail=1`);
    for (const agent of SCANNERS) {
      const answer = await fetch(card.replace("https:", "http:"), { headers: { "User-Agent": agent } });
      expect(answer.headers.get("content-type")).toBe("image/webp");
      const { width } = await new Bun.Image(await answer.bytes()).metadata();
      expect(width).toBe(1);
    }
    expect(await downloads(id)).toBe(0);
    for (const [name, type, input] of [
      ["limited.png", "image/png", { max_downloads: 3 }],
      ["locked.png", "image/png", { password: "open sesame" }],
      ["drawing.svg", "image/svg+xml", {}],
      ["clip.mp4", "video/mp4", {}],
    ] as const) {
      const other = await share("files", await upload(name, PNG, { type }), input);
      expect([name, (await htmlOf(other)).includes("og:image")]).toEqual([name, false]);
      const [agent] = SCANNERS as [string];
      const answer = await fetch(`${other}?preview=1`, { headers: { "User-Agent": agent } });
      expect([name, answer.headers.get("content-type")]).toEqual([name, "text/html; charset=utf-8"]);
    }
  });

  test("gives crawlers and link previews the bytes of a picture only where its card can name nothing else", async () => {
    const folder = await me.folder("Pictures for crawlers");
    const id = await upload("large.png", PNG, { type: "image/png", folder: String(folder) });
    const icon = await upload("icon.ico", ICON, { type: "image/x-icon", folder: String(folder) });
    const [file, both] = [await share("files", id), await share("folders", folder)];
    const addresses = [`${file}?preview=1`, `${both}?preview=${id}`, `${both}?preview=${icon}`];
    for (const agent of SCANNERS) {
      const typeAt = async (url: string) =>
        (await fetch(url, { headers: { "User-Agent": agent } })).headers.get("content-type");
      for (const url of addresses)
        expect([url, await typeAt(url)]).toEqual([url, "text/html; charset=utf-8"]);
    }
    const url = await share("files", icon);
    expect(await htmlOf(url)).toContain(`content="${url}?preview=1"`);
    const named = await fetch(`${url}?preview=1`, { headers: { "User-Agent": SCANNERS[0]! } });
    expect(named.headers.get("content-type")).toBe("image/x-icon");
  });

  test("has its length in the answer to HEAD", async () => {
    const url = await share("files", await upload("größe.txt", "x"));
    const [page, head] = [await browse(url), await browse(url, {}, { method: "HEAD" })];
    expect(head.headers.get("content-length")).toBe(String((await page.bytes()).length));
  });

  test("is in the visitor's language, numbers and dates too", async () => {
    const id = await upload("bericht.pdf", "x".repeat(2_500_000));
    const url = await share("files", id, { expires_at: "2030-01-02T03:04:00Z" });
    for (const [language, ...parts] of [
      ["de", "PDF-Dokument\u00a0· 2,5\u00a0MB", "02.01.2030", "Herunterladen"],
      ["fr", "Document PDF\u00a0· 2,5\u00a0Mo", "2 janv. 2030", "Télécharger"],
      ["ja", "PDF 文書\u00a0· 2.5\u00a0MB", "2030/01/02", "ダウンロード"],
      ["zh", "PDF 文档\u00a0· 2.5\u00a0MB", "2030年1月2日", "下载"],
    ] as const) {
      const html = await htmlOf(url, { "Accept-Language": language });
      for (const part of [`<html lang="${language}">`, ...parts]) expect(html).toContain(part);
    }
  });

  test("has the share's title as its heading, above the name; entries of a folder have their names", async () => {
    const title = "Plans <of the house>";
    const id = await upload("plan.txt", "plan", { type: "text/plain" });
    const html = await htmlOf(await share("files", id, { title }));
    expect(html).toContain("<title>Plans &lt;of the house&gt; · Waymark</title>");
    expect(html).toContain("<h1><bdi>Plans &lt;of the house&gt;</bdi></h1>");
    expect(html).toContain('<p class="soft"><bdi>plan.txt</bdi>\u00a0· Text\u00a0· 4\u00a0bytes</p>');
    expect(html).toContain('<meta property="og:title" content="Plans &lt;of the house&gt;">');
    expect(html).toContain('<meta property="og:description" content="plan.txt · Text · 4\u00a0bytes">');
    const top = await me.folder("house");
    const inner = await me.folder("cellar", top);
    const file = await upload("cellar.txt", "x", { folder: String(inner), type: "text/plain" });
    const url = await share("folders", top, { title });
    expect(await htmlOf(url)).toContain("<h1><bdi>Plans &lt;of the house&gt;</bdi></h1>");
    const below = [await htmlOf(`${url}?folder=${inner}`), await htmlOf(`${url}?file=${file}&view=1`)];
    expect(below.map((page) => /<h1><bdi>(.*?)</.exec(page)![1])).toEqual(["cellar", "cellar.txt"]);
    for (const page of below)
      expect(page).toContain(`<a href="?folder=${top}"><bdi>Plans &lt;of the house&gt;</bdi></a>`);
    const locked = await share("files", id, { title, password: "open sesame" });
    expect(await (await browse(locked)).text()).not.toContain("Plans");
  });

  test("comes for browsers, previews and scanners; programs get the bytes", async () => {
    const id = await upload("once.txt", "only once", { type: "text/plain" });
    const url = await share("files", id, { max_downloads: 1 });
    for (const agent of SCANNERS) {
      for (const query of ["", "?download=1", "?preview=1"]) {
        const answer = await fetch(url + query, { headers: { "User-Agent": agent } });
        const type = answer.headers.get("content-type");
        expect([agent, query, answer.status, type]).toEqual([agent, query, 200, "text/html; charset=utf-8"]);
        expect(await answer.text()).not.toContain("only once");
      }
    }
    for (const name of ["Sec-Purpose", "Purpose", "X-Moz"]) {
      const answer = await browse(`${url}?download=1`, { [name]: "prefetch" });
      expect(answer.headers.get("content-type")).toStartWith("text/html");
    }
    expect((await browse(url, {}, { method: "HEAD" })).headers.get("content-type")).toStartWith("text/html");
    expect(await downloads(id)).toBe(0);
    const program = await fetch(url, { headers: { "User-Agent": "curl/8.5.0", Accept: "*/*" } });
    expect(await program.text()).toBe("only once");
    const late = await browse(url);
    expect([late.status, await late.text()]).toEqual([410, expect.stringContaining("used up")]);
  });

  test("has no name, size or content before the password is given", async () => {
    const id = await upload("salaries.csv", "name,amount");
    const url = await share("files", id, { password: "open sesame" });
    for (const query of ["", "?download=1", "?preview=1"]) {
      for (const headers of [{}, { "User-Agent": SCANNERS[0]! }]) {
        const answer = await browse(url + query, headers);
        const html = await answer.text();
        expect(answer.status).toBe(401);
        expect(html).not.toMatch(/salaries|amount|11 bytes|Spreadsheet/);
      }
    }
  });
});

describe("a preview", () => {
  const preview = (url: string, dest: string, agent = CHROME) =>
    fetch(`${url}?preview=1`, { headers: { "User-Agent": agent, Accept: "*/*", "Sec-Fetch-Dest": dest } });

  test("is inline under a policy that lets nothing run, and counts as nothing", async () => {
    for (const [name, type, bytes, dest, sent] of [
      ["a.png", "image/png", PNG, "image", "image/png"],
      ["a.txt", "text/plain", "plain", "iframe", "text/plain; charset=utf-8"],
      ["a.md", "text/markdown", "# <script>", "iframe", "text/plain; charset=utf-8"],
      ["a.mp4", "video/mp4", "video", "video", "video/mp4"],
      ["a.mp3", "audio/mpeg", "audio", "audio", "audio/mpeg"],
      ["a.pdf", "application/pdf", "%PDF-1.4", "iframe", "application/pdf"],
    ] as const) {
      const id = await upload(name, bytes, { type });
      const url = await share("files", id);
      const answer = await preview(url, dest);
      expect(new Uint8Array(await answer.arrayBuffer())).toEqual(new Uint8Array(Buffer.from(bytes)));
      expect([answer.status, Object.fromEntries(answer.headers)]).toEqual([
        200,
        expect.objectContaining({
          "content-type": sent,
          "content-length": String(bytes.length),
          "content-disposition": "inline",
          "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'self'",
          "x-content-type-options": "nosniff",
          "cross-origin-resource-policy": "same-origin",
          "cache-control": "private, no-store",
        }),
      ]);
      expect(await downloads(id)).toBe(0);
      expect(await htmlOf(url, { "User-Agent": FIREFOX })).toContain('src="?preview=1"');
    }
  });

  test("is refused for what can hold scripts, whatever its name or type says", async () => {
    for (const [name, type, bytes] of [
      ["a.html", "text/html", "<script>1</script>"],
      ["a.svg", "image/svg+xml", "<svg/>"],
      ["a.xml", "text/xml", "<a/>"],
      ["a.xhtml", "application/xhtml+xml", "<html/>"],
      ["a.xsl", "text/xsl", "<a/>"],
      ["b.png", "image/png", "<svg onload=alert(1)>"],
      ["b.pdf", "application/pdf", "<script>1</script>%PDF-1.4"],
      ["c.png", "image/png", "%PDF-1.4"],
      ["c.pdf", "application/pdf", PNG],
      ["b.txt", "text/plain", "\0<script>"],
      ["c.txt", "text/plain", Buffer.from("UTF-16 without a mark", "utf16le")],
      ["empty.png", "image/png", ""],
    ] as const) {
      const url = await share("files", await upload(name, bytes, { type }));
      const dest = type === "image/png" ? "image" : "iframe";
      expect([name, (await preview(url, dest)).status]).toEqual([name, 404]);
      const html = await htmlOf(url);
      expect([name, html.includes('class="view"'), html.includes("no-pdf")]).toEqual([name, false, false]);
    }
  });

  test("of a PDF needs the sandboxed frame of the page, and none opens as a page of its own", async () => {
    const pdf = await share("files", await upload("x.pdf", "%PDF-1.4", { type: "application/pdf" }));
    for (const dest of ["document", "embed", "object", "empty"])
      expect((await preview(pdf, dest)).status).toBe(404);
    expect((await fetch(`${pdf}?preview=1`)).status).toBe(404);
    expect(await htmlOf(pdf)).toContain("can&#39;t show a PDF");
    expect(await htmlOf(pdf)).not.toContain("<iframe");
    expect(await htmlOf(pdf, { "User-Agent": FIREFOX })).toMatch(/<iframe[^>]* sandbox /);
    const text = await share("files", await upload("x.txt", "text", { type: "text/plain" }));
    const opened = await browse(`${text}?preview=1`, { "Sec-Fetch-Dest": "document" });
    expect(await opened.text()).toContain("<h1><bdi>x.txt</bdi></h1>");
  });

  test("of a long text is its beginning, cut between characters", async () => {
    const url = await share(
      "files",
      await upload("long.txt", `a${"€".repeat(100_000)}`, { type: "text/plain" }),
    );
    const answer = await preview(url, "iframe");
    expect(await answer.text()).toBe(`a${"€".repeat(42_666)}`);
    expect(await htmlOf(url)).toContain("The first 128\u00a0kB of the file.");
  });

  test("of a text in UTF-16 is the text", async () => {
    const bytes = Buffer.from("\ufeffGrüße <b>", "utf16le");
    const url = await share("files", await upload("windows.txt", bytes, { type: "text/plain" }));
    expect(await (await preview(url, "iframe")).text()).toBe("Grüße <b>");
    expect(await htmlOf(url)).toContain('<iframe src="?preview=1"');
  });

  test("serves ranges, so that a video can be searched", async () => {
    const url = await share("files", await upload("x.mp4", "0123456789", { type: "video/mp4" }));
    const part = await fetch(`${url}?preview=1`, {
      headers: { Range: "bytes=4-6", "Sec-Fetch-Dest": "video" },
    });
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
      206,
      "bytes 4-6/10",
      "456",
    ]);
  });

  test("does not exist for a limited share, because it is the content", async () => {
    const url = await share("files", await upload("l.txt", "content", { type: "text/plain" }), {
      max_downloads: 3,
    });
    expect((await preview(url, "iframe")).status).toBe(404);
    expect(await htmlOf(url)).not.toContain("<iframe");
  });
});

describe("the page of a shared folder", () => {
  test("sorts as people do, folders first, by the visitor's alphabet, and leads to pages of files", async () => {
    const top = await me.folder("sorted");
    for (const name of ["b 10", "b 2"]) await me.folder(name, top);
    for (const name of ["z.txt", "ä.txt", "a 10.txt", "a 2.txt", "B.txt"])
      await upload(name, "x", { folder: String(top), type: "text/plain" });
    const url = await share("folders", top);
    const names = async (language: string) =>
      [...(await htmlOf(url, { "Accept-Language": language })).matchAll(/<li><a [^>]*>.*?<bdi>(.*?)</g)].map(
        ([, name]) => name,
      );
    expect(await names("de")).toEqual(["b 2", "b 10", "a 2.txt", "a 10.txt", "ä.txt", "B.txt", "z.txt"]);
    const html = await htmlOf(url);
    expect(html).toContain("2 folders\u00a0· 5 files");
    expect(html).toContain('href="?archive=1">Download all');
    const [, query] = /href="(\?file=\d+&amp;view=1)"/.exec(html)!;
    const view = await htmlOf(url + query!.replace("&amp;", "&"));
    expect(view).toContain("<h1><bdi>a 2.txt</bdi></h1>");
    expect(view).toContain(`<li><a href="?folder=${top}"><bdi>sorted</bdi></a></li>`);
    expect(view).toMatch(/<iframe src="\?preview=\d+"/);
  });

  test("has parts of 500 entries, and says that it is empty", async () => {
    const large = await me.folder("large");
    const ids: number[] = [];
    for (let n = 0; n < 26; n++) {
      const batch = Array.from({ length: 20 }, (_, i) => me.folder(`folder ${n * 20 + i + 1}`, large));
      ids.push(...(await Promise.all(batch)));
    }
    const url = await share("folders", large);
    const first = await htmlOf(url);
    expect(first.match(/<li>/g)).toHaveLength(500);
    expect(first).toContain("1 to 500 of 520");
    const rest = await htmlOf(`${url}?folder=${large}&from=501`);
    expect(rest.match(/<li>/g)).toHaveLength(20);
    expect(rest).toContain("<bdi>folder 520</bdi>");
    expect(rest).toContain(`href="?folder=${large}&amp;from=1"`);
    expect(await htmlOf(await share("folders", ids[0]!))).toContain("This folder is empty.");
  });
});

test("damaged content and what is not there have pages of their own", async () => {
  const id = await upload("broken.bin", "content that is lost");
  const url = await share("files", id);
  const { sha256 } = (await me.call("GET", `/files/${id}`)).body.data;
  const folder = join(installation.dataDir, "files");
  const path = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((name) =>
    name.includes(sha256),
  )!;
  rmSync(join(folder, path));
  const damaged = await browse(`${url}?download=1`, { "Accept-Language": "de" });
  expect([damaged.status, await damaged.text()]).toEqual([
    502,
    expect.stringContaining("Diese Datei ist beschädigt"),
  ]);
  await until(async () => (await downloads(id)) === 0);
  await me.call("DELETE", `/files/${id}`);
  const missing = await browse(`${await share("folders", await me.folder("f"))}?file=4711`);
  expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining("Not found")]);
});

test("a storage whose folder is missing counts as unavailable, and its files as undamaged", async () => {
  const text = await upload("on another disk.txt", "content that comes back", { type: "text/plain" });
  const url = await share("files", text);
  const folder = join(installation.dataDir, "files");
  renameSync(folder, `${folder} unmounted`);
  try {
    for (const step of ["missing", "empty"]) {
      if (step === "empty") mkdirSync(folder);
      expect(await htmlOf(url)).not.toContain('class="view"');
      const away = await browse(`${url}?download=1`);
      expect([away.status, await away.text()]).toEqual([
        502,
        expect.stringContaining("Not reachable just now"),
      ]);
    }
    rmdirSync(folder);
  } finally {
    renameSync(`${folder} unmounted`, folder);
  }
  expect(await (await browse(`${url}?download=1`)).text()).toBe("content that comes back");
});
