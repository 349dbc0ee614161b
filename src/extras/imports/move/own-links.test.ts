/** Clicks that a successor counted are added to the sums of links that are here, once. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { forEachDialect } from "../../../platform/db/for-each-dialect.test-support.ts";
import { COMMAND } from "../../../lib/actor.ts";
import { OPTIONS, openImports } from "../imports.test-support.ts";

const ID = "7d5f1f0e-0000-4000-8000-000000000001";
const fileOf = (rows: readonly (readonly [string, string, string, number, number])[], total?: number) => {
  const sum = rows.reduce((n, row) => n + row[3], 0);
  const lines = rows.map((row) => row.join(","));
  return (
    ["waymark successor clicks 1", ID, String(total ?? sum)].join(",") +
    `\ncode,domain,hour,clicks,automated\n${lines.join("\n")}\n`
  );
};
const ROWS = [
  ["a", "", "2026-11-01T10:00:00Z", 5, 2],
  ["b", "b.test", "2026-11-01T10:00:00Z", 1, 0],
  ["b", "", "2026-11-01T10:00:00Z", 2, 2],
  ["gone", "", "2026-11-01T11:00:00Z", 7, 0],
  ["merged", "", "2026-11-01T11:00:00Z", 3, 1],
  ["a", "unknown.test", "2026-11-02T00:00:00Z", 4, 0],
] as const;

forEachDialect((dialect) => {
  let room: Awaited<ReturnType<typeof openImports>>;
  beforeAll(async () => {
    room = await openImports(await dialect.openDb());
    const { links } = room;
    await links.domainService.create({ host: "b.test" }, COMMAND);
    for (const code of ["a", "b", "merged"]) await links.create({ code, target: "https://example.com/" });
    await links.create({ code: "b", domain: "b.test", target: "https://example.com/" });
    // Both codes of the bundle are one link now.
    await links.remove("b");
    await links.patch("merged", { code: "b", keep_old: true });
    await room.click("a", 10, 1);
  });
  afterAll(() => room.close());

  const made = async (text: string) =>
    ({
      product: "successor",
      source: await room.file(text),
      options: { ...OPTIONS, visits: false },
    }) as const;

  test("each click is in the sums once, and undo takes all of them out", async () => {
    const { imports, links } = room;
    const before = await room.counts();
    const first = await made(fileOf(ROWS));
    const foreseen = await imports.preview(
      { ...first, file: null, key: null },
      () => {},
      () => {},
    );
    expect(await room.counts()).toEqual(before);
    const id = await room.runImport(first);
    const { state, report } = await imports.find(id);
    expect(state).toBe("done");
    expect(report.counts).toMatchObject({
      visits_read: 22,
      visits_imported: 11,
      visits_refused: 11,
      clicks_imported: 11,
      clicks_without_date: 0,
    });
    expect(foreseen.counts).toEqual(report.counts);
    const { clickCount, automatedClicks } = await links.get("a");
    expect([clickCount, automatedClicks]).toEqual([15, 3]);
    const b = await links.get("b");
    expect([b.clickCount, b.automatedClicks]).toEqual([5, 3]);
    const after = await room.counts();
    expect(after["total clicks"]! - before["total clicks"]!).toBe(11);
    // Again, and a newer file of the same successor.
    const newer = fileOf([...ROWS, ["a", "", "2026-11-03T00:00:00Z", 1, 0]]);
    for (const text of [fileOf(ROWS), newer]) {
      const again = await imports.create(
        { ...(await made(text)), file: null, key: null },
        { name: "cli" },
        "running",
      );
      expect(await imports.work(again.id).catch((error: Error) => error.message)).toContain(
        `Import ${id} has already imported clicks`,
      );
      expect(
        await imports
          .preview(
            { ...(await made(text)), file: null, key: null },
            () => {},
            () => {},
          )
          .catch((error: Error) => error.message),
      ).toContain("undo that import first");
      expect((await imports.find(again.id)).state).toBe("stopped");
    }
    expect({ ...(await room.counts()), import_links: 0 }).toEqual({ ...after, import_links: 0 });
    await room.undo(id);
    expect({ ...(await room.counts()), click_log: 0 }).toEqual({ ...before, click_log: 0 });
    expect((await links.get("a")).clickCount).toBe(10);
    const last = await room.runImport(await made(newer));
    expect((await imports.find(last)).report.counts.visits_imported).toBe(12);
    expect((await links.get("a")).clickCount).toBe(16);
    await room.undo(last);
  });
});

test("a file that is cut, or none of a successor, is refused", async () => {
  const { successor } = await import("../readers/successor.ts");
  const refusal = async (text: string) => {
    const source = `${(await import("node:os")).tmpdir()}/waymark-successor-${crypto.randomUUID()}`;
    await Bun.write(source, text);
    return successor
      .open({ source } as Parameters<typeof successor.open>[0])
      .then(
        () => "taken",
        (error: Error) => error.message,
      )
      .finally(() => Bun.file(source).delete());
  };
  expect(await refusal(fileOf(ROWS))).toBe("taken");
  expect(await refusal(fileOf(ROWS.slice(0, 2), 22))).toBe("The file has 6 of 22 clicks; copy it again.");
  expect(await refusal(fileOf([["a", "", "2026-11-01T10:00:00Z", 1, 2]], 1))).toContain("0 of 1 clicks");
  for (const text of ["", "code,target\na,https://a.test/\n", "a".repeat(3_000_000)]) {
    expect(await refusal(text)).toMatch(/none that 'waymark successor clicks' wrote|longer than/);
  }
});
