/**
 * An upgrade from this version to the next, which test/support/next-version.ts makes up: the next version is killed
 * while it changes the schema, two of them start at once, and a server of this version answers all the time.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  createFresh,
  type DialectName,
  type Fresh,
  DIALECT_NAMES,
  SERVER_VARIABLES,
  serverUrl,
} from "../src/platform/db/fresh.test-support.ts";
import { driveClient } from "./support/drive.ts";
import { type Client, clientOf, PASSWORD, signIn } from "./support/session.ts";
import { tusCalls } from "./support/tus-calls.ts";
import { until } from "./support/until.ts";
import { install, type Installation, type RunningWaymark } from "./support/waymark.ts";

const NEXT_VERSION = join(import.meta.dir, "support", "next-version");
const NEXT_STEPS = [
  "9001_links_mood",
  "9002_trouble",
  "9003_links_mood_now",
  "9004_links_mood_index",
  "9005_moods",
];

function tell(name: DialectName): void {
  let fresh: Fresh;
  let installation: Installation;
  let next: Installation;
  let server: RunningWaymark;
  let client: Client;
  let redirects = 0;
  let isOver = false;
  let visitor: Promise<void>;
  const failures: unknown[] = [];

  const targetOf = (code: string) => `https://example.com/${code}`;
  const make = async (code: string) =>
    expect((await client.call("POST", "/links", { code, target: targetOf(code) })).status).toBe(201);
  const visit = async (code: string) => {
    const { status, headers } = await fetch(`${server.url}/${code}`, { redirect: "manual" });
    expect([status, headers.get("location")]).toEqual([307, targetOf(code)]);
    redirects += 1;
  };
  /** Waits for some redirects from now on. */
  const answersOn = async () => {
    const enough = redirects + 20;
    await until(() => redirects >= enough || failures.length > 0);
    expect(failures).toEqual([]);
  };
  const visitAllTheTime = async () => {
    for (; !isOver; await Bun.sleep(10)) await visit("first").catch((error: unknown) => failures.push(error));
  };

  beforeAll(async () => {
    fresh = await createFresh(name);
    installation = install(name === "sqlite" ? {} : { WAYMARK__DATABASE__URL: fresh.url });
    await installation.run(["reset-password", "--stdin"], PASSWORD);
    server = await installation.serve();
    client = await signIn(server.url);
    await make("first");
    visitor = visitAllTheTime();
    const settings = name === "sqlite" ? {} : { WAYMARK__DATABASE__URL: fresh.url };
    next = install({ ...settings, WAYMARK__DATA__DIR: installation.dataDir }, NEXT_VERSION);
  });
  afterAll(async () => {
    isOver = true;
    await visitor;
    await next?.remove();
    await installation?.remove();
    await fresh?.drop();
  });

  const pending = async () => {
    const { stdout } = await next.cli(["migrate", "status", "--json"]);
    const states: { name: string; applied_at: string | null }[] = JSON.parse(stdout);
    return states.filter(({ applied_at }) => applied_at === null).map((state) => state.name);
  };

  test("what is killed in the middle of the steps leaves a database that this version goes on with", async () => {
    expect(await pending()).toEqual(NEXT_STEPS);
    const killed = await next.cli(["migrate", "up"], undefined, { WAYMARK_TEST_NEXT: "die" });
    expect(killed.exitCode).toBe(137);
    await answersOn();
    await make("amid");
    await visit("amid");
    expect(await pending()).toContain("9002_trouble");
  });

  test("a step that fails says so and can run again", async () => {
    const { exitCode, stderr } = await next.cli(["migrate", "up"], undefined, { WAYMARK_TEST_NEXT: "fail" });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("the step of the next version fails");
    await make("again");
    await visit("again");
  });

  test("of two that start at once each step runs once, and this version answers meanwhile", async () => {
    const left = await pending();
    const both = await Promise.all([1, 2].map(() => next.run(["migrate", "up", "--json"])));
    expect(both.flatMap((text) => JSON.parse(text).applied)).toEqual(left);
    expect(await pending()).toEqual([]);
    await answersOn();
  });

  test("a server of this version that runs goes on with the newer schema, but none starts", async () => {
    await make("later");
    await visit("later");
    await answersOn();
    const { exitCode, stderr } = await installation.cli(["migrate", "status"]);
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/newer version of Waymark.*Upgrade this program; nothing was changed/);
  });

  test("after a kill the next version counts every redirect, and goes on with sessions and uploads", async () => {
    isOver = true;
    await visitor;
    expect(failures).toEqual([]);
    const content = Buffer.alloc(20_000, "unfinished");
    let tus = tusCalls(driveClient(server.url, client.token));
    const path = (await tus.begin("unfinished.bin", content.length, null)).headers.get("Location")!;
    expect((await tus.patch(path, 0, content.subarray(0, 8_000))).status).toBe(204);
    await server.kill();
    server = await next.serve();
    client = clientOf(server.url, client.token);
    const me = driveClient(server.url, client.token);
    tus = tusCalls(me);
    expect((await tus.head(path)).headers.get("Upload-Offset")).toBe("8000");
    expect((await tus.patch(path, 8_000, content.subarray(8_000))).status).toBe(204);
    const { files } = (await me.call("GET", "/folders")).body.data;
    expect(await (await me.send(`/files/${files[0].id}/download`)).bytes()).toEqual(new Uint8Array(content));
    for (const code of ["first", "amid", "again", "later"]) await visit(code);
    await until(async () => (await client.call("GET", "/stats")).body.data.total_clicks === redirects);
    await make("new");
    await visit("new");
  });
}

for (const name of DIALECT_NAMES) {
  const isMissing = name !== "sqlite" && serverUrl(name) === undefined;
  if (isMissing) test.skip(`an upgrade with ${name} (${SERVER_VARIABLES[name]} is not set)`, () => {});
  else describe(`an upgrade with ${name}`, () => tell(name));
}
