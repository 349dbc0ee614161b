/** A report of the real program: made, visited, changed and ended over HTTP and on the command line. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Client, whenAllowed } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const AGENT =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
beforeAll(async () => {
  ({ installation, server, client: admin } = await startShared());
});
afterAll(() => installation.remove());

const visit = (path: string, init: RequestInit = {}) =>
  fetch(server.url + path, {
    redirect: "manual",
    ...init,
    headers: { "User-Agent": AGENT, Accept: "text/html", ...init.headers },
  });

test("a report counts the clicks of its links, and its own visits nowhere", async () => {
  await admin.call("POST", "/links", { code: "shown", target: "https://example.com/" });
  await visit("/shown");
  const made = await admin.call("POST", "/analytics/pages", {
    title: "Autumn",
    filter: { code: ["shown"] },
    days: 7,
    code: "autumn-report",
  });
  expect([made.status, made.body.data]).toMatchObject([
    201,
    { code: "autumn-report", title: "Autumn", days: 7, filter: { code: ["shown"] }, paused: false },
  ]);
  const { id } = made.body.data;
  await until(async () => (await (await admin.call("GET", "/links/shown")).body.data.click_count) === 1);
  const page = await visit("/autumn-report");
  expect([page.status, page.headers.get("x-robots-tag")]).toEqual([200, "noindex, nofollow"]);
  expect(await page.text()).toContain("Autumn");
  expect((await visit("/autumn-report?utm_source=x", { method: "HEAD" })).status).toBe(200);
  expect((await visit("/autumn-report", { method: "PUT" })).status).toBe(405);
  expect((await admin.call("GET", "/links/autumn-report/explain")).body.data).toMatchObject({
    target: "report:autumn-report",
    reason: "report",
  });

  const path = `/analytics/pages/${id}`;
  await admin.call("PATCH", path, { password: "a long one", title: "Secret" });
  const locked = await visit("/autumn-report");
  expect([locked.status, (await locked.text()).includes("Secret")]).toEqual([401, false]);
  const body = new URLSearchParams({ password: "a long one" });
  const opened = await whenAllowed(() => visit("/autumn-report", { method: "POST", body }));
  const cookie = opened.headers.get("set-cookie")!.split(";")[0]!;
  expect(await (await visit("/autumn-report", { headers: { cookie } })).text()).toContain("Secret");

  const listed = await installation.run(["reports", "list", "--json"]);
  // Other files of tests make reports, too.
  const own = JSON.parse(listed).reports.filter((one: { id: number }) => one.id === id);
  expect(own).toMatchObject([{ id, title: "Secret", owner: "admin" }]);
  expect((await admin.call("GET", "/links/autumn-report")).body.data.click_count).toBe(0);
  const unknown = await admin.call("PATCH", "/links/shown", { report: { filter: { campaign: "x" } } });
  expect(unknown.status).toBe(400);
  expect((await admin.call("PATCH", path, { target: "https://example.com/" })).body.data.target).toBe(
    "https://example.com/",
  );
  expect((await visit("/autumn-report")).status).toBe(307);
  expect((await admin.call("GET", path)).status).toBe(404);
});

test("tokens need the scopes of links and of analytics", async () => {
  const token = async (scopes: string[]) => {
    const { body } = await admin.call("POST", "/tokens", { name: scopes.join(" "), scopes });
    return (method: string, path: string, json?: object) =>
      fetch(`${server.url}/admin/v1${path}`, {
        method,
        headers: { Authorization: `Bearer ${body.data.token}`, "Content-Type": "application/json" },
        ...(json && { body: JSON.stringify(json) }),
      }).then(({ status }) => status);
  };
  const [links, both] = [await token(["links:write"]), await token(["links:write", "analytics:read"])];
  const report = { title: "By token" };
  expect(await links("POST", "/analytics/pages", report)).toBe(403);
  expect(await both("POST", "/analytics/pages", report)).toBe(201);
  await admin.call("POST", "/links", { code: "turned", target: "https://example.com/" });
  expect(await links("PATCH", "/links/turned", { report: {} })).toBe(403);
  expect(await both("PATCH", "/links/turned", { report: {} })).toBe(200);
});
