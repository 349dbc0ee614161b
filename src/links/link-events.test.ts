import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../db/for-each-dialect.ts";
import { COMMAND } from "../lib/actor.ts";
import { createLinkCsv } from "./csv/service.ts";
import { type LinksRoom, NOW, openLinks, TARGET } from "./links.test-support.ts";

forEachDialect(({ openDb }) => {
  let room: LinksRoom;
  beforeAll(async () => {
    room = await openLinks(await openDb());
  });
  beforeEach(() => room.clear());
  afterAll(() => room?.database.close());

  const shown = async () =>
    (await room.events.page({}, null, 10_000)).events
      .toReversed()
      .map(({ actor, via, action, subject, before, after }) => ({
        actor,
        via,
        action,
        subject,
        before: before && JSON.parse(before),
        after: after && JSON.parse(after),
      }));
  const ann = { name: "ann", via: "panel", accountId: 7, ownOnly: false } as const;

  test("a link's life is told with all it held, and its password is masked", async () => {
    const links = room.links.by(ann);
    await links.create({ code: "a", target: TARGET, password: "secret" });
    await links.update("a", { target: `${TARGET}2`, expires_at: "2027-01-01T00:00:00Z", password: "" });
    await room.links.remove("a");
    const created = { code: "a", target: TARGET, password: "[REDACTED]" };
    const updated = { code: "a", target: `${TARGET}2`, expires_at: "2027-01-01T00:00:00.000Z" };
    const by = { actor: "ann", via: "panel", subject: "a" };
    expect(await shown()).toEqual([
      { ...by, action: "link.create", before: null, after: created },
      { ...by, action: "link.update", before: created, after: updated },
      { actor: "cli", via: "cli", action: "link.delete", subject: "a", before: updated, after: null },
    ]);
    const ids = await room.database.read.selectFrom("events").select("subject_id").distinct().execute();
    expect(ids).toHaveLength(1);
    expect(ids[0]!.subject_id).toBeGreaterThan(0);
  });

  test("a batch records one event a link, and refused items none", async () => {
    const items = Array.from({ length: 2_500 }, (_, i) => ({ code: `c${i}`, target: TARGET }));
    await room.links.batch.create([...items, { code: "c1", target: TARGET }, { code: "c2", target: "no" }]);
    const events = await shown();
    expect(events).toHaveLength(2_500);
    expect(new Set(events.map(({ subject }) => subject)).size).toBe(2_500);
    const ids = await room.database.read
      .selectFrom("events")
      .innerJoin("links", (on) => on.onRef("links.id", "=", "subject_id").onRef("links.code", "=", "subject"))
      .select("links.id")
      .execute();
    expect(ids).toHaveLength(2_500);
  });

  test("an overwrite is an update of the link that was there", async () => {
    await room.links.create({ code: "a", target: TARGET });
    await room.links.create({ code: "a", target: `${TARGET}2`, force: true });
    expect((await shown()).map(({ action }) => action)).toEqual(["link.create", "link.update"]);
  });

  test("an import is one event, and one for each link that it overwrites", async () => {
    await room.links.create({ code: "a", target: TARGET });
    await room.database.write.deleteFrom("events").execute();
    const csv = createLinkCsv({
      database: room.database,
      changes: room.changes,
      record: room.events.add,
      routePrefixes: () => [],
      domainOf: () => null,
      hashPassword: async (plain) => plain,
      clock: { now: () => NOW },
    });
    const text = "code,target\na,https://x.y/1\nb,https://x.y/2\nc,no\n";
    await csv.import(Buffer.from(text), { mode: "overwrite", actor: ann });
    await csv.import(Buffer.from(text), { mode: "skip", actor: COMMAND });
    const rows = { total_rows: 3, success_count: 2, skipped_count: 0, failed_count: 1 };
    expect(await shown()).toEqual([
      {
        actor: "ann",
        via: "import",
        action: "link.update",
        subject: "a",
        before: { code: "a", target: TARGET },
        after: { code: "a", target: "https://x.y/1" },
      },
      {
        actor: "ann",
        via: "import",
        action: "links.import",
        subject: "overwrite",
        before: null,
        after: { mode: "overwrite", ...rows },
      },
      {
        actor: "cli",
        via: "import",
        action: "links.import",
        subject: "skip",
        before: null,
        after: { mode: "skip", ...rows, success_count: 0, skipped_count: 2 },
      },
    ]);
  });

  test("a write that fails leaves no event, and an event that fails no write", async () => {
    const broken = await openLinks(room.database, {
      record: async (db, events) => {
        await room.events.add(db, events);
        throw new Error("no");
      },
    });
    await expect(broken.links.create({ code: "a", target: TARGET })).rejects.toThrow("no");
    expect(await room.rows("links")).toBe(0);
    expect(await shown()).toEqual([]);
  });
});
