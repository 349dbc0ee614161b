/**
 * A bundle of 100,000 links, answered by a real nginx with the file in deploy/ (without nginx it says so), and kills of
 * the commands that make it and bring its clicks back.
 */
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inParallel } from "../../src/lib/in-parallel.ts";
import { soon, until } from "../support/until.ts";
import { install, PROGRAM } from "../support/waymark.ts";

const NGINX = "/usr/sbin/nginx";
const LINKS = 100_000;
const AT_ONCE = 20;
const PORT = 18_473;

const KILLS = 10;
/** A resumed import waits for the lease of the killed one. */
const IMPORT_KILLS = 4;
const SUCCESSOR = "3f0c9a52-5a53-4b52-9d2c-0d4f2a8f7e11";
const HOURS = 30_000;
/** It starts a command at each look, while the machine does other work. */
const LIMIT_MS = 900_000;

const installation = install();
afterAll(() => installation.remove());

/** The code and target of a link, with segments and both cases. */
const linkOf = (at: number) => ({
  code: `${at % 2 === 0 ? "c" : "C"}${at >> 1}${at % 5 === 0 ? "/x.y_z-1" : ""}`,
  target: `https://example.com/${at}?a=1&b=%22`,
});

const start = (args: readonly string[]) =>
  Bun.spawn([PROGRAM, ...args], {
    env: { ...process.env, WAYMARK__DATA__DIR: installation.dataDir },
    stdio: ["ignore", "ignore", "ignore"],
  });

const LINKED = Array.from({ length: LINKS }, (_, at) => linkOf(at));

/** Kills the command after each of ten parts of the time that it takes. */
async function killAtTenMoments(args: readonly string[], took: number, onKilled: () => Promise<void>) {
  for (let at = 1; at <= KILLS; at++) {
    const child = start(args);
    await Bun.sleep((took * (at - 0.5)) / KILLS);
    child.kill("SIGKILL");
    await child.exited;
    await onKilled();
  }
}

const linksAdded = (async () => {
  const rows = LINKED.map(({ code, target }) => `${code},${target}`);
  await installation.run(["links", "import", "-"], ["code,target", ...rows].join("\n"));
  await installation.run(["config", "set", "features.public_url", "https://go.test"]);
})();

test("a kill leaves the older bundle whole, and nothing in the way of the next one", async () => {
  await linksAdded;
  const bundle = join(installation.dataDir, "killed.tar.gz");
  const began = performance.now();
  await installation.run(["successor", "make", bundle]);
  const took = performance.now() - began;
  let unfinished = 0;
  await killAtTenMoments(["successor", "make", bundle], took, async () => {
    unfinished += Number(existsSync(`${bundle}.part`));
    expect(await installation.run(["successor", "check", bundle])).toStartWith("Whole");
  });
  expect(unfinished).toBeGreaterThan(KILLS / 2);
  const both = await Promise.all([1, 2].map(() => installation.cli(["successor", "make", bundle])));
  const refused = both.filter(({ exitCode }) => exitCode !== 0).map(({ stderr }) => stderr);
  expect(refused.length).toBeLessThan(2);
  for (const text of refused) expect(text).toContain("Another command writes");
  expect(await installation.run(["successor", "check", bundle])).toStartWith("Whole");
  expect(readdirSync(installation.dataDir).filter((name) => name.includes("killed"))).toEqual([
    "killed.tar.gz",
  ]);
});

async function importUnderKills(): Promise<void> {
  await linksAdded;
  const clicksOf = (at: number) => 2 + (at % 3);
  const rows = Array.from({ length: HOURS }, (_, at) => {
    const hour = new Date(Date.UTC(2026, 0, 1 + (at % 200), at % 24)).toISOString();
    return `${linkOf(at % LINKS).code},,${hour},${clicksOf(at)},1`;
  });
  const total = rows.reduce((sum, _, at) => sum + clicksOf(at), 0);
  const file = join(installation.dataDir, "clicks.csv");
  const head = [`waymark successor clicks 1,${SUCCESSOR},${total}`, "code,domain,hour,clicks,automated"];
  writeFileSync(file, [...head, ...rows].join("\n"));
  const sum = async (): Promise<number> =>
    JSON.parse(await installation.run(["status", "--json"])).links.total_clicks;
  const read = async (id: number): Promise<number> =>
    JSON.parse(await installation.run(["import", "show", `${id}`])).counts.visits_read;

  const both = await Promise.all([1, 2].map(() => installation.cli(["import", "successor", file])));
  expect(both.map(({ exitCode }) => exitCode).sort()).toEqual([0, 4]);
  // Either may have come first.
  const first = (await read(1)) > 0 ? 1 : 2;
  expect(await sum()).toBe(total);
  await installation.run(["import", "undo", `${first}`]);
  expect(await sum()).toBe(0);

  let command = ["import", "successor", file];
  for (let kills = 0, before = 0; kills < IMPORT_KILLS; kills++) {
    const child = start(command);
    command = ["import", "resume", "3"];
    if (kills === 0)
      await until(async () => (await installation.cli(["import", "show", "3"])).exitCode === 0);
    await until(async () => (await read(3)) > before);
    child.kill("SIGKILL");
    await child.exited;
    before = await read(3);
    expect(before).toBeLessThan(total);
    expect(await sum()).toBe(before);
  }
  await installation.run(command);
  expect(await sum()).toBe(total);
  await installation.run(["analytics", "rebuild"]);
  expect(await sum()).toBe(total);
}
test(
  "an import of its clicks that is killed goes on, and no click is lost or doubled",
  importUnderKills,
  LIMIT_MS,
);

if (!existsSync(NGINX)) console.log("skipped: a bundle served by nginx, there is none (Debian: nginx-light)");
else
  test("nginx answers every code of a bundle, and nothing else", async () => {
    await linksAdded;
    const bundle = join(installation.dataDir, "successor.tar.gz");
    await installation.run(["successor", "make", bundle]);
    const folder = join(installation.dataDir, "web");
    mkdirSync(folder);
    expect(Bun.spawnSync(["tar", "-xzf", bundle, "-C", folder, "site"]).exitCode).toBe(0);
    const server = readFileSync(join(import.meta.dir, "../../deploy/nginx/successor.conf"), "utf8")
      .replaceAll("/srv/successor", folder)
      .replace("listen 80;", `listen 127.0.0.1:${PORT};`)
      .replace("listen [::]:80;", "");
    const file = join(folder, "nginx.conf");
    writeFileSync(
      file,
      `user root; daemon off; pid ${folder}/pid; error_log ${folder}/log; events {}
       http { include /etc/nginx/mime.types; access_log off; client_body_temp_path ${folder}/t; proxy_temp_path ${folder}/t;
       fastcgi_temp_path ${folder}/t; uwsgi_temp_path ${folder}/t; scgi_temp_path ${folder}/t; ${server} }`,
    );
    const nginx = Bun.spawn([NGINX, "-c", file], { stdout: "ignore", stderr: "inherit" });
    try {
      const ask = (path: string) =>
        fetch(`http://127.0.0.1:${PORT}/${path}`, { headers: { Host: "go.test" }, redirect: "manual" });
      await soon(async () => expect((await ask(LINKED[0]!.code)).status).toBe(200));
      await inParallel(LINKED, AT_ONCE, async ({ code, target }) => {
        const page = await (await ask(code)).text();
        if (!page.includes(`content="0; url=${target.replace("&", "&amp;")}"`))
          throw new Error(`${code}: ${page}`);
      });
      for (const path of ["", "c", "c0", "site", "../manifest.json", "%2e%2e/%2e%2e/nginx.conf", "c1.html"]) {
        expect([path, (await ask(path)).status]).toEqual([path, 404]);
      }
    } finally {
      nginx.kill();
      await nginx.exited;
    }
  });
