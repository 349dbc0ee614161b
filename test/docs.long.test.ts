/** The page of the API: all of it comes from this server, under a strict policy. In Chromium where there is one. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { CHROMIUM, startChromium } from "./support/chromium.ts";
import { startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import { type Installation, install, type RunningWaymark } from "./support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;

beforeAll(async () => {
  ({ installation, server } = await startSignedIn());
});
afterAll(() => installation.remove());

const DOCS = "/admin/v1/docs";

test("the page and its files need no sign-in and are kept by browsers", async () => {
  const page = await fetch(server.url + DOCS);
  const html = await page.text();
  expect([page.status, page.headers.get("Content-Type")]).toEqual([200, "text/html; charset=utf-8"]);
  const policy = page.headers.get("Content-Security-Policy")!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toContain("unsafe");
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|style=|https?:/);
  const files = [...html.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map((match) => match[1]!);
  expect(files).toHaveLength(4);
  for (const file of files) {
    const sizes: number[] = [];
    for (const encoding of ["gzip", "identity"]) {
      const answer = await fetch(`${server.url}/admin/v1/${file}`, {
        headers: { "Accept-Encoding": encoding },
        decompress: false,
      });
      const bytes = await answer.bytes();
      sizes.push(bytes.length);
      expect([file, answer.status, answer.headers.get("Content-Encoding")]).toEqual([
        file,
        200,
        encoding === "gzip" ? "gzip" : null,
      ]);
      expect(answer.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
      expect(answer.headers.get("Vary")).toBe("Accept-Encoding");
      expect(answer.headers.get("Content-Type")).toMatch(/^text\/(css|javascript); charset=utf-8$/);
    }
    expect(sizes[0]).toBeLessThan(sizes[1]!);
  }
  const [version] = files[0]!.split("/").slice(1);
  for (const path of [
    "other/docs.css",
    `${version}/none.css`,
    `${version}/docs.css/x`,
    `${version}/__proto__`,
    "..",
  ])
    expect([path, (await fetch(`${server.url}${DOCS}/${path}`)).status]).toEqual([path, 404]);
});

test("page and document are 404 while the admin API is off", async () => {
  const fresh = install();
  try {
    const closed = await fresh.serve();
    for (const path of [DOCS, "/admin/v1/openapi.json"])
      expect([path, (await fetch(closed.url + path)).status]).toEqual([path, 404]);
  } finally {
    await fresh.remove();
  }
});

/** Scrolls half a page on, from the end to the top, and tells the operations that are drawn. */
const LOOK_ON = `
  scrollTo(0, scrollY + innerHeight >= document.documentElement.scrollHeight - 1 ? 0 : scrollY + innerHeight / 2);
  [...document.querySelectorAll(".opblock")].map(({ id }) => id)`;

const isRequired = process.env["WAYMARK_TEST_REQUIRE_SERVICES"] === "1";

test.skipIf(CHROMIUM === null && !isRequired)(
  "Chromium shows every operation, asks no other host and finds the policy kept",
  async () => {
    const document = (await (await fetch(`${server.url}/admin/v1/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { tags: string[]; operationId: string }>>;
    };
    const operations = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .map(({ tags, operationId }) => `operations-${tags[0]}-${operationId}`);
    const browser = await startChromium();
    try {
      const page = await browser.page({ width: 390, height: 844, dark: true });
      await page.open(server.url + DOCS);
      const count = (selector: string) =>
        page.evaluate<number>(`document.querySelectorAll(${JSON.stringify(selector)}).length`);
      // Of many operations Swagger UI draws those in sight.
      const seen = new Set<string>();
      const lookOn = async () => {
        for (const id of await page.evaluate<string[]>(LOOK_ON)) seen.add(id);
      };
      await until(() => lookOn().then(() => operations.every((id) => seen.has(id))));
      await until(() => lookOn().then(async () => (await count("#operations-links-createLink")) === 1));
      await page.evaluate(
        `document.querySelector("#operations-links-createLink .opblock-summary-control").click()`,
      );
      await until(
        async () =>
          (await count(
            "#operations-links-createLink .microlight, #operations-links-createLink .highlight-code",
          )) > 2,
        60_000,
      );
      expect(await page.evaluate("document.documentElement.classList.contains('dark-mode')")).toBe(true);
      const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect(await page.evaluate<number>(overflow)).toBe(0);
      const others = page.requests.filter((url) => !url.startsWith(`${server.url}/admin/v1/`));
      expect(others.filter((url) => !url.startsWith("data:"))).toEqual([]);
      expect(page.requests.length).toBeGreaterThanOrEqual(6);
      expect(page.complaints).toEqual([]);
      // The policy is in force, and a violation would have been seen.
      await page.evaluate("document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:9/' }))");
      await until(() => page.complaints.some((complaint) => complaint.includes("img-src")));
    } finally {
      await browser.close();
    }
  },
);
