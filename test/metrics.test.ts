/** Every metric of the specification, read by a Prometheus parser and moved by real operations. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type DriveClient, driveClient } from "./support/drive.ts";
import { missingParser, parseExposition } from "./support/prometheus.ts";
import { type Client, startSignedIn } from "./support/session.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const DEPLOY = join(import.meta.dir, "..", "deploy");
const RULES = "prometheus/rules.yaml";
const DASHBOARD = "grafana/waymark.json";
const TOKEN = "a-token-for-monitors";
/** They have series with certificates only; src/lib/certificate.test.ts has some. */
const OF_TLS = ["svc_certificate_expiry_timestamp_seconds", "svc_certificate_trouble"];

let installation: Installation;
let server: RunningWaymark;
let client: Client;
let drive: DriveClient;

beforeAll(async () => {
  ({ installation, server, client } = await startSignedIn({
    WAYMARK__CLICKHOUSE__URL: "http://127.0.0.1:1/",
  }));
  drive = driveClient(server.url, client.token);
  await client.call("PUT", "/config/api.health_token", { value: TOKEN });
  await client.call("PUT", "/config/click.flush_interval", { value: "1" });
  await client.call("POST", "/links", { code: "measured", target: "https://example.com/" });
});
afterAll(() => installation.remove());

const scrapeText = async (): Promise<string> => {
  const answer = await fetch(`${server.url}/health/metrics`, {
    headers: { Authorization: `Bearer ${TOKEN}` },
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  return answer.text();
};

/** The value of a series, or the count of a histogram; 0 when it does not exist yet. */
async function read(name: string, labels: Record<string, string> = {}): Promise<number> {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const line = (await scrapeText())
    .split("\n")
    .find(
      (text) => new RegExp(`^${name}(_count)?[{ ]`).test(text) && wanted.every((pair) => text.includes(pair)),
    );
  return Number(line?.split(" ").at(-1) ?? 0);
}

async function grows(
  name: string,
  labels: Record<string, string>,
  act: () => Promise<unknown>,
): Promise<void> {
  const before = await read(name, labels);
  await act();
  // Flushes and jobs take a moment; the test's time limit bounds the wait.
  while ((await read(name, labels)) <= before) await Bun.sleep(50);
}

const visit = (path: string) => fetch(server.url + path, { redirect: "manual" });
const withToken = (token: string) =>
  fetch(`${server.url}/admin/v1/stats`, { headers: { Authorization: `Bearer ${token}` } });

const SPECIFIED: readonly [name: string, type: string, labels: readonly string[]][] = [
  ["svc_http_request_duration_seconds", "histogram", ["method", "endpoint", "status"]],
  ["svc_http_requests_total", "counter", ["method", "endpoint", "status"]],
  ["svc_http_active_connections", "gauge", []],
  ["svc_db_query_duration_seconds", "histogram", ["operation"]],
  ["svc_db_queries_total", "counter", ["operation"]],
  ["svc_cache_operation_duration_seconds", "histogram", ["operation", "layer"]],
  ["svc_cache_entries", "gauge", ["layer"]],
  ["svc_cache_hits_total", "counter", ["layer"]],
  ["svc_cache_misses_total", "counter", ["layer"]],
  ["svc_redirects_total", "counter", ["status"]],
  ["svc_clicks_buffer_entries", "gauge", []],
  ["svc_clicks_flush_total", "counter", ["trigger", "status"]],
  ["svc_clicks_channel_dropped", "counter", ["reason"]],
  ["svc_auth_failures_total", "counter", ["method"]],
  ["svc_bloom_filter_false_positives_total", "counter", []],
  ["svc_uptime_seconds", "gauge", []],
  ["svc_process_memory_bytes", "gauge", ["type"]],
  ["svc_process_cpu_seconds", "gauge", []],
  ["svc_build_info", "gauge", ["version"]],
  ["svc_storage_operations_total", "counter", ["driver", "operation", "status"]],
  ["svc_storage_operation_duration_seconds", "histogram", ["driver", "operation"]],
];

describe("the specified metrics", () => {
  const missing = missingParser();
  test.skipIf(missing !== null)(
    `are all present with their types and labels${missing === null ? "" : ` (${missing})`}`,
    async () => {
      await visit("/measured");
      await withToken("wrong");
      await drive.upload("specified.txt", "hello");
      const families = new Map(parseExposition(await scrapeText()).map((family) => [family.name, family]));
      for (const [name, type, labels] of SPECIFIED) {
        // The parser strips `_total` from the family's name and keeps it in the samples.
        const family = families.get(name) ?? families.get(name.replace(/_total$/, ""));
        expect([name, family?.type]).toEqual([name, type]);
        expect(family!.help).not.toBe("");
        const used = new Set(
          family!.samples.flatMap((sample) => Object.keys(sample.labels).filter((label) => label !== "le")),
        );
        expect([name, [...used].sort()]).toEqual([name, [...labels].sort()]);
      }
    },
  );

  test.each([
    ["svc_redirects_total", { status: "307" }, () => visit("/measured")],
    ["svc_redirects_total", { status: "404" }, () => visit("/no-such-code")],
    [
      "svc_http_requests_total",
      { method: "GET", endpoint: "redirect", status: "307" },
      () => visit("/measured"),
    ],
    [
      "svc_http_requests_total",
      { method: "GET", endpoint: "admin", status: "200" },
      () => client.call("GET", "/stats"),
    ],
    ["svc_http_requests_total", { method: "GET", endpoint: "health", status: "401" }, () => visit("/health")],
    [
      "svc_http_requests_total",
      { method: "GET", endpoint: "frontend", status: "404" },
      () => visit("/panel/x"),
    ],
    ["svc_http_request_duration_seconds", { endpoint: "redirect", status: "307" }, () => visit("/measured")],
    ["svc_cache_hits_total", { layer: "object_cache" }, () => visit("/measured")],
    ["svc_cache_hits_total", { layer: "bloom_filter" }, () => visit("/surely-not-there")],
    ["svc_cache_misses_total", { layer: "object_cache" }, () => visit("/surely-not-there")],
    ["svc_db_queries_total", { operation: "get" }, () => client.call("GET", "/links/measured")],
    ["svc_db_queries_total", { operation: "get_stats" }, () => client.call("GET", "/stats")],
    ["svc_db_queries_total", { operation: "paginated_query" }, () => client.call("GET", "/links")],
    [
      "svc_db_queries_total",
      { operation: "count" },
      () =>
        client.call(
          "GET",
          `/links?created_after=2001-01-01T00:00:00.${Math.floor(Math.random() * 900 + 100)}Z`,
        ),
    ],
    ["svc_db_query_duration_seconds", { operation: "get" }, () => client.call("GET", "/links/measured")],
    ["svc_auth_failures_total", { method: "bearer" }, () => withToken("forged")],
    ["svc_clicks_flush_total", { trigger: "interval", status: "success" }, () => visit("/measured")],
    ["svc_clicks_total", { state: "stored" }, () => visit("/measured")],
    [
      "svc_cache_operation_duration_seconds",
      { operation: "get", layer: "object_cache" },
      () => Promise.all(Array.from({ length: 64 }, () => visit("/measured"))),
    ],
    [
      "svc_cache_entries",
      { layer: "object_cache" },
      async () => {
        await client.call("POST", "/links", { code: "another", target: "https://example.com/" });
        await visit("/another");
      },
    ],
  ] as const)("%s %p moves", async (name, labels, act) => {
    await grows(name, labels, act);
  });

  test("links with waiting clicks are counted until the clicks are stored", async () => {
    await client.call("POST", "/links", { code: "waiting", target: "https://example.com/" });
    // Clicks of earlier tests are stored first.
    while ((await read("svc_clicks_buffer_entries")) !== 0) await Bun.sleep(50);
    await client.call("PUT", "/config/click.flush_interval", { value: "3600" });
    for (const path of ["/measured", "/waiting", "/measured"]) await visit(path);
    while ((await read("svc_clicks_buffer_entries")) !== 2) await Bun.sleep(50);
    await client.call("PUT", "/config/click.flush_interval", { value: "1" });
    while ((await read("svc_clicks_buffer_entries")) !== 0) await Bun.sleep(50);
  });

  test("storage operations are counted, successful and failed ones", async () => {
    const total = (operation: string, status: string) =>
      ["svc_storage_operations_total", { driver: "local", operation, status }] as const;
    const time = (operation: string) =>
      ["svc_storage_operation_duration_seconds", { driver: "local", operation }] as const;
    let file = 0;
    const upload = async () => {
      file = (await drive.upload(`${crypto.randomUUID()}.txt`, crypto.randomUUID())).body.data.id;
    };
    const download = async () => (await drive.send(`/files/${file}/download`)).arrayBuffer();
    const remove = () => drive.call("DELETE", `/files/${file}`);

    for (const operation of ["write", "finish"]) {
      await grows(...total(operation, "success"), upload);
      await grows(...time(operation), upload);
    }
    await grows(...total("read", "success"), download);
    await grows(...time("read"), download);
    await grows(...total("delete", "success"), remove);
    await upload();
    await grows(...time("delete"), remove);

    await upload();
    rmSync(join(installation.dataDir, "files"), { recursive: true });
    expect(await read(...total("read", "failed"))).toBe(0);
    await grows(...total("read", "failed"), download);
  });

  test("books, memory, uptime and version are plausible", async () => {
    expect(await read("svc_process_memory_bytes", { type: "rss" })).toBeGreaterThan(20e6);
    expect(await read("svc_process_memory_bytes", { type: "virtual" })).toBeGreaterThan(20e6);
    expect(await read("svc_process_cpu_seconds")).toBeGreaterThan(0);
    expect(await read("svc_uptime_seconds")).toBeGreaterThan(0);
    expect(await read("svc_build_info")).toBe(1);
    expect(await read("svc_clicks_journal_bytes")).toBeGreaterThan(0);
    expect(await read("svc_http_active_connections")).toBeGreaterThanOrEqual(1);
  });

  test("no request creates a series of its own", async () => {
    const lines = (await scrapeText()).split("\n").length;
    for (let at = 0; at < 50; at++) await fetch(`${server.url}/x`, { method: `M${at}` });
    expect((await scrapeText()).split("\n").length).toBeLessThan(lines + 40);
  });
});

describe("dashboard and alerts", () => {
  const textOf = (file: string): string => readFileSync(join(DEPLOY, file), "utf8").replaceAll('\\"', '"');
  const familyOf = (name: string): string => name.replace(/_(bucket|sum|count)$/, "");
  /** The lines of one metric, without metrics that share its prefix. */
  const seriesOf = (text: string, name: string): string[] =>
    text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));

  test("name only existing metrics, labels and values", async () => {
    // Some series appear at their first event: refused passwords, storage durations.
    await drive.upload("for-the-dashboard.txt", "hello");
    await fetch(`${server.url}/admin/v1/auth/login`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ password: "wrong" }),
    });
    await visit("/measured");
    const text = await scrapeText();
    for (const file of [RULES, DASHBOARD]) {
      const named = textOf(file).match(/\bsvc_[a-z_]+/g) ?? [];
      expect(named.length).toBeGreaterThan(3);
      const unknown = named.filter((name) => !OF_TLS.includes(name) && seriesOf(text, name).length === 0);
      expect([file, unknown]).toEqual([file, []]);
      for (const [, name, selectors] of textOf(file).matchAll(/\b(svc_[a-z_]+)\{([^}]*)\}/g)) {
        for (const [selector, label, value] of selectors!.matchAll(/(\w+)=~?"([^"]*)"/g)) {
          // Added by Prometheus.
          if (label === "instance") continue;
          const wanted = new RegExp(`[{,]${label}="(${value})"`);
          const found = seriesOf(text, name!).filter((line) => wanted.test(line));
          expect([file, name, selector, found.length > 0]).toEqual([file, name, selector, true]);
        }
      }
    }
  });

  test("an alert counts every status of a redirect that failed", async () => {
    const alert = textOf(RULES).match(/svc_redirects_total\{status=~"([^"]*)"\}/)?.[1] ?? "";
    const statuses = seriesOf(await scrapeText(), "svc_redirects_total").map(
      (line) => line.match(/status="(\d+)"/)?.[1] ?? "",
    );
    const failures = statuses.filter((status) => status >= "500");
    expect(failures.toSorted()).toEqual(["500", "503"]);
    expect(failures.filter((status) => !new RegExp(`^(${alert})$`).test(status))).toEqual([]);
  });

  test("the dashboard shows every metric", async () => {
    const shown = new Set((textOf(DASHBOARD).match(/\bsvc_[a-z_]+/g) ?? []).map(familyOf));
    const exposed = (await scrapeText()).match(/(?<=^# TYPE )\S+/gm) ?? [];
    expect(exposed.length).toBeGreaterThan(20);
    expect(exposed.filter((name) => !shown.has(name))).toEqual([]);
  });
});

test("metrics.enabled = false answers 404", async () => {
  await server.stop();
  server = await installation.serve({ WAYMARK__METRICS__ENABLED: "false" });
  const answer = await fetch(`${server.url}/health/metrics`, {
    headers: { Authorization: `Bearer ${TOKEN}` },
  });
  expect(answer.status).toBe(404);
});
