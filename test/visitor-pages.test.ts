/** What visitors see, with the real program on two workers. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CHROMIUM, startChromium } from "./support/chromium.ts";
import { type Client, type Envelope, PASSWORD } from "./support/session.ts";
import { resetSettings, startSharedWorkers } from "./support/shared-server.ts";
import { until } from "./support/until.ts";
import type { RunningWaymark } from "./support/waymark.ts";

const TARGET = "https://secret.example/there";
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const NAVIGATION = {
  Accept: "text/html",
  "Sec-Fetch-Dest": "document",
  "Accept-Language": "fr-CH, fr;q=0.9",
};
const OFF_LOCALHOST = { Accept: "text/html", Host: "go.example:8080", "Accept-Language": "de" };
/** In the page of a drop box whose script uploads. */
const UPLOADS_BY_SCRIPT = "new XMLHttpRequest";

let server: RunningWaymark;
let client: Client;
beforeAll(async () => {
  ({ server, client } = await startSharedWorkers());
  await set("api.trusted_proxies", "127.0.0.1");
});
afterAll(() =>
  resetSettings(client, [
    "api.trusted_proxies",
    "features.instance_name",
    "features.accent_color",
    "features.enforce_link_passwords",
    "api.cookie_secure",
  ]),
);

let addresses = 0;
/** Passwords are limited per address. */
const nextAddress = () => `203.0.113.${++addresses % 250}`;

async function visit(path: string, headers: Record<string, string> = {}, init: RequestInit = {}) {
  const answer = await fetch(server.url + path, {
    redirect: "manual",
    keepalive: false,
    ...init,
    headers: { "User-Agent": BROWSER, Connection: "close", "X-Forwarded-For": nextAddress(), ...headers },
  });
  return { status: answer.status, headers: answer.headers, body: await answer.text() };
}
const set = (key: string, value: string) => client.call("PUT", `/config/${key}`, { value });
const make = (link: Record<string, unknown>) => client.call("POST", "/links", { target: TARGET, ...link });

test("a browser sees a page in its language, everyone else the text, with the same status and cache headers", async () => {
  await make({ code: "pages-later", starts_at: "1h" });
  await make({ code: "pages-once", max_clicks: 1 });
  expect((await visit("/pages-once")).status).toBe(307);
  await make({ code: "pages-old", expires_at: new Date(Date.now() + 700).toISOString() });
  await until(async () => (await visit("/pages-old")).status === 404);
  for (const [path, title] of [
    ["/", "Un service de liens courts"],
    ["/nothing", "Ce lien ne\u00a0mène nulle part"],
    ["/pages-later", "Ce lien ne\u00a0mène nulle part"],
    ["/pages-old", "Ce lien a expiré"],
    ["/pages-once", "Ce lien a atteint sa limite"],
  ] as const) {
    const page = await visit(path, NAVIGATION);
    const plain = await visit(path, { "Accept-Language": "fr" });
    expect([page.status, plain.status, plain.body]).toEqual([404, 404, "Not Found"]);
    for (const part of ["Not Found", '<html lang="fr">', title, "· Waymark</title>"]) {
      expect(page.body).toContain(part);
    }
    for (const name of ["cache-control", "content-type"]) {
      expect(page.headers.get(name)).toBe(plain.headers.get(name));
    }
    expect([page.headers.get("vary"), plain.headers.get("vary")]).toEqual([
      "Sec-Fetch-Dest, Accept-Language",
      null,
    ]);
  }
});

test("name and colour change at once, on every worker", async () => {
  await set("features.instance_name", "Söhne & Co");
  await set("features.accent_color", "#FD0");
  for (let n = 0; n < 6; n++) {
    const { body } = await visit("/nothing", NAVIGATION);
    expect(body).toContain("· Söhne &amp; Co</title>");
    expect(body).toContain("--accent:#ffdd00");
  }
  expect((await set("features.accent_color", "red;}")).status).toBe(400);
  await set("features.accent_color", "#1757c2");
});

test("/favicon.ico and /robots.txt are there, unless a link has that code", async () => {
  const types = async () =>
    Promise.all(
      ["/favicon.ico", "/robots.txt"].map(async (path) => (await visit(path)).headers.get("content-type")),
    );
  expect(await types()).toEqual(["image/png", "text/plain; charset=utf-8"]);
  await make({ code: "robots.txt" });
  expect((await visit("/robots.txt")).headers.get("location")).toBe(TARGET);
  await client.call("DELETE", "/links/robots.txt");
  expect(await types()).toEqual(["image/png", "text/plain; charset=utf-8"]);
});

describe("a cookie that the browser drops", () => {
  const form = (password: string): RequestInit => ({
    method: "POST",
    body: new URLSearchParams({ password }).toString(),
  });
  const type = { "Content-Type": "application/x-www-form-urlencoded" };

  async function call(path: string, body: unknown) {
    const headers = { Authorization: `Bearer ${client.token}`, "Content-Type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return ((await (await fetch(server.url + path, init)).json()) as Envelope).data;
  }

  test("is reported after the right password of a link, share and drop box, instead of asking again", async () => {
    await set("features.enforce_link_passwords", "true");
    await make({ code: "pages-locked", password: "open sesame" });
    const folder = await call("/folders", { name: "papers" });
    const share = await call(`/folders/${folder.id}/share`, { password: "open sesame" });
    const limits = { max_files: 3, max_bytes: 3000 };
    const box = await call(`/folders/${folder.id}/drop`, { password: "open sesame", ...limits });
    for (const path of ["/pages-locked", `/${share.code}`, `/${box.code}`]) {
      const told = await visit(path, { ...OFF_LOCALHOST, ...type }, form("open sesame"));
      expect([told.status, told.headers.get("location")]).toEqual([200, null]);
      expect(told.body).toContain("weil diese Seite ohne HTTPS kam");
      expect(told.body).not.toContain("http-equiv");
      expect(told.body).not.toContain("<form");
      const wrong = await visit(path, { ...OFF_LOCALHOST, ...type }, form("wrong sesame"));
      expect([wrong.status, wrong.body.includes("HTTPS")]).toEqual([403, false]);
      for (const kept of [
        { "X-Forwarded-Proto": "https" },
        { "Sec-Fetch-Site": "same-origin" },
        { Host: "localhost:8080" },
      ]) {
        const { body } = await visit(path, { ...OFF_LOCALHOST, ...type, ...kept }, form("open sesame"));
        expect(body).not.toContain("HTTPS");
      }
      const program = await visit(path, { ...OFF_LOCALHOST, ...type, Accept: "*/*" }, form("open sesame"));
      expect([program.status, program.headers.get("location")]).toEqual([303, path]);
    }
    await set("api.cookie_secure", "false");
    const { body } = await visit("/pages-locked", { ...OFF_LOCALHOST, ...type }, form("open sesame"));
    expect(body).toContain("http-equiv");
    await set("api.cookie_secure", "true");
  });

  test("is reported on a drop box, whose form then works without the script", async () => {
    const folder = await call("/folders", { name: "from strangers" });
    const box = await call(`/folders/${folder.id}/drop`, { max_files: 3, max_bytes: 3000 });
    const path = `/${box.code}`;
    const page = await visit(path, OFF_LOCALHOST);
    expect([page.status, page.body.includes(UPLOADS_BY_SCRIPT)]).toEqual([200, false]);
    expect(page.body).toContain("weil sie ohne HTTPS kam");
    expect((await visit(path, { Accept: "text/html" })).body).toContain(UPLOADS_BY_SCRIPT);
    const body = new FormData();
    body.set("file", new File(["hello"], "hello.txt"));
    const sent = await visit(path, OFF_LOCALHOST, { method: "POST", body });
    expect([sent.status, sent.headers.get("location")]).toEqual([303, `${path}?sent=1`]);
    expect((await visit(`${path}?sent=1`, OFF_LOCALHOST)).body).toContain("weil sie ohne HTTPS kam");
  });

  test("is reported to a browser that signs in", async () => {
    const signIn = async (headers: Record<string, string>) => {
      const init = { method: "POST", body: JSON.stringify({ password: PASSWORD }) };
      const all = { Host: "go.example:8080", "Content-Type": "application/json", ...headers };
      return JSON.parse((await visit("/admin/v1/auth/login", all, init)).body).data.message as string;
    };
    expect(await signIn({ Origin: "http://go.example:8080" })).toContain("not HTTPS");
    expect(await signIn({})).toBe("Signed in");
    const origin = "https://go.example:8080";
    expect(await signIn({ Origin: origin, "X-Forwarded-Proto": "https" })).toBe("Signed in");
  });
});

const isRequired = process.env["WAYMARK_TEST_REQUIRE_SERVICES"] === "1";

test.skipIf(CHROMIUM === null && !isRequired)(
  "Chromium keeps the policy, fits the page and loads nothing from elsewhere",
  async () => {
    await set("features.enforce_link_passwords", "true");
    await make({ code: "pages-form", password: "open sesame" });
    const browser = await startChromium();
    try {
      for (const look of [
        { width: 390, height: 800, dark: true },
        { width: 1280, height: 800, dark: false },
      ]) {
        const page = await browser.page(look);
        for (const [path, title] of [
          ["/nothing", "This link leads nowhere"],
          ["/pages-form", "Password needed"],
        ] as const) {
          await page.open(server.url + path);
          expect(await page.evaluate<string>("document.querySelector('h1').textContent")).toBe(title);
          expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(look.width);
          const shade = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
          expect(shade).toBe(look.dark ? "rgb(20, 23, 26)" : "rgb(245, 246, 248)");
        }
        // Chromium logs the status of a page, and advice.
        expect(page.complaints.filter((text) => !/^verbose|status of 40[14]/.test(text))).toEqual([]);
        expect(page.requests.filter((url) => !url.startsWith(server.url))).toEqual([]);
      }
    } finally {
      await browser.close();
    }
  },
  60_000,
);
