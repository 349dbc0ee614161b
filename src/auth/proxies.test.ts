import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dataPath } from "../lib/data-folder.ts";
import { silentLogger } from "../lib/logger.ts";
import { createProxies, readProxyNotices } from "./proxies.ts";

const HOUR = 3_600_000;
const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

function start({ trusted = [] as string[], publicUrl = "" } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), "waymark-notices-"));
  made.push(dataDir);
  const lines: string[] = [];
  const time = { now: 1_000_000_000_000 };
  const settings = { "api.trusted_proxies": trusted, "features.public_url": publicUrl };
  const proxies = createProxies({
    dataDir,
    logger: { ...silentLogger, warn: (text: unknown) => void lines.push(String(text)) },
    clock: { now: () => time.now },
    config: { get: (key: keyof typeof settings) => settings[key] as never },
  });
  const look = (peer: string, headers: Record<string, string>) =>
    proxies.look(new Headers(headers), () => peer);
  return { dataDir, lines, time, proxies, look, read: () => readProxyNotices(dataDir, time.now) };
}

test.each(["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Prefix"] as const)(
  "%s of a peer that is not trusted is in the log once, and noted",
  (header) => {
    const { lines, look, read, time } = start({ trusted: ["10.0.0.1"] });
    look("172.18.0.1", {});
    look("10.0.0.1", { "X-Forwarded-For": "192.0.2.1", "X-Forwarded-Host": "a" });
    expect([lines, read()]).toEqual([[], []]);
    for (const peer of ["172.18.0.1", "172.18.0.1", "172.18.0.2"]) look(peer, { [header]: "/x" });
    expect(lines).toEqual([
      `${header} from 172.18.0.1 is ignored, because api.trusted_proxies does not have this address. If it is your proxy, add it there; otherwise all its clients count as one address.`,
    ]);
    expect(read()).toEqual([{ kind: "ignored", header, peer: "172.18.0.1", at: time.now }]);
  },
);

test("a note lasts while such requests come, and a day longer", () => {
  const { lines, look, read, time, proxies } = start();
  look("unix", { "X-Forwarded-For": "192.0.2.1" });
  time.now += 2 * HOUR;
  expect(proxies.clientAddress("unix", "192.0.2.1")).toBe("unix");
  time.now += 23 * HOUR;
  expect(read()).toMatchObject([{ peer: "unix" }]);
  time.now += HOUR;
  expect(read()).toEqual([]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("from the unix socket is ignored");
});

test("a public address has a line of its own, and no note: it may be any visitor", () => {
  const { lines, look, read } = start();
  for (const peer of ["9.9.9.9", "8.8.8.8", "127.0.0.1"]) look(peer, { "X-Forwarded-For": "192.0.2.1" });
  expect(lines.map((line) => line.split(" ")[2])).toEqual(["9.9.9.9", "127.0.0.1"]);
  expect(read()).toMatchObject([{ peer: "127.0.0.1" }]);
});

test("a path of a trusted proxy is noted unless short links have another address", () => {
  const headers = { "X-Forwarded-For": "192.0.2.1", "X-Forwarded-Prefix": "/go" };
  const open = start({ trusted: ["127.0.0.1"] });
  open.look("127.0.0.1", headers);
  open.look("127.0.0.1", headers);
  expect(open.lines).toHaveLength(1);
  expect(open.lines[0]).toContain("Set features.public_url");
  open.look("127.0.0.2", headers);
  expect(open.read().map(({ kind }) => kind)).toEqual(["below", "ignored"]);
  const placed = start({ trusted: ["127.0.0.1"], publicUrl: "https://go.example" });
  placed.look("127.0.0.1", headers);
  expect(placed.lines).toEqual([]);
});

test("a file that nobody can read is no note", () => {
  const { dataDir, read } = start();
  for (const text of ["", "{}", "[1]", "null"]) {
    writeFileSync(dataPath(dataDir, "proxyNotices"), text);
    expect(read()).toEqual([]);
  }
});
