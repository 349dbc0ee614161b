import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Database } from "../db/database.ts";
import { forEachDialect } from "../db/for-each-dialect.test-support.ts";
import type { EventRecord } from "../../lib/event.ts";
import { createEvents, type Events } from "./events.service.ts";
import type { EventFilter, EventPlace } from "./events.repository.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");
const DAY = 86_400_000;

forEachDialect(({ openDb }) => {
  let database: Database;
  let events: Events;
  beforeAll(async () => {
    database = await openDb();
    events = createEvents({ database, clock: { now: () => NOW } });
  });
  beforeEach(async () => void (await database.write.deleteFrom("events").execute()));
  afterAll(() => database?.close());

  const event = (more: Partial<EventRecord> = {}): EventRecord => ({
    at: NOW,
    actor: { name: "ann", via: "panel" },
    action: "link.update",
    subject: "a",
    ...more,
  });
  const add = (...records: EventRecord[]) => database.transaction((tx) => events.add(tx, records));
  const walk = async (filter: EventFilter, limit: number): Promise<string[]> => {
    const subjects: string[] = [];
    let next: EventPlace | null = null;
    do {
      const page = await events.page(filter, next, limit);
      subjects.push(...page.events.map(({ subject }) => subject));
      next = page.next;
    } while (next !== null);
    return subjects;
  };

  test("pages give every event once, newest first, also within one instant", async () => {
    const many = Array.from({ length: 25 }, (_, i) =>
      event({ at: NOW + Math.floor(i / 7), subject: String(i) }),
    );
    await add(...many);
    const all = many.map(({ subject }) => subject).toReversed();
    for (const limit of [1, 4, 7, 25, 100]) expect(await walk({}, limit)).toEqual(all);
  });

  test("filters hold together, and a page beside them", async () => {
    await add(
      event({ subject: "1", action: "link.create", subjectId: 7 }),
      event({ subject: "2", actor: { name: "bob", via: "api" } }),
      event({ subject: "3", at: NOW + 1, subjectId: 7 }),
      event({ subject: "3", at: NOW + 2, actor: { name: "cli", via: "cli" } }),
    );
    expect(await walk({ actor: "ann" }, 1)).toEqual(["3", "1"]);
    expect(await walk({ via: "api" }, 5)).toEqual(["2"]);
    expect(await walk({ action: "link.create" }, 5)).toEqual(["1"]);
    expect(await walk({ subject: "3" }, 1)).toEqual(["3", "3"]);
    expect(await walk({ subject: "3", actor: "cli" }, 5)).toEqual(["3"]);
    expect(await walk({ subjectId: 7 }, 1)).toEqual(["3", "1"]);
    expect(await walk({ from: NOW + 1, to: NOW + 1 }, 5)).toEqual(["3"]);
    expect(await walk({ actor: "nobody" }, 5)).toEqual([]);
  });

  test("keeps any text and cuts what is too long", async () => {
    const subject = "ü\u{1F600}\"'%".repeat(10);
    const actor = { name: "ann", via: "token", tool: "shorten" } as const;
    await add(event({ actor, subject, before: { note: subject }, after: { note: "" } }));
    await add(event({ subject: "x".repeat(1_000), actor: { name: "y".repeat(1_000), via: "cli" } }));
    const { events: found } = await events.page({}, null, 2);
    expect(found[0]).toMatchObject({ subject: "x".repeat(300), actor: "y".repeat(140), before: null });
    expect(found[0]!.tool).toBeNull();
    expect(found[1]).toMatchObject({ via: "token", tool: "shorten", subject });
    expect(JSON.parse(found[1]!.before!)).toEqual({ note: subject });
  });

  test("a transaction that fails leaves no event", async () => {
    const failing = database.transaction(async (tx) => {
      await events.add(tx, [event()]);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await walk({}, 5)).toEqual([]);
  });

  test("the job removes all events older than the setting, however many", async () => {
    await add(...Array.from({ length: 2_500 }, () => event({ at: NOW - 30 * DAY - 1, subject: "old" })));
    await add(event({ at: NOW - 30 * DAY, subject: "kept" }));
    await events.retentionJob(() => 30).run(new AbortController().signal);
    expect(await walk({}, 100)).toEqual(["kept"]);
  });
});
