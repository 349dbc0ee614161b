import { expect, test } from "bun:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { createPanel, type Pack } from "./panel.ts";
import type { PanelIdentity } from "./web-app.ts";

const HTML =
  '<head><!--waymark--><title>a</title><!--/waymark--></head><script type="module" src="./assets/a-1.js"></script>';
const packed = (type: string, text: string) => ({
  type,
  br: brotliCompressSync(text).toString("base64"),
  gzip: gzipSync(text).toString("base64"),
});
const picture = (type: string, text: string) => ({ type, bytes: new TextEncoder().encode(text) });
const PACK: Pack = {
  files: {
    "index.html": packed("text/html; charset=utf-8", HTML),
    "assets/a-1.js": packed("text/javascript; charset=utf-8", "let a = 1;"),
  },
  preloads: { links: ["assets/links-1.js"] },
  catalogs: { en: "assets/en-1.js", de: "assets/de-1.js" },
};

const IDENTITY: PanelIdentity = {
  name: () => 'A "B" <i>&',
  accentColor: () => "#1757c2",
  logo: () => null,
  icon: (pixels, isMaskable = false) => picture("image/png", `${pixels} ${isMaskable}`),
  mark: () => picture("image/svg+xml", "<svg/>"),
};

type Manifest = {
  name: string;
  start_url: string;
  scope: string;
  icons: { src: string; type: string; sizes: string; purpose?: string }[];
  share_target: unknown;
};
type Options = Partial<Parameters<typeof createPanel>[0]>;

function ask(path: string, init: RequestInit = {}, options: Options = {}): Promise<Response> {
  const panel = createPanel({
    prefix: "/panel",
    admin: "/admin",
    isEnabled: () => true,
    isSetUp: () => true,
    asksPasswords: () => false,
    timeZone: () => "UTC",
    ignoresCase: () => true,
    sendsMails: () => false,
    rooms: ["mail"],
    waysToSignIn: () => ({ oidc: "Acme", password: false }),
    identity: IDENTITY,
    isSignedIn: ({ headers }) => headers.has("cookie"),
    mayCall: ({ headers }) => headers.get("cookie")?.includes("access") === true,
    language: () => "de",
    offline: () => ({ html: "<h1>Away</h1>", policy: "default-src 'none'" }),
    read: async () => PACK,
    ...options,
  });
  return panel.respond(new Request(`http://localhost${path}`, init));
}

const HUMAN = { headers: { Accept: "text/html,*/*;q=0.8" } };

test("every address that a person opens shows the page, with addresses relative to it", async () => {
  const bases = { "/panel/": "./", "/panel/links": "./", "/panel/links/a/b?q=1#x": "../../" };
  for (const [path, base] of Object.entries(bases)) {
    const response = await ask(path, HUMAN);
    expect([response.status, response.headers.get("Cache-Control")]).toEqual([200, "no-cache"]);
    const html = await response.text();
    expect(html).toContain(`<base href="${base}" />`);
    expect(html.indexOf("<base")).toBeLessThan(html.indexOf("<script"));
    const [, content] = /name="waymark" content="([^"]+)"/.exec(html)!;
    const place = content!.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
    expect(content).not.toMatch(/[<>]/);
    expect(JSON.parse(place)).toEqual({
      root: "../",
      admin: "/admin",
      instanceName: 'A "B" <i>&',
      accentColor: "#1757c2",
      icons: "1757c2",
      isSetUp: true,
      sendsMails: false,
      rooms: ["mail"],
      asksPasswords: false,
      timeZone: "UTC",
      ignoresCase: true,
      signIn: { oidc: "Acme", password: false },
    });
  }
});

test("the panel is an app: manifest, icons and a worker that keeps one page", async () => {
  const html = await (await ask("/panel/links", HUMAN)).text();
  expect(html).toContain("<title>A &#34;B&#34; &#60;i&#62;&#38;</title>");
  expect(html).toContain('<link rel="icon" href="mark?v=1757c2" />');
  const manifest = await ask("/panel/manifest.webmanifest");
  expect(manifest.headers.get("Content-Type")).toBe("application/manifest+json");
  const { name, icons, share_target: share, ...places } = (await manifest.json()) as Manifest;
  expect([name, places["start_url"], places["scope"]]).toEqual(['A "B" <i>&', "./", "./"]);
  expect(share).toMatchObject({ action: "shared", method: "POST" });
  const texts = { image: "", maskable: "192 true" };
  for (const { src, type, purpose = "image" } of icons) {
    const icon = await ask(`/panel/${src}`);
    expect(icon.headers.get("Content-Type")).toBe(type);
    expect(await icon.text()).toContain(texts[purpose as keyof typeof texts]);
  }
  const worker = await ask("/panel/worker.js");
  expect(worker.headers.get("Cache-Control")).toBe("no-cache");
  expect(await worker.text()).toContain('"<h1>Away</h1>"');

  const logo = { type: "image/webp", width: 100, height: 100, version: "abc" };
  const own = { identity: { ...IDENTITY, logo: () => logo } };
  const { icons: logos } = (await (await ask("/panel/manifest.webmanifest", {}, own)).json()) as Manifest;
  expect(logos).toEqual([{ src: "icon?v=abc", sizes: "100x100", type: "image/webp" }]);
  // Icons are squares.
  const wide = { identity: { ...IDENTITY, logo: () => ({ ...logo, width: 200 }) } };
  const drawn = (await (await ask("/panel/manifest.webmanifest", {}, wide)).json()) as Manifest;
  expect(drawn.icons.map(({ type, purpose }) => [type, purpose])).toEqual([
    ["image/png", undefined],
    ["image/png", "maskable"],
  ]);
});

test("the page tells its language's texts, and to somebody who is signed in its scripts and the account", async () => {
  const signedIn = { headers: { ...HUMAN.headers, Cookie: "session=1; access=1" } };
  const html = await (await ask("/panel/links", signedIn)).text();
  expect(html).toContain('<link rel="modulepreload" href="assets/links-1.js" crossorigin />');
  expect(html).toContain('<link rel="modulepreload" href="assets/de-1.js" crossorigin />');
  const preloaded = (text: string) =>
    [...text.matchAll(/as="fetch" href="([^"]+)"/g)].map(([, href]) => href);
  const rows = "../admin/v1/links?domain=*&#38;page=1&#38;page_size=50&#38;total=false";
  expect(preloaded(html)).toEqual(["../admin/v1/auth/me", rows]);
  for (const path of ["/panel/links?q=a", "/panel/files"])
    expect(preloaded(await (await ask(path, signedIn)).text())).toEqual(["../admin/v1/auth/me"]);
  for (const [path, init] of [
    ["/panel/links", HUMAN],
    ["/panel/links/tags", signedIn],
    ["/panel/constructor", signedIn],
  ] as const)
    expect([path, (await (await ask(path, init)).text()).includes("links-1")]).toEqual([path, false]);
  const expired = { headers: { ...HUMAN.headers, Cookie: "session=1" } };
  for (const init of [HUMAN, expired])
    expect(await (await ask("/panel/links", init)).text()).not.toContain("auth/me");
});

test("a prefix of several segments leads back to the root", async () => {
  const html = await (await ask("/a/b/links", HUMAN, { prefix: "/a/b" })).text();
  expect(html).toContain("&#34;root&#34;:&#34;../../&#34;");
});

test("the policy allows scripts of this server alone", async () => {
  const policy = (await ask("/panel/", HUMAN)).headers.get("Content-Security-Policy")!;
  expect(policy).toContain("default-src 'none'");
  expect(/script-src ([^;]*)/.exec(policy)![1]).toBe("'self'");
  expect(policy).toContain("frame-ancestors 'none'");
});

test("the prefix without a slash leads to the page, also behind a proxy with a path", async () => {
  const response = await ask("/panel?q=1", HUMAN);
  expect([response.status, response.headers.get("Location")]).toEqual([307, "panel/"]);
});

test("files are compressed as the client accepts it, and kept for good", async () => {
  for (const [accepted, encoding] of [
    ["gzip, deflate, br", "br"],
    ["gzip", "gzip"],
    ["identity", null],
  ] as const) {
    const response = await ask("/panel/assets/a-1.js", { headers: { "Accept-Encoding": accepted } });
    expect([response.status, response.headers.get("Content-Encoding")]).toEqual([200, encoding]);
    expect(response.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("Vary")).toBe("Accept-Encoding");
    if (encoding === null) expect(await response.text()).toBe("let a = 1;");
    if (encoding === "gzip") {
      expect(Buffer.from(Bun.gunzipSync(await response.bytes())).toString()).toBe("let a = 1;");
    }
  }
});

test("unknown files are 404, and for programs also where a browser gets the page", async () => {
  for (const path of ["/panel/assets/b.js", "/panel/assets/__proto__", "/panel/assets/../index.html"]) {
    const response = await ask(path, { headers: { Accept: "*/*" } });
    expect([path, response.status]).toEqual([path, 404]);
  }
  expect((await ask("/panel/x")).status).toBe(404);
  expect((await ask("/panel/assets/b.js", HUMAN)).status).toBe(404);
  expect((await ask("/panel/")).status).toBe(200);
});

test("HEAD is handled like GET, for the length; other methods are refused", async () => {
  for (const path of ["/panel/", "/panel/assets/a-1.js"]) {
    const [head, get] = [await ask(path, { method: "HEAD" }), await ask(path)];
    expect([head.status, await head.text()]).toEqual([200, await get.text()]);
  }
  const post = await ask("/panel/", { method: "POST" });
  expect([post.status, post.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
});

test("a panel that is off or not built is 404 with a sentence", async () => {
  expect((await ask("/panel/", HUMAN, { isEnabled: () => false })).status).toBe(404);
  const response = await ask("/panel/", HUMAN, { read: async () => null });
  expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
    404,
    "The panel is not built. Run 'npm run build:panel' on the server.",
  ]);
});
