import { expect, test } from "bun:test";
import { join } from "node:path";
import { Command } from "commander";
import { sql } from "kysely";
import { silentLogger } from "../../lib/logger.ts";
import { type Database, openDatabase } from "../../platform/db/database.ts";
import {
  DIALECT_NAMES,
  type DialectName,
  inServer,
  isLong,
  serverUrl,
} from "../../platform/db/fresh.test-support.ts";
import { fillTables, rowsOf, sampleRow } from "./move.test-support.ts";
import { cancelMove, type MoveSettings, moveDatabase } from "./move.ts";
import { addMoveCommand } from "./move.commands.ts";
import { becomeMover, setMarks } from "./mover.ts";
import { movedTo, readMarks, renameLog } from "../../platform/db/move-switch.ts";
import { LEFT_OUT, MOVED, PASSED_ON } from "./move-tables.ts";
import { createMigrated } from "../../platform/db/schema-copy.test-support.ts";

/** The pairs of CI. The long suite has the others. */
const QUICK: readonly string[] = ["sqlite postgres", "mysql sqlite"];

/** Two databases and a connection of a server to the first one. */
async function withPair(
  names: readonly DialectName[],
  run: (pair: {
    source: Database;
    server: Database;
    target: Database;
    settings: MoveSettings;
  }) => Promise<void>,
): Promise<void> {
  // In turn: the first one of its kind makes the copy for the next.
  const fresh = [await createMigrated(names[0]!), await createMigrated(names[1]!)];
  const [source, server, target] = await Promise.all(
    [fresh[0]!, fresh[0]!, fresh[1]!].map(({ url }) =>
      openDatabase({ url, poolSize: 3 }, { threads: false, logger: silentLogger }),
    ),
  );
  const settings: MoveSettings = {
    source: source!,
    target: target!,
    sealedUrl: "sealed",
    copyOnly: false,
    now: Date.now,
    signal: new AbortController().signal,
    onProgress: () => {},
  };
  try {
    await run({ source: source!, server: server!, target: target!, settings });
  } finally {
    await Promise.all([source, server, target].map((database) => database!.close()));
    await Promise.all(fresh.map((one) => one.drop()));
  }
}

/** Returns the JSON that the command prints. */
async function cancelByCommand(database: Database): Promise<unknown[]> {
  const printed: unknown[] = [];
  const program = new Command();
  const output = { json: (value: unknown) => printed.push(value) };
  addMoveCommand(program, { services: async () => ({ database }), output } as never);
  await program.parseAsync(["move", "--cancel", "--json"], { from: "user" });
  return printed;
}

const isThere = (name: DialectName) => name === "sqlite" || serverUrl(name) !== undefined;

/** What servers may do between two rounds: values pass from row to row, parents go and come back. */
async function changeMuch({ transaction, write, dialect }: Database): Promise<void> {
  await write.deleteFrom("links").where("id", "=", 2).execute();
  await transaction(async (tx) => {
    await tx.updateTable("links").set({ code: "free" }).where("id", "=", 4).execute();
    await tx.updateTable("links").set({ code: "é4" }).where("id", "=", 5).execute();
    await tx.updateTable("links").set({ code: "é5" }).where("id", "=", 4).execute();
    await tx.updateTable("policies").set({ is_default: null }).where("id", "=", 5).execute();
    await tx.updateTable("policies").set({ is_default: 5 }).where("id", "=", 4).execute();
    await tx.updateTable("link_tags").set({ tag_id: 99 }).where("link_id", "=", 1).execute();
  });
  // Back without the rows that referred to it.
  await transaction((tx) => dialect.insertMany(tx, "links", [sampleRow("links", 2)] as never));
  await write.insertInto("link_clicks").values({ link_id: 2, clicks: 7, ranked: 0 }).execute();
  await write.updateTable("click_log").set({ source: "changed" }).where("id", "<", 4).execute();
  await write.deleteFrom("click_log").where("id", "=", 5).execute();
}

for (const from of DIALECT_NAMES) {
  for (const to of DIALECT_NAMES.filter((name) => name !== from)) {
    if (QUICK.includes(`${from} ${to}`) === isLong) continue;
    const thePair = [from, to];
    test.skipIf(!thePair.every(isThere))(`everything moves from ${from} to ${to} while it changes`, () =>
      withPair(thePair, async ({ source, server, target, settings }) => {
        await server.write.deleteFrom("link_totals").execute();
        let last = 0;
        while (last < 9)
          last = await server.dialect.insertReturningId(server.write, "tags", {
            tag: `gone ${last}`,
            links: 0,
          });
        await server.write.deleteFrom("tags").execute();
        await fillTables(server, [1, 2, 3, 4, 5, 6]);
        let [changed, stop] = [false, new AbortController()];
        const stopping = moveDatabase({
          ...settings,
          signal: stop.signal,
          onProgress: (step, what) => step === "copy" && what.startsWith("links:") && stop.abort(),
        });
        await expect(stopping).rejects.toThrow();
        await changeMuch(server);
        expect(await movedTo(server)).toBeNull();
        await expect(movedTo(target)).rejects.toThrow("unfinished copy");
        await moveDatabase({ ...settings, copyOnly: true });
        const busy: Promise<unknown>[] = [];
        const refused = (error: unknown) => expect(error).toMatchObject({ failure: "moving" });
        const { rows } = await moveDatabase({
          ...settings,
          onProgress(step) {
            if (step !== "compare" || changed) return;
            changed = true;
            // The move may end first.
            busy.push(fillTables(server, [7]).catch(refused));
          },
        });
        await Promise.all(busy);
        expect(rows).toBeGreaterThan(300);
        expect(await rowsOf(target)).toEqual(await rowsOf(source));
        const late = server.write.updateTable("links").set({ title: "late" }).where("id", "=", 1).execute();
        await expect(late).rejects.toMatchObject({ name: "ServiceUnavailable", failure: "moving" });
        expect(await movedTo(server)).toMatchObject({ url: "sealed" });
        expect(await movedTo(target)).toBeNull();
        const next = await target.dialect.insertReturningId(target.write, "tags", { tag: "next", links: 0 });
        expect(next).toBeGreaterThan(last);
      }),
    );
  }
}

test.skipIf(isLong || !isThere("mysql"))(
  "a move refuses an account that may not create triggers, and changes nothing",
  () =>
    withPair(["mysql", "sqlite"], async ({ source, target, settings }) => {
      const name = `waymark_${crypto.randomUUID().slice(0, 8)}`;
      const asRoot = (text: string) => sql.raw(text).execute(source.write);
      await asRoot(`create user ${name}@localhost identified by 'limited'`);
      try {
        const { rows } = await sql<{ db: string }>`select database() as db`.execute(source.read);
        await asRoot(`grant all on ${rows[0]!.db}.* to ${name}@localhost`);
        await asRoot(`revoke trigger on ${rows[0]!.db}.* from ${name}@localhost`);
        const url = new URL(inServer(serverUrl("mysql")!, rows[0]!.db));
        [url.username, url.password] = [name, "limited"];
        const limited = await openDatabase(
          { url: url.href, poolSize: 2 },
          { threads: false, logger: silentLogger },
        );
        try {
          const refused = moveDatabase({ ...settings, source: limited });
          await expect(refused).rejects.toThrow(
            /may not create triggers.* Grant it TRIGGER.* Nothing was changed/,
          );
          expect([await readMarks(source), await readMarks(target)]).toEqual([null, null]);
        } finally {
          await limited.close();
        }
      } finally {
        await asRoot(`drop user ${name}@localhost`);
      }
    }),
);

test.skipIf(isLong)(
  "a move refuses a database with rows and that of another move, until it is cancelled",
  () =>
    withPair(["sqlite", "sqlite"], async ({ source, server, target, settings }) => {
      await target.write.insertInto("tags").values({ tag: "kept", links: 0 }).execute();
      await expect(moveDatabase(settings)).rejects.toThrow("not empty");
      await target.write.deleteFrom("tags").execute();
      await moveDatabase({ ...settings, copyOnly: true });
      const other = { ...settings, target: { ...target, name: "other.db" } };
      await expect(moveDatabase(other)).rejects.toThrow("is under way");
      await expect(moveDatabase({ ...settings, source: target, target: source })).rejects.toThrow();
      expect(await cancelByCommand(source)).toEqual([{ cancelled: true }]);
      await server.write.insertInto("tags").values({ tag: "new", links: 0 }).execute();
      await expect(cancelMove(source)).rejects.toThrow("No move");
      const { rows } = await sql`select name from sqlite_schema where name like 'waymark_move%'`.execute(
        source.read,
      );
      expect(rows).toEqual([]);
    }),
);

test.skipIf(isLong)(
  "tables follow those that they refer to, and unique values can be passed on",
  async () => {
    const schema = await Bun.file(join(import.meta.dir, "../../../db/schema/postgres.sql")).text();
    const wrong: string[] = [];
    for (const [, name, body] of schema.matchAll(/^create table (\w+) \(\n([^;]*)\);/gm)) {
      const table = name as (typeof MOVED)[number];
      if (LEFT_OUT.includes(table)) continue;
      for (const [, parent] of body!.matchAll(/REFERENCES (\w+)/g))
        if (MOVED.indexOf(parent as typeof table) >= MOVED.indexOf(table))
          wrong.push(`${table} before ${parent}`);
      for (const [, columns] of body!.matchAll(/UNIQUE \(([^)]*)\)/g))
        if (!columns!.split(", ").some((column) => PASSED_ON[table]?.includes(column)))
          wrong.push(`${table}: ${columns}`);
    }
    expect(wrong).toEqual([]);
  },
);

for (const name of DIALECT_NAMES) {
  if ((name === "sqlite") === isLong) continue;
  test.skipIf(!isThere(name))(
    `a switch that nobody finishes is undone, once, and then moves on ${name}`,
    () =>
      withPair([name, "sqlite"], async ({ source, server, target, settings }) => {
        const add = (tag: string) => server.write.insertInto("tags").values({ tag, links: 0 }).execute();
        await add("one");
        await moveDatabase({ ...settings, copyOnly: true });
        const mover = await becomeMover(source);
        await expect(moveDatabase(settings)).rejects.toThrow("Another command is moving");
        const closed = await mover.close(Date.now());
        await expect(add("two")).rejects.toMatchObject({ failure: "moving" });
        await mover.leave();
        expect(await Promise.all([movedTo(server), movedTo(source)])).toEqual([null, null]);
        await add("two");
        const marks = { moved_to: "sealed", moved_at: "1" };
        await expect(mover.finish(marks)).rejects.toThrow("silent for too long");
        // Of one that was paused before it renamed the log, and then killed.
        await renameLog(source, "waymark_move_log", closed);
        await expect(add("three")).rejects.toMatchObject({ failure: "moving" });
        expect(await movedTo(server)).toBeNull();
        // Of one that was killed in the switch.
        await source.transaction((tx) => setMarks(tx, { mover: "killed switches 7" }));
        await renameLog(source, "waymark_move_log", "waymark_move_log_killed");
        await expect(add("three")).rejects.toMatchObject({ failure: "moving" });
        expect(await movedTo(server)).toBeNull();
        await add("three");
        await moveDatabase(settings);
        expect(await rowsOf(target)).toEqual(await rowsOf(source));
        await expect(add("four")).rejects.toMatchObject({ failure: "moving" });
        expect(await movedTo(server)).toMatchObject({ url: "sealed" });
      }),
  );
}
