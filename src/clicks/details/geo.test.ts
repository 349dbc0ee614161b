import { afterEach, describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "../../lib/logger.ts";
import { createGeo, type Geo } from "./geo.ts";
import { isPublicAddress } from "../../lib/public-address.ts";

const FIXTURE = join(import.meta.dir, "..", "..", "..", "test", "fixtures", "geo.mmdb");
const open: Geo[] = [];
const dir = mkdtempSync(join(tmpdir(), "waymark-geo-"));
afterEach(() => {
  for (const geo of open.splice(0)) geo.close();
});

function setUp(
  settings: { file?: string; url?: string },
  respond?: (url: string, init: RequestInit) => Promise<Response>,
) {
  const clock = { time: 1_000_000, now: () => clock.time };
  const urls: string[] = [];
  const fetch = (async (url: string, init: RequestInit) => {
    urls.push(url);
    return (respond ?? (async () => Response.json({})))(url, init);
  }) as unknown as typeof globalThis.fetch;
  const geo = createGeo(
    { maxminddbPath: settings.file ?? null, geoipApiUrl: settings.url ?? null },
    { clock, logger: silentLogger, fetch },
  );
  open.push(geo);
  return { geo, clock, urls };
}

test.each([
  ["8.8.8.8", true],
  ["2a00:1450:4001::1", true],
  ["::ffff:8.8.8.8", true],
  ["10.1.2.3", false],
  ["127.0.0.1", false],
  ["100.64.0.1", false],
  ["169.254.169.254", false],
  ["::1", false],
  ["fe80::1", false],
  ["fd00::1", false],
  ["::ffff:192.168.0.1", false],
  ["2002:c0a8:1::1", false],
  ["unix", false],
  ["", false],
])("%s is public: %p", (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected);
});

describe("MaxMind file", () => {
  test("gives country and city, even for IPv6, and none for private addresses", async () => {
    const { geo } = setUp({ file: FIXTURE });
    const places = await geo.lookupMany([
      "81.2.69.1",
      "216.160.83.5",
      "2a02:d300::1",
      "10.0.0.1",
      "8.8.8.8",
      "nonsense",
    ]);
    expect(Object.fromEntries(places)).toEqual({
      "81.2.69.1": { country: "GB", city: "London" },
      "216.160.83.5": { country: "US", city: null },
      "2a02:d300::1": { country: "UA", city: null },
    });
  });

  test("a file that appears later is used; a broken one leaves the last good one in use", async () => {
    const file = join(dir, "late.mmdb");
    const { geo, clock } = setUp({ file });
    expect((await geo.lookupMany(["81.2.69.1"])).size).toBe(0);
    copyFileSync(FIXTURE, file);
    clock.time += 60_000;
    expect((await geo.lookupMany(["81.2.69.1"])).get("81.2.69.1")?.city).toBe("London");
    writeFileSync(file, "broken");
    clock.time += 60_000;
    expect((await geo.lookupMany(["89.160.20.9"])).get("89.160.20.9")?.country).toBe("SE");
    rmSync(file);
  });
});

describe("HTTP provider", () => {
  test("is queried once per address, even concurrently, and cached for 15 minutes", async () => {
    const { geo, clock, urls } = setUp({ url: "https://geo.example/{ip}/json" }, async () =>
      Response.json({ countryCode: "de", city: "Köln" }),
    );
    const [first, second] = await Promise.all([
      geo.lookupMany(["8.8.8.8"]),
      geo.lookupMany(["8.8.8.8", "8.8.8.8"]),
    ]);
    expect(first.get("8.8.8.8")).toEqual({ country: "DE", city: "Köln" });
    expect(second).toEqual(first);
    clock.time += 14 * 60_000;
    await geo.lookupMany(["8.8.8.8"]);
    expect(urls).toEqual(["https://geo.example/8.8.8.8/json"]);
    clock.time += 2 * 60_000;
    await geo.lookupMany(["8.8.8.8"]);
    expect(urls).toHaveLength(2);
  });

  test("never receives a private address", async () => {
    const { geo, urls } = setUp({ url: "https://geo.example/" });
    await geo.lookupMany(["10.0.0.1", "127.0.0.1", "::1", "fd00::1", "169.254.169.254", "unix", "../admin"]);
    expect(urls).toEqual([]);
  });

  test("an unknown address is cached as unknown", async () => {
    const { geo, urls } = setUp(
      { url: "https://geo.example/" },
      async () => new Response("", { status: 404 }),
    );
    await geo.lookupMany(["8.8.8.8"]);
    expect((await geo.lookupMany(["8.8.8.8"])).size).toBe(0);
    expect(urls).toEqual(["https://geo.example/8.8.8.8"]);
  });

  test.each([
    ["an error", async () => new Response("", { status: 500 })],
    ["no JSON", async () => new Response("<html>")],
    ["too much", async () => new Response("x".repeat(100_000))],
    ["a refused connection", () => Promise.reject(new Error("refused"))],
  ])("after %s it rests, then is queried again", async (_what, respond) => {
    const { geo, clock, urls } = setUp({ url: "https://geo.example/" }, respond);
    expect((await geo.lookupMany(["8.8.8.8"])).size).toBe(0);
    await geo.lookupMany(["8.8.4.4"]);
    expect(urls).toHaveLength(1);
    clock.time += 31_000;
    await geo.lookupMany(["8.8.8.8"]);
    expect(urls).toHaveLength(2);
  });

  test("the file has priority; the provider is queried only while the file is unreadable", async () => {
    const { geo, urls } = setUp({ file: FIXTURE, url: "https://geo.example/" });
    await geo.lookupMany(["81.2.69.1", "8.8.8.8"]);
    expect(urls).toEqual([]);
    const without = setUp({ file: join(dir, "none.mmdb"), url: "https://geo.example/" });
    await without.geo.lookupMany(["8.8.8.8"]);
    expect(without.urls).toHaveLength(1);
  });

  test("a request has a time limit and follows no redirect", async () => {
    let seen: RequestInit = {};
    const { geo } = setUp({ url: "https://geo.example/" }, async (_url, init) => {
      seen = init;
      return Response.json({});
    });
    await geo.lookupMany(["8.8.8.8"]);
    expect(seen.signal).toBeInstanceOf(AbortSignal);
    expect(seen.redirect).toBe("error");
  });

  test("ten thousand places are cached; the least recently used are evicted first", async () => {
    const { geo, urls } = setUp({ url: "https://geo.example/" });
    const addresses = Array.from(
      { length: 10_001 },
      (_, at) => `8.${at >> 16}.${(at >> 8) & 255}.${at & 255}`,
    );
    await geo.lookupMany(addresses.slice(0, 10_000));
    await geo.lookupMany([addresses[0]!]);
    await geo.lookupMany([addresses[10_000]!]);
    const before = urls.length;
    await geo.lookupMany([addresses[0]!, addresses[10_000]!]);
    expect(urls.length).toBe(before);
  });
});
