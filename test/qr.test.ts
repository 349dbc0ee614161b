/** QR codes of the real program: over HTTP, and `waymark links qr` on a pipe, in a file and on a terminal. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pixelsOfPng, pixelsOfSvg, scan } from "../src/links/qr/reading.test-support.ts";
import { type Client, clientOf, signIn } from "./support/session.ts";
import { resetSettings, startShared } from "./support/shared-server.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const ORIGIN = "https://go.example:8443";

let installation: Installation;
let server: RunningWaymark;
let admin: Client;

beforeAll(async () => {
  ({ installation, server, client: admin } = await startShared());
  await admin.call("PUT", "/config/features.public_url", { value: ORIGIN });
  await admin.call("POST", "/domains", { host: "münchen.example" });
  for (const domain of [undefined, "münchen.example"]) {
    await admin.call("POST", "/links", { code: "qr/code", target: "https://example.com/", domain });
  }
});
afterAll(() => resetSettings(admin, ["features.public_url"]));

test("GET and HEAD answer the picture with its headers", async () => {
  for (const format of ["svg", "png"]) {
    const path = `/links/qr/code/qr?format=${format}`;
    const [get, head] = [await admin.fetch(path), await admin.fetch(path, { method: "HEAD" })];
    const bytes = new Uint8Array(await get.arrayBuffer());
    expect(scan(format === "png" ? pixelsOfPng(bytes) : pixelsOfSvg(bytes))).toBe(`${ORIGIN}/qr/code`);
    for (const answer of [get, head]) {
      expect([answer.status, Object.fromEntries(answer.headers)]).toEqual([
        200,
        expect.objectContaining({
          "content-type": format === "png" ? "image/png" : "image/svg+xml",
          "content-length": String(bytes.length),
          "cache-control": "private, no-cache",
          "content-security-policy": "default-src 'none'; sandbox",
          "x-content-type-options": "nosniff",
          etag: get.headers.get("ETag"),
        }),
      ]);
    }
    expect(await head.text()).toBe("");
    const headers = { "If-None-Match": get.headers.get("ETag")! };
    expect((await admin.fetch(path, { headers })).status).toBe(304);
  }
});

test("editors get own links only, tokens need links:read", async () => {
  await admin.call("POST", "/users", { username: "qr.anna", password: "a long password", role: "editor" });
  const anna = await signIn(server.url, "a long password", "qr.anna");
  expect((await anna.fetch("/links/qr%2Fcode/qr")).status).toBe(404);
  await anna.call("POST", "/links", { code: "qr-own", target: "https://example.com/" });
  expect((await anna.fetch("/links/qr-own/qr")).status).toBe(200);
  for (const [scope, status] of [
    ["links:read", 200],
    ["analytics:read", 403],
  ] as const) {
    const { body } = await anna.call("POST", "/tokens", { name: scope, scopes: [scope] });
    const asked = await clientOf(server.url, body.data.token).fetch("/links/qr-own/qr");
    expect([scope, asked.status]).toEqual([scope, status]);
  }
  expect((await fetch(`${server.url}/admin/v1/links/qr-own/qr`)).status).toBe(401);
});

const path = (name: string) => join(installation.dataDir, name);

test("the command writes SVG to a pipe and to a file, and PNG by the file's name", async () => {
  const piped = await installation.run(["links", "qr", "qr/code", "--ecc", "H", "--dark", "#036"]);
  expect(piped).toContain('fill="#003366"');
  expect(scan(pixelsOfSvg(Buffer.from(piped)))).toBe(`${ORIGIN}/qr/code`);
  await installation.run([
    "links",
    "qr",
    "qr/code",
    "--output",
    path("a.svg"),
    "--domain",
    "münchen.example",
  ]);
  expect(scan(pixelsOfSvg(readFileSync(path("a.svg"))))).toBe("https://xn--mnchen-3ya.example/qr/code");
  await installation.run(["links", "qr", "qr/code", "--output", path("a.PNG"), "--size", "300"]);
  const pixels = pixelsOfPng(readFileSync(path("a.PNG")));
  expect([pixels.width, scan(pixels)]).toEqual([300, `${ORIGIN}/qr/code`]);
});

test.each([
  [["--size", "10"], 2, "size must be a whole number from 64 to 2048."],
  [["--light", "000"], 2, "light is too dark for scanners"],
  [["--output", "/nowhere/a.svg"], 2, "Can't write /nowhere/a.svg"],
  [
    ["--output", "q.gif"],
    2,
    "A QR code can't be written as .gif. End the file's name with .svg, .png or .pdf",
  ],
  [["--domain", "nobody.example"], 2, "There is no domain nobody.example"],
])("the command refuses %j", async (options, exitCode, message) => {
  const refused = await installation.cli(["links", "qr", "qr/code", ...options]);
  expect([refused.exitCode, refused.stderr]).toEqual([exitCode, expect.stringContaining(message)]);
});

test("an unknown code ends with 3", async () => {
  expect((await installation.cli(["links", "qr", "nobody"])).exitCode).toBe(3);
});

async function onTerminal(...options: string[]): Promise<string> {
  let screen = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn(
    [join(import.meta.dir, "..", "bin", "waymark"), "links", "qr", "qr/code", ...options],
    {
      env: { ...process.env, WAYMARK__DATA__DIR: installation.dataDir, WAYMARK__DATABASE__URL: "" },
      cwd: installation.dataDir,
      terminal: { data: (_, bytes) => void (screen += decoder.decode(bytes, { stream: true })) },
    },
  );
  await child.exited;
  child.terminal?.close();
  return screen;
}

test("a terminal shows blocks, the text of an SVG if that is asked for, and no PNG", async () => {
  const lines = (await onTerminal()).trimEnd().split("\r\n");
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) expect(Bun.stripANSI(line)).toMatch(/^[█▀▄ ]+$/);
  expect(await onTerminal("--format", "svg")).toStartWith("<svg ");
  expect(await onTerminal("--format", "png")).toContain("A terminal can't show a PNG");
});
