/** Times of files between a folder and a running server with a real rclone (Debian: rclone), by each kind of remote. */
import "../support/long.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, startSignedIn } from "../support/session.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";

const folder = mkdtempSync(join(tmpdir(), "rclone-"));
const here = join(folder, "here");
let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let token: string;
let name = "";
let tests = 0;

beforeAll(async () => {
  ({ installation, server, client: admin } = await startSignedIn());
  const scopes = ["files:read", "files:write"];
  token = (await admin.call("POST", "/tokens", { name: "rclone", scopes })).body.data.token;
});
afterAll(async () => {
  await installation.remove();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  name = `t${tests++}`;
  rmSync(here, { recursive: true, force: true });
  mkdirSync(here);
});

const hasRclone = Bun.which("rclone") !== null;
if (!hasRclone) console.log("skipped: rclone is not installed");

async function run(vendor: string, ...words: string[]) {
  const child = Bun.spawn(["rclone", "--retries", "1", ...words], {
    env: {
      ...process.env,
      RCLONE_CONFIG: join(folder, "rclone.conf"),
      RCLONE_CACHE_DIR: join(folder, "cache"),
      RCLONE_CONFIG_WAYMARK_TYPE: "webdav",
      RCLONE_CONFIG_WAYMARK_URL: `${server.url}/admin/dav/files`,
      RCLONE_CONFIG_WAYMARK_VENDOR: vendor,
      RCLONE_CONFIG_WAYMARK_BEARER_TOKEN: token,
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const texts = await Promise.all([child.stdout, child.stderr].map((one) => new Response(one).text()));
  return { code: await child.exited, output: texts.join("") };
}
const rclone = async (vendor: string, ...words: string[]) => {
  const { code, output } = await run(vendor, ...words);
  expect({ code, output }).toMatchObject({ code: 0 });
  return output;
};

/** Seconds since the epoch. */
const OLD = Date.parse("2019-03-04T05:06:07Z") / 1000;
const NEWER = OLD + 100;
function write(path: string, text: string, time?: number): void {
  writeFileSync(join(here, path), text);
  if (time !== undefined) utimesSync(join(here, path), time, time);
}
const timeHere = (path: string) => Math.floor(statSync(join(here, path)).mtimeMs / 1000);

/** A file of the server, as the API has it. */
const there = async (path: string) => {
  const found = await fetch(`${server.url}/admin/dav/files/${name}/${path}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const modified = Date.parse(found.headers.get("Last-Modified") ?? "") / 1000;
  return { text: found.ok ? await found.text() : null, modified };
};
const send = (path: string, text: string, time: number) =>
  fetch(`${server.url}/admin/dav/files/${name}/${path}`, {
    method: "PUT",
    headers: { Authorization: `Bearer ${token}`, "X-OC-Mtime": String(time) },
    body: text,
  });

test.if(hasRclone).each(["owncloud", "nextcloud"])("%s keeps times both ways", async (vendor) => {
  const remote = `waymark:${name}`;
  write("a", "one", OLD);
  write("b", "two", OLD);
  await rclone(vendor, "copy", here, remote);
  expect(await there("a")).toEqual({ text: "one", modified: OLD });
  const back = join(folder, `${name}-back`);
  await rclone(vendor, "copy", remote, back);
  expect(Math.floor(statSync(join(back, "a")).mtimeMs / 1000)).toBe(OLD);
  // Nothing has changed, so nothing is sent.
  expect(await rclone(vendor, "sync", "-v", here, remote)).toContain("There was nothing to transfer");

  write("a", "new", NEWER);
  write("b", "lost", OLD);
  await send("b", "newer there", NEWER);
  await rclone(vendor, "sync", "--update", here, remote);
  expect(await there("a")).toEqual({ text: "new", modified: NEWER });
  expect(await there("b")).toEqual({ text: "newer there", modified: NEWER });
  await rclone(vendor, "sync", "--update", remote, here);
  expect([readFileSync(join(here, "b"), "utf8"), timeHere("b")]).toEqual(["newer there", NEWER]);
});

test.if(hasRclone).each(["owncloud", "nextcloud"])("%s: bisync of two changed ends", async (vendor) => {
  const remote = `waymark:${name}`;
  const both = ["bisync", here, remote, "--workdir", join(folder, `${name}-state`), "--force"];
  for (const path of ["kept", "changed here", "changed there", "gone here", "gone there", "both"])
    write(path, path, OLD);
  await rclone(vendor, "mkdir", remote);
  await rclone(vendor, ...both, "--resync");
  write("changed here", "from here", NEWER);
  await send("changed there", "from there", NEWER);
  write("both", "both, from here", NEWER);
  await send("both", "both, from there", NEWER + 1);
  write("new here", "new", NEWER);
  await send("new there", "new", NEWER);
  rmSync(join(here, "gone here"));
  await rclone(vendor, "deletefile", `${remote}/gone there`);
  await rclone(vendor, ...both);
  const expected = {
    kept: ["kept", OLD],
    "changed here": ["from here", NEWER],
    "changed there": ["from there", NEWER],
    "new here": ["new", NEWER],
    "new there": ["new", NEWER],
  };
  for (const [path, [text, modified]] of Object.entries(expected)) {
    expect([path, await there(path)]).toEqual([path, { text, modified } as never]);
    expect([readFileSync(join(here, path), "utf8"), timeHere(path)]).toEqual([text, modified] as never);
  }
  const isFile = (line: string): boolean => !line.includes(" NOTICE: ");
  const files = (output: string) => output.trim().split("\n").filter(isFile).sort();
  const listed = files(await rclone(vendor, "lsf", remote));
  expect(listed).toEqual(files(await rclone(vendor, "lsf", here)));
  expect(listed).not.toContain("gone here");
  expect(listed).not.toContain("gone there");
  // Of a file that both have changed, both contents are kept.
  const kept = await Promise.all(listed.filter((path) => path.startsWith("both")).map(there));
  expect(kept.map(({ text }) => text).sort()).toEqual(["both, from here", "both, from there"]);
  expect(await rclone(vendor, ...both, "-v")).toContain("No changes found");
});

test.if(hasRclone)("other: the time of the upload, and no bisync", async () => {
  const remote = `waymark:${name}`;
  const start = Math.floor(Date.now() / 1000);
  write("a", "one", OLD);
  await rclone("other", "copy", here, remote);
  expect((await there("a")).modified).toBeGreaterThanOrEqual(start);
  // The upload there is newer than the file here, although its content has changed.
  write("a", "changed", NEWER);
  await rclone("other", "sync", "--update", here, remote);
  expect(await there("a")).toMatchObject({ text: "one" });
  write("a", "changed later", start + 3600);
  await rclone("other", "sync", "--update", here, remote);
  expect(await there("a")).toMatchObject({ text: "changed later" });
  const { code, output } = await run("other", "bisync", here, remote, "--resync");
  expect(code).not.toBe(0);
  expect(output).toContain("modification time support is missing");
});
