/** The rules, the dashboard and the scrape job of deploy/, by a real Prometheus that reads a server. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { driveClient } from "./support/drive.ts";
import { freePort } from "./support/proxies.ts";
import { startSignedIn } from "./support/session.ts";
import { soon } from "./support/until.ts";
import type { Installation } from "./support/waymark.ts";

const DEPLOY = join(import.meta.dir, "..", "deploy");
const RULES = join(DEPLOY, "prometheus/rules.yaml");
const MISSING = Bun.which("prometheus") === null || Bun.which("promtool") === null;

type Rule = { record?: string; alert?: string; expr: string; annotations?: { summary: string } };
type Target = { expr: string; legendFormat: string };
type Panel = { title: string; targets?: Target[]; panels?: Panel[] };
type Series = { metric: Record<string, string> };

/** The server of this test has no certificate. */
const isMeasured = ({ expr }: { expr: string }): boolean => !expr.includes("svc_certificate_");

const RULE_LIST = (
  Bun.YAML.parse(readFileSync(RULES, "utf8")) as { groups: { rules: Rule[] }[] }
).groups.flatMap(({ rules }) => rules);
const DASHBOARD = JSON.parse(readFileSync(join(DEPLOY, "grafana/waymark.json"), "utf8")) as {
  panels: Panel[];
};
const targetsOf = (panels: readonly Panel[]): Target[] =>
  panels.flatMap(({ targets = [], panels: inner = [] }) => [...targets, ...targetsOf(inner)]);

/** Without the thresholds, which hold only in trouble: what is compared, each part of an `or` for itself. */
const measuredBy = (expr: string): string[] =>
  expr.split(" or ").map((part) => part.replace(/ (?:[<>]=?|==|!=) [\d.e]+$/, ""));
const asGrafana = (expr: string): string =>
  expr.replaceAll("$instance", ".*").replaceAll("$__rate_interval", "30s");
const labelsIn = (text: string, braces: RegExp): string[] =>
  [...text.matchAll(braces)].map(([, label]) => label!);

const run = (command: string[]) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  return { exitCode, output: stdout.toString() + stderr.toString() };
};

describe.skipIf(MISSING)(`Prometheus${MISSING ? " (needs prometheus and promtool)" : ""}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-prometheus-"));
  let installation: Installation;
  let prometheus: ReturnType<typeof Bun.spawn>;
  let address = "";

  const ask = async (query: string): Promise<Series[]> => {
    const answer = await fetch(`http://${address}/api/v1/query?query=${encodeURIComponent(query)}`);
    const { data, error } = (await answer.json()) as { data?: { result: Series[] }; error?: string };
    if (data === undefined) throw new Error(`${query}: ${error}`);
    return data.result;
  };

  beforeAll(async () => {
    const signedIn = await startSignedIn({ WAYMARK__CLICKHOUSE__URL: "http://127.0.0.1:1/" });
    ({ installation } = signedIn);
    const { server, client } = signedIn;
    const token = join(folder, "waymark-token");
    writeFileSync(token, "a-token-for-prometheus\n");
    await installation.run(["config", "set", "api.health_token", "--stdin"], readFileSync(token, "utf8"));
    // Some series begin with their first event.
    await client.call("POST", "/links", { code: "measured", target: "https://example.com/" });
    await fetch(`${server.url}/measured`, { redirect: "manual" });
    await driveClient(server.url, client.token).upload("a.txt", "a");
    await client.call("POST", "/auth/login", { password: "wrong" });
    const config = join(folder, "prometheus.yml");
    const text = readFileSync(join(DEPLOY, "prometheus/prometheus.yml"), "utf8")
      .replaceAll("15s", "1s")
      .replace("127.0.0.1:8080", new URL(server.url).host)
      .replaceAll("/etc/prometheus/waymark-token", token)
      .replaceAll("/etc/prometheus/waymark-rules.yaml", RULES);
    writeFileSync(config, text);
    expect(run(["promtool", "check", "config", config]).exitCode).toBe(0);
    address = `127.0.0.1:${await freePort()}`;
    prometheus = Bun.spawn(
      [
        "prometheus",
        `--config.file=${config}`,
        `--web.listen-address=${address}`,
        `--storage.tsdb.path=${join(folder, "data")}`,
      ],
      { stdio: ["ignore", "ignore", "ignore"] },
    );
    await soon(async () => expect((await ask('up{job="waymark"} == 1')).length).toBe(1));
  }, 60_000);
  afterAll(async () => {
    prometheus?.kill();
    await prometheus?.exited;
    await installation?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the rules are right: each alert fires at what it is for, none at a healthy hour", () => {
    expect(run(["promtool", "check", "rules", "--lint=all", "--lint-fatal", RULES]).exitCode).toBe(0);
    const tested = run([
      "promtool",
      "test",
      "rules",
      join(import.meta.dir, "fixtures/prometheus/rules.test.yaml"),
    ]);
    expect(tested).toEqual({ exitCode: 0, output: expect.stringContaining("SUCCESS") });
  });

  test("every rule measures something, has the labels that it names, and no alert fires", async () => {
    expect(RULE_LIST.length).toBeGreaterThan(10);
    for (const { record, alert, expr, annotations } of RULE_LIST.filter(isMeasured)) {
      if (record !== undefined)
        await soon(async () => expect([record, (await ask(record)).length]).toEqual([record, 1]));
      for (const measured of measuredBy(expr)) {
        // A rate needs two scrapes.
        await soon(async () =>
          expect([measured, (await ask(measured)).length > 0]).toEqual([measured, true]),
        );
        const named = labelsIn(annotations?.summary ?? "", /\{\{ \$labels\.(\w+) \}\}/g);
        for (const { metric } of await ask(measured))
          expect([alert, named.filter((label) => !(label in metric))]).toEqual([alert, []]);
      }
    }
    expect(await ask('ALERTS{alertstate="firing"}')).toEqual([]);
  }, 60_000);

  test("every query of the dashboard yields series with the labels of its legend", async () => {
    const targets = targetsOf(DASHBOARD.panels);
    expect(targets.length).toBeGreaterThan(30);
    for (const { expr, legendFormat } of targets.filter(isMeasured)) {
      for (const measured of measuredBy(asGrafana(expr))) {
        await soon(async () =>
          expect([measured, (await ask(measured)).length > 0]).toEqual([measured, true]),
        );
        const named = labelsIn(legendFormat, /\{\{(\w+)\}\}/g);
        for (const { metric } of await ask(measured))
          expect([expr, named.filter((label) => !(label in metric))]).toEqual([expr, []]);
      }
    }
  }, 60_000);

  test("Prometheus keeps every label as it was sent, and a job of Waymark by its name", async () => {
    for (const { metric } of await ask('{__name__=~"svc_.*"}'))
      expect(Object.keys(metric).filter((label) => label.startsWith("exported_"))).toEqual([]);
    const tasks = (await ask("count by (task) (svc_job_runs_total)")).map(({ metric }) => metric["task"]);
    expect(tasks).toContain("webhooks");
  });
});
