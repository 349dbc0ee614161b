/** Detailed logging of the real program with hostile headers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { parse } from "csv-parse/sync";
import { type Client, signIn, startSignedIn } from "./support/session.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1";

let installation: Installation;
let server: RunningWaymark;
let client: Client;

beforeAll(async () => {
  ({ installation, server, client } = await startSignedIn());
  for (const code of ["plain", "proxied", "hostile"])
    await client.call("POST", "/links", { code, target: "https://example.com/" });
  await setConfig("analytics.enable_detailed_logging", "true");
  await setConfig("click.flush_interval", "1");
  await server.stop();
  server = await installation.serve();
  client = await signIn(server.url);
});
afterAll(() => installation.remove());

/** Sends these header lines as bytes. Returns whether the answer was a redirect. */
async function visit(target: string, headers: readonly string[]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let answer = "";
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname, () => {
    const lines = [`GET ${target} HTTP/1.1`, "Host: s.test", "Connection: close", ...headers];
    socket.write(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"));
  });
  socket.on("data", (chunk) => (answer += String(chunk)));
  socket.on("error", () => {});
  socket.on("close", () => resolve());
  await promise;
  return answer.startsWith("HTTP/1.1 307 ");
}

type Row = { short_code: string; referrer: string; source: string; ip_address: string };

async function setConfig(key: string, value: string): Promise<void> {
  expect((await client.call("PUT", `/config/${key}`, { value })).status).toBe(200);
}

async function logged(code: string, rows: number): Promise<Row[]> {
  for (;;) {
    const text = await (await client.fetch("/analytics/export")).text();
    const found = (parse(text, { columns: true }) as Row[]).filter(({ short_code }) => short_code === code);
    if (found.length >= rows) return found;
    await Bun.sleep(100);
  }
}

test("a visit is logged with source and device; a forged X-Forwarded-For is ignored", async () => {
  await visit("/plain?utm_source=news%20letter", [
    "Referer: https://a.example/x",
    `User-Agent: ${IPHONE}`,
    "X-Forwarded-For: 203.0.113.9",
  ]);
  await visit("/plain", ["Referer: https://a.example/x", `User-Agent: ${IPHONE}`]);
  const [first, second] = await logged("plain", 2);
  expect(first).toMatchObject({
    referrer: "https://a.example/x",
    source: "news letter",
    ip_address: "127.0.0.1",
  });
  expect(second).toMatchObject({ source: "ref:a.example", ip_address: "127.0.0.1" });
  const { body } = await client.call("GET", "/links/plain/analytics/devices");
  expect(body.data.devices).toEqual([{ name: "mobile", count: 2, percentage: 100 }]);
});

test("a visit is logged with campaign, language, channel and the rule that decided", async () => {
  await client.call("POST", "/links", {
    code: "ruled",
    target: "https://example.com/?utm_campaign=spring&utm_source=link",
    rules: [
      { if: { language: "fr" }, target: "https://example.com/fr?utm_medium=social" },
      { if: { query: { qr: true } }, target: "https://example.com/qr" },
    ],
  });
  await visit("/ruled?utm_source=poster", ["Accept-Language: de-at,en;q=0.5", "Referer: https://T.co/x"]);
  await visit("/ruled", ["Accept-Language: fr"]);
  await visit("/ruled?qr", []);
  await logged("ruled", 3);
  const text = await (await client.fetch("/analytics/export?columns=all")).text();
  const rows = (parse(text, { columns: true }) as Record<string, string>[]).filter(
    (row) => row["short_code"] === "ruled",
  );
  const shown = [
    "source",
    "referrer_host",
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "language",
    "channel",
    "rule",
  ];
  expect(rows.map((row) => shown.map((name) => row[name]))).toEqual([
    ["poster", "t.co", "poster", "", "spring", "de-AT", "campaign", ""],
    ["direct", "", "", "social", "", "fr", "social", "1"],
    ["direct", "", "", "", "", "", "direct", "2"],
  ]);
});

test("behind a trusted proxy the last forwarded address is logged, none with logging off", async () => {
  await setConfig("api.trusted_proxies", "127.0.0.0/8");
  await visit("/proxied", ["X-Forwarded-For: 1.2.3.4, 203.0.113.9"]);
  await visit("/proxied", ["X-Forwarded-For: <script>"]);
  await setConfig("analytics.enable_ip_logging", "false");
  await visit("/proxied", ["X-Forwarded-For: 203.0.113.9"]);
  const rows = await logged("proxied", 3);
  expect(rows.map(({ ip_address }) => ip_address)).toEqual(["203.0.113.9", "127.0.0.1", ""]);
});

test("headers of any bytes are logged as text that is safe in CSV and spreadsheets", async () => {
  const bytes = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte))
    .filter((c) => !/[\0\r\n]/.test(c))
    .join("");
  const hostile = [
    bytes,
    '=HYPERLINK("http://evil.example")',
    `"',;<script>alert(1)</script>`,
    "https://\xc3\xa9.example/\xf0\x9f\x98\x80",
    "\xff\xfe\xfd",
    `https://a.example/${"x".repeat(7000)}`,
    "https://[::1]:99999/",
    "",
  ];
  let redirected = 0;
  for (const text of hostile)
    redirected += Number(
      await visit("/hostile?utm_source=&utm_campaign=%3D1%2B1&utm_term=%00%0d%40x%ff", [
        `Referer: ${text}`,
        `User-Agent: ${text}`,
        `Accept-Language: ${text}`,
      ]),
    );
  redirected += Number(await visit(`/hostile?utm_source=${"%f0".repeat(400)}`, []));
  redirected += Number(await visit("/hostile?utm_source=%00%0d%0a%22%2c=1", []));
  // Some bytes make a request malformed, which is no visit.
  expect(redirected).toBeGreaterThanOrEqual(hostile.length);
  const rows = await logged("hostile", redirected);
  expect(rows).toHaveLength(redirected);
  for (const row of rows) {
    expect(row.referrer.length).toBeLessThanOrEqual(2049);
    expect(`${row.referrer}${row.source}`).not.toMatch(/[\p{Cc}\ufffd]/u);
    expect(row.referrer).not.toMatch(/^[=+\-@]/);
    expect(row.source).not.toMatch(/^[=+\-@]/);
  }
  const whole = await (await client.fetch("/analytics/export?columns=all")).text();
  const campaigns = (parse(whole, { columns: true }) as Record<string, string>[]).filter(
    ({ short_code, utm_campaign }) => short_code === "hostile" && utm_campaign !== "",
  );
  expect(campaigns).toHaveLength(redirected - 2);
  for (const row of campaigns) {
    expect(row).toMatchObject({
      utm_source: "",
      utm_campaign: "'=1+1",
      utm_term: "'@x",
      channel: "campaign",
    });
    expect(row["language"]).toMatch(/^[\w-]{0,35}$/);
    expect(row["referrer_host"]).not.toMatch(/^[=+\-@]|[\p{Cc}\ufffd]/u);
  }
  const devices = await client.call("GET", "/links/hostile/analytics/devices");
  expect(devices.status).toBe(200);
  const { body } = await client.call("GET", "/links/hostile/analytics");
  expect(body.data.total_clicks).toBe(redirected);
});

test("clicks of a deleted link stay in the export and the top under its code, those just before it too", async () => {
  const make = () => client.call("POST", "/links", { code: "short-lived", target: "https://example.com/" });
  await make();
  await visit("/short-lived?utm_source=first", []);
  // Most likely before the click is counted.
  expect((await client.call("DELETE", "/links/short-lived")).status).toBe(200);
  await make();
  await visit("/short-lived?utm_source=second", []);
  expect((await logged("short-lived", 2)).map(({ source }) => source)).toEqual(["first", "second"]);
  const top = (await client.call("GET", "/analytics/top")).body.data;
  expect(top).toContainEqual(expect.objectContaining({ code: "short-lived", domain: null, clicks: 2 }));
  const link = await client.call("GET", "/links/short-lived/analytics");
  expect(link.body.data.total_clicks).toBe(1);
});
