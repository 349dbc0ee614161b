/** On one database, opened twice like by two processes. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { createChanges } from "../../platform/cluster/changes.ts";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { silentLogger } from "../../lib/logger.ts";
import { type LinksRoom, openLinks, TARGET } from "../links.test-support.ts";
import { createUsesRepository } from "./repository.ts";
import { createLinkUses } from "./uses.ts";

forEachDialect((dialect) => {
  let room: LinksRoom;
  let other: Database;
  beforeAll(async () => {
    room = await openLinks(await dialect.openDb({ threads: true }));
    other = await dialect.openDb({ threads: true });
  });
  beforeEach(() => room.clear());

  const usesOn = (database: Database) =>
    createLinkUses({
      repository: createUsesRepository(database),
      changes: createChanges({ database, clock: room.clock, logger: silentLogger }),
    });
  async function limited(max_clicks: number | null, code?: string): Promise<number> {
    const link = await room.links.create({ target: TARGET, max_clicks, code });
    return (await room.repository.find(link.code))!.id;
  }
  const passed = (results: readonly boolean[]) => results.filter(Boolean).length;
  const stored = async (id: number) =>
    (
      await room.database.read
        .selectFrom("link_uses")
        .select("uses")
        .where("link_id", "=", id)
        .executeTakeFirst()
    )?.uses;

  test("as many pass as the limit allows, over two instances at once", async () => {
    const [one, two] = [usesOn(room.database), usesOn(other)];
    const ids = [await limited(1), await limited(7), await limited(40)];
    const takers = Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? one : two));
    const results = await Promise.all(ids.map((id) => Promise.all(takers.map((uses) => uses.take(id)))));
    expect(results.map(passed)).toEqual([1, 7, 40]);
    expect(await Promise.all(ids.map(stored))).toEqual([1, 7, 40]);
  });

  test("a higher limit lets more pass; a lower one keeps what is used", async () => {
    const { uses } = room.links;
    const id = await limited(2, "a");
    expect(passed([await uses.take(id), await uses.take(id), await uses.take(id)])).toBe(2);
    await room.links.update("a", { target: TARGET, max_clicks: 3 });
    expect(passed([await uses.take(id), await uses.take(id)])).toBe(1);
    await room.links.update("a", { target: TARGET, max_clicks: 1 });
    expect(await uses.take(id)).toBe(false);
    expect(await stored(id)).toBe(3);
  });

  test("the stored limit decides, even if another process changed it a moment ago", async () => {
    const uses = usesOn(other);
    const id = await limited(5, "a");
    await room.links.update("a", { target: TARGET, max_clicks: 1 });
    expect([await uses.take(id), await uses.take(id)]).toEqual([true, false]);
  });

  test("deleted links let nobody pass, and do not affect others", async () => {
    const { uses } = room.links;
    const [gone, kept] = [await limited(5, "gone"), await limited(5)];
    await uses.take(gone);
    await room.links.remove("gone");
    expect(await Promise.all([uses.take(gone), uses.take(kept), uses.take(gone + 1_000)])).toEqual([
      false,
      true,
      false,
    ]);
    expect(await stored(gone)).toBeUndefined();
  });
});
