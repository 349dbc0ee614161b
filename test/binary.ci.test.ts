/** The one-file executable, alone in an empty folder. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { driveClient } from "./support/drive.ts";
import { signIn } from "./support/session.ts";

const root = join(import.meta.dir, "..");
const folder = mkdtempSync(join(tmpdir(), "waymark-binary-"));
const program = join(folder, "waymark");
const BUILD_MS = 120_000;
const environment = { PATH: "/usr/bin:/bin", WAYMARK__SERVER__PORT: "0", WAYMARK__LOGGING__FORMAT: "json" };

const run = (args: readonly string[], stdin = "") =>
  Bun.spawnSync([program, ...args], { cwd: folder, env: environment, stdin: Buffer.from(stdin) });

/** The runner has built it for all tests of the whole program. */
const built = process.env["WAYMARK_TEST_PROGRAM"];
beforeAll(() => {
  if (built === undefined) {
    const build = Bun.spawnSync([join(root, "scripts", "build-binary.sh")], { cwd: root });
    if (build.exitCode !== 0) throw new Error(build.stderr.toString());
  }
  copyFileSync(built ?? join(root, "dist", "waymark"), program);
}, BUILD_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("commands work and create their data folder in the working directory", () => {
  expect(run(["version"]).stdout.toString()).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(run(["reset-password", "--stdin"], "correct horse").exitCode).toBe(0);
  expect(run(["links", "add", "https://example.com/inside", "--code", "inside"]).exitCode).toBe(0);
  const doctor = run(["doctor"]);
  expect(doctor.exitCode).toBe(0);
  // The advice is a command that works here as printed.
  expect(doctor.stdout.toString()).toContain("→ ./waymark config set ");
  expect(readdirSync(folder).sort()).toEqual(["data", "waymark"]);
});

test("it does not know the folder in which it was built", () => {
  expect(readFileSync(program).includes(`${root}/`)).toBe(false);
});

test("the log names errors by their classes", () => {
  expect(readFileSync(program).includes("class DatabaseError extends AppError")).toBe(true);
});

test("the binary serves with two workers, counts a click and stops", async () => {
  const server = Bun.spawn([program, "serve"], {
    cwd: folder,
    env: { ...environment, WAYMARK__SERVER__WORKERS: "2" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  const decoder = new TextDecoder();
  for await (const chunk of server.stderr) {
    log += decoder.decode(chunk, { stream: true });
    if (log.includes('"address"')) break;
  }
  const address = /"address":"([^"]+)"/.exec(log)![1]!;
  const answer = await fetch(`${address}/inside`, { redirect: "manual" });
  expect(answer.headers.get("location")).toBe("https://example.com/inside");
  const page = await (await fetch(`${address}/admin/v1/docs`)).text();
  const script = /src="(docs\/[^"]+bundle\.js)"/.exec(page)![1]!;
  expect(await (await fetch(`${address}/admin/v1/${script}`)).text()).toContain("SwaggerUIBundle");
  const panel = await fetch(`${address}/panel/`);
  const entry = /src="\.\/(assets\/[^"]+\.js)"/.exec(await panel.text())![1]!;
  expect((await fetch(`${address}/panel/${entry}`)).headers.get("content-type")).toStartWith(
    "text/javascript",
  );
  const me = await signIn(address, "correct horse");
  const drive = driveClient(address, me.token);
  const file = (await drive.upload("a.pdf", "%PDF-1.7", { type: "application/pdf" })).body.data.id;
  const shared: string = (await drive.call("POST", `/files/${file}/share`, {})).body.data.url;
  const chromium = { Accept: "text/html", "User-Agent": "Mozilla/5.0 Chrome/140.0" };
  const viewer = /data-viewer="([^"]+)"/.exec(await (await fetch(shared, { headers: chromium })).text())![1]!;
  expect(await (await fetch(shared + viewer)).text()).toContain("globalThis.pdfjsLib");
  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
  expect(JSON.parse(run(["links", "get", "inside", "--json"]).stdout.toString()).click_count).toBe(1);
});
