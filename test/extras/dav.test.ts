/** WebDAV of a running server: who may come in, and what real clients do (Debian: litmus, rclone). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "../support/session.ts";
import { startShared } from "../support/shared-server.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";

const folder = mkdtempSync(join(tmpdir(), "dav-"));
let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let token: string;

const tokenOf = async (name: string, scopes: string[]): Promise<string> =>
  (await admin.call("POST", "/tokens", { name, scopes })).body.data.token;
const basic = (name: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`,
});
const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  fetch(`${server.url}/admin/dav${path}`, { method, headers, ...(body !== undefined && { body }) });

beforeAll(async () => {
  ({ installation, server, client: admin } = await startShared("dav"));
  token = await tokenOf("dav", ["files:read", "files:write"]);
});
afterAll(async () => {
  await installation.remove();
  rmSync(folder, { recursive: true });
});

test("lets tokens in by name or as bearer, within their scopes, and nothing else", async () => {
  const mine = basic("dav", token);
  expect((await ask("PUT", "/files/a", mine, "x")).status).toBe(201);
  expect((await ask("GET", "/files/a", { Authorization: `Bearer ${token}` })).status).toBe(200);
  const reading = basic("dav", await tokenOf("reading", ["files:read"]));
  expect((await ask("GET", "/files/a", reading)).status).toBe(200);
  expect((await ask("PROPFIND", "/files/", { ...reading, Depth: "1" })).status).toBe(207);
  for (const method of ["PUT", "DELETE", "MKCOL", "MOVE", "COPY", "LOCK", "UNLOCK", "PROPPATCH"]) {
    expect([method, (await ask(method, "/files/a", reading)).status]).toEqual([method, 403]);
  }
  expect((await ask("GET", "/files/a", basic("dav", await tokenOf("links", ["links:read"])))).status).toBe(
    403,
  );
  for (const headers of [
    {},
    basic("dav", `${token}x`),
    basic("dav.anna", token),
    basic("", token),
    basic("dav", "correct horse battery"),
    { Authorization: "Basic !" },
    { Authorization: `Bearer ${admin.token}` },
    { Cookie: `svc_access=${admin.token}` },
  ]) {
    const refused = await ask("GET", "/files/a", headers as Record<string, string>);
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
      401,
      'Basic realm="Waymark files", charset="UTF-8"',
    ]);
  }
  const foreign = { ...mine, Origin: "https://elsewhere.example" };
  expect((await ask("DELETE", "/files/a", foreign)).status).toBe(403);
});

test("says what it understands without a sign-in, and where nothing is", async () => {
  const options = await ask("OPTIONS", "/files/");
  expect([options.status, options.headers.get("dav")]).toEqual([200, "1, 2"]);
  const post = await ask("POST", "/files/a", basic("dav", token), "x");
  expect([post.status, post.headers.get("allow")]).toEqual([405, options.headers.get("allow")]);
  expect((await ask("GET", "/elsewhere", basic("dav", token))).status).toBe(404);
  expect((await ask("PUT", "/a", basic("dav", token), "x")).status).toBe(404);
  expect((await ask("MKCOL", "/teams", basic("dav", token))).status).toBe(405);
});

test("leads Windows Explorer from the root to the files, and tells strangers nothing", async () => {
  const mine = basic("dav", token);
  const send = (method: string, path: string, headers = {}) =>
    fetch(`${server.url}${path}`, { method, headers: { Depth: "0", ...headers }, redirect: "manual" });
  const above = ["/", "/admin", "/admin/"];
  for (const path of above) {
    const options = await send("OPTIONS", path);
    const allow = path === "/" ? "GET, HEAD, OPTIONS, PROPFIND" : "OPTIONS, PROPFIND";
    expect([options.status, options.headers.get("dav"), options.headers.get("allow")]).toEqual([
      200,
      "1, 2",
      allow,
    ]);
    const stranger = await send("PROPFIND", path);
    expect([stranger.status, await stranger.text()]).toEqual([401, expect.not.stringContaining("admin")]);
  }
  for (const path of [...above, "/admin/dav", "/admin/dav/files"]) {
    const found = await send("PROPFIND", path, mine);
    const hrefs = (await found.text()).match(/<D:href>[^<]*/g);
    expect([found.status, hrefs]).toEqual([207, [`<D:href>${path.replace(/\/?$/, "/")}`]]);
  }
  const listed = await (await send("PROPFIND", "/", { ...mine, Depth: "1" })).text();
  expect(listed.match(/<D:href>[^<]*/g)).toEqual(["<D:href>/", "<D:href>/admin/"]);
  expect((await send("PROPFIND", "/", { ...mine, Depth: "infinity" })).status).toBe(403);
  // Codes, other methods and other addresses stay as they are.
  await admin.call("POST", "/links", { code: "propped", target: "https://a.example" });
  for (const [method, path] of [
    ["PROPFIND", "/propped"],
    ["OPTIONS", "/propped"],
    ["PROPFIND", "/elsewhere"],
    ["PUT", "/"],
    ["LOCK", "/"],
  ] as const) {
    const refused = await send(method, path, mine);
    expect([method, path, refused.status, refused.headers.get("dav")]).toEqual([method, path, 405, null]);
  }
  expect((await send("GET", "/")).headers.get("dav")).toBeNull();
});

test("has the files of teams, which viewers read", async () => {
  await admin.call("POST", "/users", { username: "dav.anna", password: "a long password", role: "user" });
  const team = (await admin.call("POST", "/teams", { name: "dav-press" })).body.data;
  const member = (role: string) =>
    admin.call("PATCH", `/teams/${team.id}`, {
      members: [
        { account: "dav.anna", role },
        { account: "dav", role: "manager" },
      ],
    });
  await member("viewer");
  const mine = { ...basic("dav", token), Depth: "1" };
  expect(await (await ask("PROPFIND", "", mine)).text()).toContain("/admin/dav/teams/</D:href>");
  expect(await (await ask("PROPFIND", "/teams", mine)).text()).toContain(
    "/admin/dav/teams/dav-press/</D:href>",
  );
  expect((await ask("PUT", "/teams/dav-press/a", mine, "of the team")).status).toBe(201);
  const between = { ...mine, Destination: `${server.url}/admin/dav/files/b` };
  expect((await ask("MOVE", "/teams/dav-press/a", between)).status).toBe(403);
  const add = [
    "tokens",
    "add",
    "dav.anna",
    "--user",
    "dav.anna",
    "--json",
    "--scope",
    "files:read",
    "files:write",
  ];
  const created = await installation.run(add);
  const hers = basic("dav.anna", JSON.parse(created).token);
  expect(await (await ask("GET", "/teams/dav-press/a", hers)).text()).toBe("of the team");
  expect((await ask("PUT", "/teams/dav-press/b", hers, "x")).status).toBe(403);
  expect((await ask("GET", "/teams/none/a", hers)).status).toBe(404);
  await member("editor");
  expect((await ask("PUT", "/teams/dav-press/b", hers, "x")).status).toBe(201);
});

const needs = (program: string) => {
  if (Bun.which(program) !== null) return test;
  console.log(`skipped: ${program} is not installed`);
  return test.skip;
};

async function run(command: string[], environment: Record<string, string> = {}) {
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, output: output + errors };
}

needs("litmus")("passes litmus", async () => {
  const { output } = await run(["litmus", "-k", `${server.url}/admin/dav/files/`, "dav", token]);
  expect([...output.matchAll(/FAIL.*|WARNING.*|summary for .*/g)].map(([line]) => line)).toEqual([
    "summary for `basic': of 16 tests run: 16 passed, 0 failed. 100.0%",
    "summary for `copymove': of 13 tests run: 13 passed, 0 failed. 100.0%",
    "summary for `props': of 30 tests run: 30 passed, 0 failed. 100.0%",
    "summary for `locks': of 41 tests run: 41 passed, 0 failed. 100.0%",
    "summary for `http': of 4 tests run: 4 passed, 0 failed. 100.0%",
  ]);
});

needs("rclone")("serves rclone, both ways", async () => {
  const source = join(folder, "source");
  mkdirSync(join(source, "folder #1 ü"), { recursive: true });
  writeFileSync(join(source, "folder #1 ü", "100% & more.txt"), "content");
  writeFileSync(join(source, "empty"), "");
  const { output: password } = await run(["rclone", "obscure", token]);
  const remote = {
    RCLONE_CONFIG: join(folder, "rclone.conf"),
    RCLONE_CONFIG_WAYMARK_TYPE: "webdav",
    RCLONE_CONFIG_WAYMARK_URL: `${server.url}/admin/dav/files`,
    RCLONE_CONFIG_WAYMARK_VENDOR: "other",
    RCLONE_CONFIG_WAYMARK_USER: "dav",
    RCLONE_CONFIG_WAYMARK_PASS: password.trim(),
  };
  const rclone = async (...words: string[]) =>
    expect(await run(["rclone", ...words], remote)).toMatchObject({ code: 0 });
  await rclone("sync", source, "waymark:copy");
  await rclone("check", "--download", source, "waymark:copy");
  await rclone("moveto", "waymark:copy", "waymark:moved");
  await rclone("copyto", "waymark:moved/empty", "waymark:moved/other");
  await rclone("sync", "waymark:moved", join(folder, "back"));
  expect(readFileSync(join(folder, "back", "folder #1 ü", "100% & more.txt"), "utf8")).toBe("content");
  expect(readFileSync(join(folder, "back", "other"), "utf8")).toBe("");
  await rclone("purge", "waymark:moved");
});
