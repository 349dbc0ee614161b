import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { COMMAND } from "../../lib/actor.ts";
import { createLinkCsv } from "../csv/service.ts";
import { type LinksRoom, NOW, openLinks, TARGET } from "../links.test-support.ts";

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

  test("events of a link have its state and its changes, with the password masked", async () => {
    const links = room.links.by(ann);
    await links.create({ code: "a", target: TARGET, password: "secret" });
    await links.update("a", { target: `${TARGET}2`, expires_at: "2027-01-01T00:00:00Z", password: "" });
    await room.links.remove("a");
    const created = { code: "a", target: TARGET, password: "[REDACTED]" };
    const changed = { target: `${TARGET}2`, expires_at: "2027-01-01T00:00:00.000Z" };
    const by = { actor: "ann", via: "panel", subject: "a" };
    expect(await shown()).toEqual([
      { ...by, action: "link.create", before: null, after: created },
      {
        ...by,
        action: "link.update",
        before: { target: TARGET, expires_at: null, password: "[REDACTED]" },
        after: { ...changed, password: null },
      },
      {
        actor: "cli",
        via: "cli",
        action: "link.delete",
        subject: "a",
        before: { code: "a", ...changed },
        after: null,
      },
    ]);
    const ids = await room.database.read.selectFrom("events").select("subject_id").distinct().execute();
    expect(ids).toHaveLength(1);
    expect(ids[0]!.subject_id).toBeGreaterThan(0);
  });

  test("the event of a change has only the changed fields, and the tags", async () => {
    const long = "n".repeat(2_000);
    await room.links.create({ code: "a", target: TARGET, note: long, tags: ["x"], password: "secret" });
    await room.links.patch("a", { title: "new", redirect_status: 301 });
    await room.links.patch("a", { password: "another" });
    await room.links.patch("a", { tags: [] });
    const recorded = (await shown()).slice(1).map(({ before, after }) => [before, after]);
    expect(recorded).toEqual([
      [
        { tags: ["x"], title: null, redirect_status: null },
        { tags: ["x"], title: "new", redirect_status: 301 },
      ],
      [
        { tags: ["x"], password: "[REDACTED]" },
        { tags: ["x"], password: "[REDACTED]" },
      ],
      [{ tags: ["x"] }, {}],
    ]);
  });

  test("a PATCH that changes nothing is no event", async () => {
    const content = { target: TARGET, title: "t", tags: ["x", "y"], max_clicks: 5, note: null };
    await room.links.create({ code: "a", ...content, password: "secret" });
    await room.links.patch("a", {});
    await room.links.patch("a", { ...content, tags: ["Y", "x"], code: "a", expires_at: null });
    expect((await shown()).map(({ action }) => action)).toEqual(["link.create"]);
    await room.links.patch("a", { tags: ["x"] });
    await room.links.patch("a", { max_clicks: 6 });
    await room.links.patch("a", { code: "b" });
    expect((await shown()).map(({ action }) => action)).toEqual([
      "link.create",
      "link.update",
      "link.update",
      "link.update",
    ]);
  });

  test("a batch, an overwrite and a restore that change nothing are no events", async () => {
    const content = { target: TARGET, title: "t", tags: ["x", "y"], max_clicks: 5 };
    await room.links.create({ code: "a", ...content, password: "secret" });
    await room.links.create({ code: "b", ...content });
    const { id } = (await room.events.page({ subject: "a" }, null, 1)).events[0]!;
    await room.links.revert("a", id, "after");
    await room.links.update("a", { target: TARGET });
    await room.links.batch.update([{ code: "a", payload: { target: TARGET, add_tags: ["x"] } }]);
    await room.links.queryBatch({ filter: {}, action: "update", set: { title: "t" }, confirm: "all" });
    await room.links.create({ code: "b", ...content, tags: ["y", "x"], force: true });
    expect((await shown()).map(({ action }) => action)).toEqual(["link.create", "link.create"]);
    await room.links.patch("a", { title: "other" });
    await room.links.revert("a", id, "after");
    expect((await shown()).slice(2).map(({ after }) => after.title)).toEqual(["other", "t"]);
  });

  test("events of a link on another domain have its host, even for a move and an import", async () => {
    const { domainService } = room.links;
    const { id } = await domainService.create({ host: "go.example" }, COMMAND);
    try {
      await room.links.create({ code: "a", target: TARGET, domain: "go.example" });
      const key = room.links.domains.key("a", "go.example");
      await room.links.patch(key, { title: "new" });
      await room.links.patch(key, { domain: "" });
      await room.links.remove("a");
      const recorded = (await shown()).filter(({ subject }) => subject === "a");
      expect(recorded.map(({ before, after }) => [before, after])).toEqual([
        [null, { code: "a", domain: "go.example", target: TARGET }],
        [
          { domain: "go.example", title: null },
          { domain: "go.example", title: "new" },
        ],
        [
          { code: "a", domain: "go.example", target: TARGET, title: "new" },
          { code: "a", target: TARGET, title: "new" },
        ],
        [{ code: "a", target: TARGET, title: "new" }, null],
      ]);
    } finally {
      await domainService.remove(id, COMMAND);
    }
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
      events: room.events,
      routePrefixes: () => [],
      domains: room.links.domains,
      hashPassword: async (plain) => plain,
      clock: { now: () => NOW },
    });
    const text = "code,target\na,https://x.y/1\nb,https://x.y/2\nc,no\n";
    await csv.import(Buffer.from(text), { mode: "overwrite", actor: ann });
    await csv.import(Buffer.from(text), { mode: "skip", actor: COMMAND, id: "mine-1" });
    const rows = {
      total_rows: 3,
      success_count: 2,
      overwritten_count: 1,
      skipped_count: 0,
      failed_count: 1,
      unread_count: 0,
    };
    expect(await shown()).toEqual([
      {
        actor: "ann",
        via: "import",
        action: "link.update",
        subject: "a",
        before: { target: TARGET },
        after: { target: "https://x.y/1" },
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
        after: {
          mode: "skip",
          ...rows,
          success_count: 0,
          overwritten_count: 0,
          skipped_count: 2,
          import_id: "mine-1",
        },
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
