import { afterAll, beforeAll, expect, test } from "bun:test";
import { Command } from "commander";
import { COMMAND } from "../../../lib/actor.ts";
import { createOutbound } from "../../../lib/outbound.ts";
import { openLinks } from "../../../links/links.test-support.ts";
import { forEachDialect } from "../../../platform/db/for-each-dialect.test-support.ts";
import { addCompareCommand, createCompare, silenceOf } from "./commands.ts";

const respondingServer = (to: (path: string) => string) =>
  Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => new Response(null, { status: 302, headers: { Location: to(new URL(url).pathname) } }),
  });
const here = respondingServer(() => "https://example.com/same");
const there = respondingServer((path) =>
  path === "/two" ? "https://example.com/other" : "https://example.com/same",
);
afterAll(() => Promise.all([here, there].map((server) => server.stop(true))));

const outbound = createOutbound({ isAllowed: () => true, ports: null });
const comparing = (against: string) =>
  createCompare({
    here: here.url.href,
    against,
    host: null,
    rate: 1_000,
    exactStatus: false,
    outbound,
  });

test("codes that lead elsewhere are reported, in their order", async () => {
  const found = await comparing(there.url.href)(["one", "two"], () => {});
  expect(found.map(({ code }) => code)).toEqual(["two"]);
  expect(silenceOf(found)).toBeNull();
});

test("a service that serves no code is reported at once", async () => {
  // Nothing listens on the discard port.
  const found = await comparing("http://127.0.0.1:9")(["one", "two"], () => {});
  expect(found).toHaveLength(2);
  expect(silenceOf(found)).toContain("The other service answers no code: ");
});

forEachDialect((dialect) => {
  let room: Awaited<ReturnType<typeof openLinks>>;
  /** Answers with the host by which it is asked. */
  const echo = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ headers }) =>
      new Response(null, { status: 302, headers: { Location: `https://${headers.get("host")}/` } }),
  });
  beforeAll(async () => {
    room = await openLinks(await dialect.openDb());
    await room.links.domainService.create({ host: "two.example" }, COMMAND);
    const target = "https://example.com/";
    await room.links.create({ target, code: "a" });
    await room.links.create({ target, code: "b" });
    await room.links.create({ target, code: "c", domain: "two.example" });
  });
  afterAll(() => echo.stop(true));

  async function run(...options: string[]) {
    const printed: unknown[] = [];
    const notes: string[] = [];
    const program = new Command().exitOverride();
    const services = { ...room, imports: { outbound }, config: { get: () => here.url.href } };
    addCompareCommand(program, {
      services: async () => services,
      output: {
        json: (value: unknown) => printed.push(value),
        note: (text: string) => notes.push(text),
        progress: () => ({ update: () => {}, finish: () => {} }),
      },
    } as never);
    const ended = program.parseAsync(["compare", "--rate", "1000", "--json", ...options], { from: "user" });
    const error = await ended.then(
      () => null,
      (reason: Error) => reason.message,
    );
    process.exitCode = 0;
    return { printed: printed[0], notes, error };
  }

  test("codes on other domains are counted, and compared under the name of theirs", async () => {
    const both = ["--own-url", echo.url.href, "--against", echo.url.href];
    expect(await run(...both)).toEqual({
      printed: { compared: 2, differences: [], left_out: 1 },
      notes: ["Not asked: 1 code on other domains. --domain HOST asks those of one."],
      error: null,
    });
    const named = await run("--domain", "two.example", "--against", echo.url.href);
    expect(named.printed).toMatchObject({ compared: 1, left_out: 0 });
    expect(named.printed).toMatchObject({
      differences: [{ code: "c", there: { location: "https://two.example/" } }],
    });
    expect(named.notes).toEqual([]);
  });

  test("a comparison that fails prints as JSON what it has found, and where it stopped", async () => {
    // Nothing listens on the discard port.
    const { printed, notes, error } = await run("--after", "a", "--against", "http://127.0.0.1:9");
    expect(error).toContain("The other service answers no code: ");
    expect(printed).toMatchObject({ compared: 1, differences: [{ code: "b" }], after: "a" });
    expect(notes).toEqual(['Stopped. --after "a" goes on.']);
  });
});
