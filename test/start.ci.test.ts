/** Start and stop as a user does it: `npm start`, the lines of the first start, commands in the wrong folder. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./support/until.ts";

const ROOT = join(import.meta.dir, "..");
const folder = mkdtempSync(join(tmpdir(), "waymark-start-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A shell environment without Waymark settings. */
const shell = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("WAYMARK__")),
);

function start(command: readonly string[], settings: Record<string, string>, cwd = ROOT) {
  const child = Bun.spawn([...command], {
    env: { ...shell, ...settings },
    cwd,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const said = { text: "" };
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) said.text += decoder.decode(chunk, { stream: true });
  })();
  return {
    child,
    said,
    ended: async () => {
      const code = await child.exited;
      await reading;
      return code;
    },
    listening: async () => {
      await until(() => said.text.includes("admin API is") || child.exitCode !== null);
      return /"address":"([^"]+)"/.exec(said.text)?.[1] ?? `not listening: ${said.text}`;
    },
  };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

test("npm start forwards SIGTERM, and the server stops in order", async () => {
  const settings = { WAYMARK__DATA__DIR: join(folder, "npm") };
  const npm = start(["npm", "start", "--", "--port", "0"], settings);
  const url = await npm.listening();
  expect(await answers(url)).toBe(true);
  npm.child.kill("SIGTERM");
  await npm.ended();
  expect(npm.said.text).toContain("stopped");
  expect(await answers(url)).toBe(false);
});

test("a Ctrl-C from the terminal and from npm counts once", async () => {
  const server = start(["bin/waymark", "serve", "--port", "0"], {
    WAYMARK__DATA__DIR: join(folder, "twice"),
  });
  await server.listening();
  server.child.kill("SIGINT");
  server.child.kill("SIGINT");
  expect(await server.ended()).toBe(0);
  expect(server.said.text).toContain("stopped");
});

test.each(["1", "2"])("the first start of %s workers logs what it did in five lines", async (workers) => {
  const dataDir = join(folder, `first-${workers}`);
  const settings = { WAYMARK__DATA__DIR: dataDir, WAYMARK__SERVER__WORKERS: workers };
  const run = async () => {
    const server = start(["bin/waymark", "serve", "--port", "0"], settings);
    const url = await server.listening();
    const lines = server.said.text.trimEnd().split("\n");
    server.child.kill("SIGTERM");
    expect(await server.ended()).toBe(0);
    return { url, lines };
  };
  const first = await run();
  expect(first.lines.slice(5)).toEqual([]);
  expect(first.lines[0]).toContain(`Created the data folder ${dataDir}.`);
  expect(first.lines[1]).toContain(`Created the tables of a new database: ${join(dataDir, "waymark.db")}.`);
  expect(first.lines[2]).toContain(`listens on ${first.url}`);
  expect(first.lines[3]).toContain(`API: ${first.url}/admin/v1`);
  expect(first.lines[4]).toContain("The admin API is off until a password is set: open ");
  expect(first.lines[4]).toMatch(new RegExp(`${first.url}/panel/set-up#[\\w-]{22} within an hour, or run `));
  expect((await run()).lines.slice(3)).toEqual([]);
});

test.each([
  ["a port that is not a number", ["serve", "--port", "http"], "--port must be a whole number"],
  ["a port beside a socket", ["serve", "--port", "1"], "exclude each other"],
  ["an unknown option", ["serve", "--prot", "1"], "waymark: unknown option '--prot'"],
])("%s is refused in one sentence", async (name, args, sentence) => {
  const socket = name.includes("socket") ? { WAYMARK__SERVER__UNIX_SOCKET: "a.sock" } : {};
  const run = start(["bin/waymark", ...args], { WAYMARK__DATA__DIR: join(folder, "refused"), ...socket });
  expect(await run.ended()).toBe(2);
  expect(run.said.text).toContain(sentence);
});

test("a command without settings creates no database where a server runs with another one", async () => {
  const cwd = mkdtempSync(join(folder, "home-"));
  const waymark = join(ROOT, "bin", "waymark");
  const server = start([waymark, "serve", "--port", "0"], { WAYMARK__DATA__DIR: join(folder, "other") }, cwd);
  await server.listening();
  const adding = [waymark, "links", "add", "https://a.test"];
  const refused = start(adding, {}, cwd);
  expect(await refused.ended()).toBe(4);
  expect(refused.said.text).toContain("Nothing was created.");
  expect(readdirSync(cwd)).toEqual([]);
  const named = start(adding, { WAYMARK__DATA__DIR: join(cwd, "mine") }, cwd);
  expect(await named.ended()).toBe(0);
  expect(named.said.text).toContain(`created a new database: ${join(cwd, "mine", "waymark.db")}`);
  // Another instance, in a folder of its own.
  const fresh = mkdtempSync(join(folder, "fresh-"));
  expect(await start(adding, {}, fresh).ended()).toBe(0);
  expect(readdirSync(fresh)).toEqual(["data"]);
  server.child.kill("SIGTERM");
  await server.ended();
});
