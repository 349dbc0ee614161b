/** `waymark analytics …` on a real database, with captured output. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";

import { createOutput } from "../platform/cli/output.ts";
import { openDatabase } from "../platform/db/database.ts";
import { migrateUp } from "../platform/db/migrate.ts";
import { COMMAND } from "../lib/actor.ts";
import { AppError } from "../lib/errors.ts";
import { createChoice } from "../links/list/chosen.ts";
import { createOwners } from "../links/link/owners.repository.ts";
import { createLinkSets } from "../links/list/link-set.repository.ts";
import { silentLogger } from "../lib/logger.ts";
import { type AnalyticsRoom, NOW, openAnalytics } from "./analytics/analytics.test-support.ts";
import { addLinkStatsCommand } from "./analytics/commands.ts";
import { addClickCommands } from "./clicks.commands.ts";
import { DAY_MS } from "./rollups/time-buckets.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
let room: AnalyticsRoom;

beforeAll(async () => {
  const database = await openDatabase(
    { url: `sqlite:${join(folder, "test.db")}`, poolSize: 1 },
    { threads: false, logger: silentLogger },
  );
  await migrateUp(database, { logger: silentLogger });
  room = await openAnalytics(database);
});
afterAll(async () => {
  await room.database.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => room.clear());

async function run(line: string): Promise<string> {
  let printed = "";
  const output = createOutput({ write: (text) => (printed += text) }, { write: () => true });
  const chosen = createChoice(
    {
      sets: createLinkSets(room.database),
      owners: createOwners(room.database),
      domains: { idOf: () => 0, list: () => [], stored: (key) => key },
    },
    COMMAND,
  );
  const domains = { key: (code: string) => code, nameOf: (code: string) => ({ code, domain: null }) };
  const services = {
    database: room.database,
    config: { get: () => 7 },
    links: { domains, by: () => ({ chosen }) },
  };
  const context = { services: async () => services, output } as never;
  const program = new Command().exitOverride();
  addClickCommands(program, context);
  addLinkStatsCommand(program.command("links"), context);
  await program.parseAsync(line.split(" "), { from: "user" });
  return printed;
}

async function refusal(line: string): Promise<string> {
  try {
    return await run(line);
  } catch (error) {
    return error instanceof AppError ? `${error.name}: ${error.message}` : String(error);
  }
}

test("rebuild reports its work as text and as JSON", async () => {
  const linkId = await room.addLink("a");
  await room.log([0, 1, 2].map((days) => ({ linkId, at: NOW - days * DAY_MS })));
  const report = JSON.parse(await run("analytics rebuild --from 2026-11-19 --to 2026-11-20 --json"));
  expect(report).toMatchObject({ days: 2, clicks: 2, rewritten: 4, kept: 0 });
  const text = await run("analytics rebuild");
  expect(text).toContain("3 days rebuilt from 3 clicks.");
  const range = { start: NOW - 9 * DAY_MS, end: NOW };
  expect((await room.analytics.link("a", range)).clicks).toBe(3);
});

test.each([
  ["rebuild --from yesterday", "BadRequest: --from must be a day such as 2026-11-20."],
  ["rebuild --to 2026-02-30", "BadRequest: --to must be a day such as 2026-11-20."],
  ["rebuild --to 2026-11-20T00:00:00Z", "BadRequest: --to must be a day such as 2026-11-20."],
  ["rebuild --from 1969-12-31", "BadRequest: --from must be a day such as 2026-11-20."],
  ["rebuild --from 2026-11-20 --to 2026-11-19", "BadRequest: --from is a later day than --to."],
])("%s: %s", async (line, message) => {
  expect(await refusal(`analytics ${line}`)).toBe(message);
});

test("links stats shows the clicks of a link in the range and refuses half a range", async () => {
  const linkId = await room.addLink("docs");
  await room.log([0, 1, 1].map((days) => ({ linkId, at: NOW - days * DAY_MS })));
  await run("analytics rebuild");
  const range = "--from 2026-11-01 --to 2026-12-01";
  const report = JSON.parse(await run(`links stats docs ${range} --json`));
  expect(report).toMatchObject({
    code: "docs",
    total_clicks: 3,
    devices: { total_with_ua: expect.any(Number) },
  });
  const text = await run(`links stats docs ${range}`);
  expect(text).toStartWith(
    "docs: 3 human clicks and 0 bot clicks from 2026-11-01T00:00:00.000Z to 2026-12-01T00:00:00.000Z\n",
  );
  expect(text).toMatch(/^DAY +ALL CLICKS$/m);
  expect(text).toMatch(/^REFERRER +ALL CLICKS +%$/m);
  expect(await refusal("links stats docs --visitors robots")).toStartWith("BadRequest:");
  expect(await refusal("links stats docs --from 2026-11-01")).toStartWith(
    "BadRequest: --from and --to must be given together",
  );
  expect(await refusal("links stats nope")).toBe('LinkNotFound: There is no link "nope".');
});

test("report counts by one thing, under the filter, as text and as JSON", async () => {
  const [one, two] = [await room.addLink("one"), await room.addLink("two")];
  const columns = { utm_campaign: "spring", channel: "campaign" };
  await room.record([
    { linkId: one, at: NOW - 5, country: "DE", city: "Köln", columns },
    { linkId: one, at: NOW - 4, automated: true },
    { linkId: two, at: NOW - 3, columns: { channel: "direct" } },
  ]);
  const range = "--from 2026-11-19 --to 2026-11-21";
  const text = await run(`analytics report link ${range} --limit 1`);
  expect(text).toContain("3 clicks in all from 2026-11-19T00:00:00.000Z");
  expect(text).toContain("1 of them not below");
  expect(text).toMatch(/one +.* 1 +1 +2/);
  const report = async (line: string) => JSON.parse(await run(`analytics report ${line} ${range} --json`));
  expect(await report("utm_campaign")).toEqual({
    data: [{ value: "spring", clicks: 1, human: 1, automated: 0 }],
    total: 3,
    other: 2,
    none: 2,
  });
  expect((await report("city --code one --visitors human --utm-campaign spring")).data).toEqual([
    { value: "Köln", country: "DE", clicks: 1, human: 1, automated: 0 },
  ]);
  expect((await report("channel --search tw")).data).toMatchObject([{ value: "direct", clicks: 1 }]);
  expect(await refusal(`analytics report link --code none ${range}`)).toStartWith("LinkNotFound");
  expect(await refusal("analytics report link --from 2026-11-19")).toStartWith("BadRequest");
});
