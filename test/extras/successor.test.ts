/** A bundle answers for an installation that is gone, with the real program. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { sendRaw } from "../support/raw-http.ts";
import { startSignedIn } from "../support/session.ts";
import { type Installation, install, type RunningWaymark } from "../support/waymark.ts";

let lost: Installation;
let server: RunningWaymark;
const successor = install();
const bundle = join(successor.dataDir, "successor.tar.gz");
let key: string;
/** Of the installation, for another one. */
let links: string;

const HOSTS = ["own.test", "b.test"];
const PATHS = [
  "/",
  "/plain?utm_source=mail",
  "/a/b",
  "/new",
  "/locked",
  "/over",
  "/later",
  "/early",
  "/limited",
  "/rules",
  "/none",
];

/** 16 × 16 pixels. */
const LOGO =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAGElEQVR4nGNkaPjPQApgIkn1qIZRDUNKAwBbTQGgvm9hVAAAAABJRU5ErkJggg==";
/** Of the installation, on the machine of the successor. */
const LEFT_ALONE = {
  WAYMARK__DATABASE__URL: "postgres://nobody@127.0.0.1:1/lost",
  WAYMARK__DATABASE__REPLICA_URL: "postgres://nobody@127.0.0.1:1/lost",
  WAYMARK__CLICKHOUSE__URL: "http://127.0.0.1:1/lost",
};

/** What a German phone gets of each. */
async function answers(url: string) {
  const found: Record<string, unknown> = {};
  for (const host of HOSTS) {
    for (const path of PATHS) {
      const request = [
        `GET ${path} HTTP/1.1`,
        `Host: ${host}`,
        "Accept-Language: de",
        "User-Agent: Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile Safari/604.1",
        "Connection: close",
      ];
      const { head, status, body } = await sendRaw(url, `${request.join("\r\n")}\r\n\r\n`);
      found[host + path] = [status, /^location: (.*)$/im.exec(head)?.[1]!.trim(), body];
    }
  }
  return found;
}

async function clicksOf(installation: Installation) {
  const { links: sums } = JSON.parse(await installation.run(["status", "--json"]));
  const { links: listed } = JSON.parse(await installation.run(["links", "list", "--domain", "*", "--json"]));
  const counts = listed.map((link: { click_count: number }) => link.click_count);
  return { total: sums.total_clicks, listed: counts.reduce((sum: number, one: number) => sum + one, 0) };
}

beforeAll(async () => {
  const signedIn = await startSignedIn();
  ({ installation: lost, server } = signedIn);
  const { call } = signedIn.client;
  for (const [name, value] of [
    ["features.public_url", "https://own.test"],
    ["features.default_url", "https://home.test/"],
    ["features.enforce_link_passwords", "true"],
    ["features.instance_name", "Ours"],
    ["features.logo", LOGO],
    ["privacy.imprint_url", "https://own.test/imprint"],
    ["utm.enable_passthrough", "true"],
  ]) {
    await call("PUT", `/config/${name}`, { value });
  }
  await call("POST", "/domains", { host: "b.test", not_found_url: "https://lost.test/" });
  const target = "https://a.test/";
  for (const link of [
    { code: "plain", target },
    { code: "plain", target: "https://b-target.test/", domain: "b.test", redirect_status: 301 },
    { code: "a/b", target },
    { code: "new", target: "https://renamed.test/" },
    { code: "locked", target, password: "correct horse" },
    { code: "early", target, starts_at: "7d" },
    { code: "limited", target, max_clicks: 2 },
    { code: "rules", target, rules: [{ if: { language: ["de"] }, target: "https://de.test/" }] },
  ]) {
    expect((await call("POST", "/links", link)).status).toBe(201);
  }
  await lost.run(
    ["links", "import", "-"],
    "code,target,expires_at,fallback_url\nover,https://a.test/,2026-01-01T00:00:00Z,\nlater,https://a.test/,2026-01-01T00:00:00Z,https://fallback.test/\n",
  );
  await call("PATCH", "/links/new", { code: "newer", keep_old: true });
});
afterAll(async () => {
  await successor.remove();
});

test("the installation is destroyed, and its bundle answers as it did", async () => {
  // The limited link has one use left.
  const before = await answers(server.url);
  const made = JSON.parse(await lost.run(["successor", "make", bundle, "--json"]));
  key = made.signed_by;
  links = await lost.run(["links", "export", "--domain", "*", "--columns", "all"]);
  const again = await answers(server.url);
  await lost.remove();
  const standing = await successor.serve(LEFT_ALONE, { args: ["--from", bundle, "--key", key] });
  expect(await answers(standing.url)).toEqual(again);
  expect(before["own.test/limited"]).toEqual([307, "https://a.test/", expect.anything()]);
  const used = (await answers(standing.url))["own.test/limited"];
  expect(used).not.toEqual(before["own.test/limited"]);
  for (const path of ["/admin/v1/links", "/panel/", "/panel/v1/set-up"]) {
    expect((await fetch(standing.url + path, { headers: { Host: "own.test" } })).status).toBe(404);
  }
  const form = await fetch(`${standing.url}/locked`, {
    method: "POST",
    body: new URLSearchParams({ password: "correct horse" }),
    headers: { Host: "own.test" },
    redirect: "manual",
  });
  expect([form.status, form.headers.get("set-cookie")]).toEqual([303, expect.stringContaining("=")]);
  expect(await standing.stop()).toBe(0);
});

test("the clicks come back once, also those of a server that was killed, and the books balance", async () => {
  const back = install();
  try {
    await back.run(["domains", "add", "b.test"]);
    await back.run(["links", "import", "-"], links);
    const before = await clicksOf(back);
    const serving = await successor.serve({}, { args: ["--from", bundle] });
    const file = join(successor.dataDir, "clicks.csv");
    const whileServing = await successor.cli(["successor", "clicks", bundle, file]);
    expect([whileServing.exitCode, whileServing.stderr]).toEqual([
      4,
      expect.stringContaining("Stop it first."),
    ]);
    for (let at = 0; at < 20; at++) await fetch(`${serving.url}/new`, { redirect: "manual" });
    await serving.kill();
    const afterKill = await successor.cli(["successor", "clicks", bundle, file]);
    expect([afterKill.exitCode, afterKill.stderr]).toEqual([
      4,
      expect.stringContaining("once more and stop it"),
    ]);
    await (await successor.serve({}, { args: ["--from", bundle] })).stop();
    await successor.run(["successor", "clicks", bundle, file]);
    const total = Number((await Bun.file(file).text()).split(/[,\n]/)[2]);
    // Two rounds of answers on two hosts, and the twenty.
    expect(total).toBeGreaterThan(25);
    const brought = await back.run(["import", "successor", file]);
    expect(brought).toContain(`${total} visits read: ${total} imported, 0 refused.`);
    const again = await back.cli(["import", "successor", file]);
    expect([again.exitCode, again.stderr]).toEqual([
      4,
      expect.stringContaining("has already imported clicks of this successor"),
    ]);
    expect(await clicksOf(back)).toEqual({ total: before.total + total, listed: before.total + total });
  } finally {
    await back.remove();
  }
});

test("another key is refused before anything is served", async () => {
  const other = "A".repeat(43);
  const { exitCode, stderr } = await successor.cli(["serve", "--from", bundle, "--key", other]);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining(`is signed by the key ${key}, not by ${other}`),
  ]);
});
