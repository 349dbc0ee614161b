/** Orders at a real authority, with a clock that the test moves: see WAYMARK_TEST_PEBBLE in scripts/services. */
import { X509Certificate } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { freePort } from "../../../test/support/proxies.ts";
import { PEBBLE, type Pebble, startPebble } from "../../../test/support/pebble.ts";
import type { Database } from "../../platform/db/database.ts";
import { openDatabase } from "../../platform/db/database.ts";
import { createMigrated } from "../../platform/db/schema-copy.test-support.ts";
import { silentLogger } from "../../lib/logger.ts";
import { startWireServer, type WireServer } from "../../platform/wire/wire-server.ts";
import { startJob } from "./certificate-job.test-support.ts";
import { renewalId } from "./order.ts";
import { createPlainResponder } from "./plain-responder.ts";

const RENEWAL = "https://renewal.test/info";
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A window of an hour. */
const suggestRenewal = (at: number): Response =>
  Response.json({
    suggestedWindow: {
      start: new Date(at).toISOString(),
      end: new Date(at + 60 * MINUTE).toISOString(),
    },
  });

describe.skipIf(PEBBLE === undefined)("with pebble", () => {
  let pebble: Pebble;
  let port80: WireServer;
  let job: Awaited<ReturnType<typeof startJob>>;
  let database: Database;
  let drop: () => Promise<void>;
  /** By host, the challenges that were answered. */
  let proofs = new Map<string, number>();

  beforeAll(async () => {
    const httpPort = await freePort();
    pebble = await startPebble(httpPort);
    port80 = startWireServer({
      address: { hostname: "127.0.0.1", port: httpPort, reusePort: false },
      tls: null,
      respond: createPlainResponder({
        proofOf(host) {
          proofs.set(host, (proofs.get(host) ?? 0) + 1);
          return job.known.proofOf(host);
        },
        refresh: async () => {},
        isOurs: () => true,
        httpsPort: () => "",
      }),
      explain: () => new Response(null, { status: 500 }),
    });
  });
  afterAll(async () => {
    await port80?.stop(true);
    await pebble?.remove();
  });

  beforeEach(async () => {
    const fresh = await createMigrated("sqlite");
    database = await openDatabase({ url: fresh.url, poolSize: 4 }, { threads: false, logger: silentLogger });
    proofs = new Map();
    drop = async () => {
      await database.close();
      await fresh.drop();
    };
  });

  afterEach(() => drop());

  const start = async (hosts: string[], suggest: ((url: string) => Response) | null = null) => {
    const request = async (url: string | URL | Request, init?: RequestInit) => {
      if (suggest !== null && String(url).startsWith(RENEWAL)) return suggest(String(url));
      const response = await fetch(url, { ...init, tls: { ca: pebble.ca } });
      if (suggest === null || url !== pebble.directory) return response;
      return Response.json({ ...((await response.json()) as object), renewalInfo: RENEWAL });
    };
    const trusting = Object.assign(request, { preconnect: fetch.preconnect });
    job = await startJob({ database, directory: pebble.directory, hosts, fetch: trusting });
    return job;
  };
  const serialOf = (host: string) => {
    const pair = job.known.of(host)?.pair;
    return pair ? new X509Certificate(pair.cert).serialNumber : null;
  };

  test("an order, and its renewal after two thirds, not before", async () => {
    const { run, pass, served } = await start(["go.test"]);
    await run();
    const first = serialOf("go.test");
    expect(first).not.toBeNull();
    expect(new X509Certificate(job.known.of("go.test")!.pair!.cert).checkHost("go.test")).toBe("go.test");
    expect(served.handlers.serverName(null, "go.test")).toBeDefined();
    const issued = pebble.issued();
    await pass(59 * DAY, DAY);
    expect([serialOf("go.test"), pebble.issued()]).toEqual([first, issued]);
    await pass(2 * DAY, DAY);
    expect(serialOf("go.test")).not.toBe(first);
    expect(job.troubles()).toEqual([["go.test", null]]);
  });

  test("the authority's suggestion decides when to renew", async () => {
    const requested: string[] = [];
    const { run, pass, time } = await start(["soon.test"], (url) => {
      requested.push(url);
      return suggestRenewal(time.now + 20 * DAY);
    });
    await run();
    const first = serialOf("soon.test");
    await pass(10 * DAY, DAY / 2);
    expect([serialOf("soon.test"), new Set(requested)]).toEqual([
      first,
      new Set([`${RENEWAL}/${renewalId(job.known.of("soon.test")!.pair!.cert)}`]),
    ]);
    expect(requested.length).toBeGreaterThan(5);
  });

  test("a suggestion to renew at once is followed, within hours", async () => {
    const { run, pass } = await start(["now.test"], () => suggestRenewal(0));
    await run();
    const first = serialOf("now.test");
    await pass(DAY, DAY / 2);
    expect(serialOf("now.test")).not.toBe(first);
  });

  test("fifty domains get a certificate each, and no other host does", async () => {
    const hosts = Array.from({ length: 50 }, (_, at) => `domain-${at}.test`);
    const before = pebble.issued();
    await (await start(hosts)).run();
    expect(job.troubles()).toEqual(hosts.map((host) => [host, null]));
    expect(pebble.issued() - before).toBe(50);
    expect([...proofs.keys()].toSorted()).toEqual(hosts.toSorted());
    expect(new Set(hosts.map(serialOf)).size).toBe(50);
  });

  test("a refused challenge says why, is tried again later, and holds up no other host", async () => {
    await pebble.lead("away.test", "127.0.0.9");
    const { run, pass, time } = await start(["away.test", "here.test"]);
    await run();
    expect(job.troubles()).toEqual([
      ["away.test", "error"],
      ["here.test", null],
    ]);
    const { failure, tryAt, orderUrl } = job.known.of("away.test")!;
    expect(failure).toContain("The authority refuses: ");
    expect(failure).toContain("away.test");
    expect([tryAt > time.now + 4 * MINUTE, orderUrl]).toEqual([true, null]);
    await pass(3 * MINUTE, MINUTE);
    expect(job.known.of("away.test")!.failures).toBe(1);
    await pebble.lead("away.test", "127.0.0.1");
    await pass(4 * MINUTE, MINUTE);
    expect(job.troubles()[0]).toEqual(["away.test", null]);
  });

  test("an authority that is away for days renews when it is back, and forgets the account meanwhile", async () => {
    const { run, pass } = await start(["late.test"]);
    await run();
    const first = serialOf("late.test");
    await pebble.stop();
    await pass(64 * DAY, DAY / 2);
    expect([serialOf("late.test"), job.troubles()]).toEqual([first, [["late.test", "warning"]]]);
    expect(job.reports.length).toBeGreaterThan(0);
    await pebble.startAgain();
    await pass(DAY, DAY / 2);
    expect(serialOf("late.test")).not.toBe(first);
    expect(job.troubles()).toEqual([["late.test", null]]);
  });

  test("a host that is not ours any more is not renewed", async () => {
    const { run, pass, hosts } = await start(["left.test"]);
    await run();
    hosts.length = 0;
    const before = pebble.issued();
    await pass(95 * DAY, 5 * DAY);
    expect([pebble.issued(), job.known.all()]).toEqual([before, []]);
    expect(job.served.handlers.serverName(null, "left.test")).toBeUndefined();
  });
});
