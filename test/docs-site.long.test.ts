/** The built site in a browser: its search finds a page, and nothing is asked of another host. */
import "./support/long.ts";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeSite } from "../scripts/docs.ts";
import { CHROMIUM, startChromium } from "./support/chromium.ts";
import { until } from "./support/until.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-docs-"));
let site: Bun.Server<undefined>;

beforeAll(async () => {
  await makeSite(folder, "/waymark/");
  site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const path = new URL(request.url).pathname.replace("/waymark/", "/").replace(/\/$/, "/index.html");
      return new Response(Bun.file(join(folder, path.includes(".") ? path : `${path}.html`)));
    },
  });
}, 300_000);
afterAll(async () => {
  await site?.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

const isRequired = process.env["WAYMARK_TEST_REQUIRE_SERVICES"] === "1";

test.skipIf(CHROMIUM === null && !isRequired)(
  "search leads to a page, and no other host is asked",
  async () => {
    const browser = await startChromium();
    try {
      const page = await browser.page({ width: 1280, height: 900, dark: false });
      await page.open(`${site.url.origin}/waymark/`);
      await until(() => page.evaluate<boolean>("document.querySelector('.VPSidebar a') !== null"));
      await page.evaluate("document.querySelector('.DocSearch-Button').click()");
      await until(() => page.evaluate<boolean>("document.querySelector('#localsearch-input') !== null"));
      await page.evaluate(`{
      const input = document.querySelector("#localsearch-input");
      input.value = "trusted_proxies";
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }`);
      await until(() =>
        page.evaluate<boolean>("document.querySelector('.results a[href*=\"proxies\"]') !== null"),
      );
      await page.open(`${site.url.origin}/waymark/configuration.html`);
      const others = page.requests.filter(
        (url) => !url.startsWith(site.url.origin) && !url.startsWith("data:"),
      );
      expect(others).toEqual([]);
      expect(page.complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);
