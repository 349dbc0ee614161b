/** The panel under other prefixes, behind a proxy that serves Waymark below a path, in Chromium. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { CHROMIUM } from "../support/chromium.ts";
import { panelOpener, panelOrigin, signInToPanel, startPanelBrowser } from "../support/panel.ts";
import { PANEL_ROUTES } from "../support/panel-routes.ts";
import { PASSWORD } from "../support/session.ts";
import { install } from "../support/waymark.ts";

const CODE = "campaigns/spring/flyer";
const BELOW = "/go";

const installation = install();
let browser: Browser;
let proxy: ReturnType<typeof proxyBelow>;
beforeAll(async () => {
  if (!CHROMIUM) return;
  await installation.run(["reset-password", "--stdin"], PASSWORD);
  await installation.run(["config", "set", "routes.frontend_prefix", "/ui/panel"]);
  await installation.run(["config", "set", "routes.admin_prefix", "/internal/manage"]);
  await installation.run(["links", "add", "https://example.com/flyer", "--code", CODE]);
  proxy = proxyBelow((await installation.serve()).url);
  browser = await startPanelBrowser();
});
afterAll(async () => {
  await browser?.close();
  await proxy?.stop(true);
  await installation.remove();
});

/** Takes the path off and puts it before the cookies' paths, as nginx does with proxy_pass and proxy_cookie_path. */
function proxyBelow(origin: string) {
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (!pathname.startsWith(`${BELOW}/`)) return new Response(null, { status: 404 });
      const { method, body } = request;
      const answer = await fetch(origin + pathname.slice(BELOW.length) + search, {
        method,
        body,
        headers: request.headers,
        redirect: "manual",
        decompress: false,
        signal: request.signal,
      });
      const headers = new Headers(answer.headers);
      headers.delete("set-cookie");
      for (const cookie of answer.headers.getSetCookie())
        headers.append("set-cookie", cookie.replace("Path=/", `Path=${BELOW}/`));
      return new Response(answer.body, { status: answer.status, headers });
    },
  });
}

test.skipIf(!CHROMIUM)("every page loads below the path and asks for nothing outside it", async () => {
  const url = `http://127.0.0.1:${proxy.port}`;
  const at = (route: string): string => `${BELOW}/ui/panel/${route.replace("long/code", CODE)}`;
  const { page, context, complaints, close } = await panelOpener(browser, url)(at("link/long/code"));
  const outside: string[] = [];
  const handling = new Set<string | undefined>();
  page.on("request", (request) => {
    if (request.url().includes("/v1/links?")) handling.add(request.headers()["prefer"]);
    if (!request.url().startsWith(`${panelOrigin(url)}${BELOW}/`)) outside.push(request.url());
  });
  await signInToPanel(page);
  await page.getByRole("heading", { name: CODE }).waitFor();
  // The session is renewed by a cookie whose path is that of the API.
  await context.clearCookies({ name: "svc_access" });
  for (const route of PANEL_ROUTES) {
    await page.goto(panelOrigin(url) + at(route));
    await page.getByRole("heading", { level: 1 }).waitFor();
  }
  expect(outside).toEqual([]);
  expect([...handling]).toEqual(["handling=strict"]);
  expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
  await close();
});
