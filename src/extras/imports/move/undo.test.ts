import { afterAll, beforeAll, expect, test } from "bun:test";
import { forEachDialect } from "../../../platform/db/for-each-dialect.test-support.ts";
import { createTitleRepository } from "../../../links/titles/repository.ts";
import { createTitles } from "../../../links/titles/titles.ts";
import { OPTIONS, openImports } from "../imports.test-support.ts";

forEachDialect((dialect) => {
  let room: Awaited<ReturnType<typeof openImports>>;
  beforeAll(async () => {
    room = await openImports(await dialect.openDb());
  });
  afterAll(() => room.close());

  /** Fetches the titles of links. */
  async function fetchTitles(ids: readonly number[]) {
    const { database, changes, clock, repository } = room;
    await database.dialect.insertMany(
      database.write,
      "title_fetches",
      ids.map((link_id) => ({ link_id })),
    );
    const headers = new Headers({ "Content-Type": "text/html" });
    await createTitles({
      repository: createTitleRepository(database),
      links: repository,
      changes,
      record: room.events.add,
      outbound: async ({ url }) => ({ url, status: 200, headers, body: Buffer.from("<title>Page</title>") }),
      isEnabled: () => true,
      isOwn: () => false,
      clock,
      restMs: 0,
    }).run(new AbortController().signal);
  }

  test("undo removes links with titles of their pages, unless somebody changed them besides", async () => {
    const { links, clock } = room;
    const codes = ["titled", "before", "after", "dead"];
    const source = await room.file(
      `code,target\n${codes.map((code) => `${code},https://${code}.example/`).join("\n")}\n`,
    );
    const id = await room.runImport({ product: "csv", source, options: OPTIONS });
    clock.time += 1_000;
    await links.patch("before", { note: "Mine" });
    clock.time += 1_000;
    await fetchTitles(await Promise.all(codes.map(async (code) => (await links.get(code)).id)));
    expect(await links.get("titled")).toMatchObject({ title: "Page", updatedAt: clock.time });
    clock.time += 1_000;
    await links.patch("after", { note: "Mine" });
    const { id: subjectId } = await links.get("dead");
    await room.events.add(room.database.write, [
      {
        at: clock.time,
        actor: { name: "system", via: "system" },
        action: "link.target_dead",
        subject: "dead",
        subjectId,
      },
    ]);
    expect(await room.undo(id)).toMatchObject({ links_removed: 2, links_kept: 2 });
    expect(await links.get("before")).toMatchObject({ note: "Mine", title: "Page" });
    expect(await links.get("after")).toMatchObject({ note: "Mine", title: "Page" });
  });
});
