import { afterEach, beforeAll, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { readCsv } from "../../lib/csv.ts";
import type { Visitors } from "../../lib/visitors.ts";
import { codeOf, domainOf, keyOf } from "../../links/link/key.ts";
import { createClickExport } from "./export.ts";
import { type AnalyticsRoom, NOW, openAnalytics, type TestClick } from "./analytics.test-support.ts";

const HEADER = ["short_code", "clicked_at", "referrer", "source", "ip_address", "country", "city"];

forEachDialect((dialect) => {
  let room: AnalyticsRoom;
  beforeAll(async () => {
    room = await openAnalytics(await dialect.openDb());
  });
  afterEach(() => room.clear());

  const pagesOf = (start: number, end: number, order: "asc" | "desc" = "asc") =>
    createClickExport(room.database).pages({ start, end }, undefined, null, null, order);
  const rowsOf = async (start: number, end: number, order?: "desc"): Promise<(readonly string[])[]> => {
    const text = (await Array.fromAsync(pagesOf(start, end, order))).join("");
    return [...readCsv(Buffer.from(text), 100_000)].map((record) => record?.fields ?? []);
  };

  test("every click of the range is exported once and in order, even many at one instant", async () => {
    const links = [await room.addLink("a"), await room.addLink("b")];
    const clicks: TestClick[] = Array.from({ length: 2_500 }, (_, at) => ({
      linkId: links[at % 2]!,
      // Written in another order than they happened, most of them at two instants.
      at: NOW - (at % 5 === 0 ? at : (at % 3) * 7),
      source: `click-${at}`,
    }));
    await room.log(clicks);
    const [header, ...rows] = await rowsOf(NOW - 2_000, NOW - 7);
    expect(header).toEqual(HEADER);
    const expected = clicks.filter(({ at }) => at >= NOW - 2_000 && at <= NOW - 7);
    expect(rows.map((row) => row[3]!).sort()).toEqual(expected.map((click) => click.source!).sort());
    const times = rows.map((row) => row[1]!);
    expect(times).toEqual([...times].sort());
    expect(times.at(-1)).toBe("2026-11-20T13:36:59.993Z");
    expect(await rowsOf(NOW - 2_000, NOW - 7, "desc")).toEqual([HEADER, ...rows.toReversed()]);
  });

  test("with visitors there is a column with their class, and only their clicks", async () => {
    const linkId = await room.addLink("a");
    await room.log(
      Array.from({ length: 400 }, (_, at) => ({ linkId, at: NOW + at, automated: at % 4 === 0 || at > 150 })),
    );
    const classesOf = async (visitors: Visitors | null) => {
      const pages = createClickExport(room.database).pages(
        { start: NOW, end: NOW + 400 },
        undefined,
        visitors,
      );
      const text = (await Array.fromAsync(pages)).join("");
      const [header, ...rows] = [...readCsv(Buffer.from(text), 100_000)].map((record) => record!.fields);
      expect(header).toEqual(visitors === null ? HEADER : [...HEADER, "visitors"]);
      return Object.fromEntries(
        [...Map.groupBy(rows, (row) => row[7])].map(([name, own]) => [name, own.length]),
      );
    };
    expect(await classesOf(null)).toEqual({ undefined: 400 });
    expect(await classesOf("all")).toEqual({ automated: 287, human: 113 });
    expect(await classesOf("human")).toEqual({ human: 113 });
    expect(await classesOf("automated")).toEqual({ automated: 287 });
  });

  test("on other domains the code is bare, and a column shows the domain on request", async () => {
    for (const key of ["a", keyOf(7, "a")]) await room.log([{ linkId: await room.addLink(key), at: NOW }]);
    const nameOf = (key: string) => ({
      code: codeOf(key),
      domain: domainOf(key) === 7 ? "go.example" : null,
    });
    const cellsOf = async (names: typeof nameOf | null) => {
      const pages = createClickExport(room.database).pages({ start: NOW, end: NOW }, undefined, "all", names);
      const records = [...readCsv(Buffer.from((await Array.fromAsync(pages)).join("")), 100_000)];
      return records.map((record) => [record!.fields[0], record!.fields[8]]);
    };
    expect(await cellsOf(nameOf)).toEqual([
      ["short_code", "domain"],
      ["a", ""],
      ["a", "go.example"],
    ]);
    expect((await cellsOf(null)).map(([code]) => code)).toEqual(["short_code", "a", "a"]);
  });

  test("with all columns a click has its dimensions, none of which can run as a formula", async () => {
    const linkId = await room.addLink("a");
    const text = "=1+1";
    const columns = { utm_source: text, utm_campaign: "Frühling, 26", utm_term: "+1", referrer: "a.example" };
    await room.log([
      { linkId, at: NOW, columns: { ...columns, language: "de-AT", channel: "campaign", rule: "2" } },
      { linkId, at: NOW + 1 },
    ]);
    const names = (key: string) => ({ code: key, domain: null });
    const pages = createClickExport(room.database).pages(
      { start: NOW, end: NOW + 1 },
      undefined,
      null,
      names,
    );
    const csv = Buffer.from((await Array.fromAsync(pages)).join(""));
    const [header, first, second] = [...readCsv(csv, 100_000)].map((record) => record!.fields.slice(7));
    const more = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"];
    expect(header).toEqual(["domain", "referrer_host", ...more, "language", "channel", "rule", "user_agent"]);
    const utm = [`'${text}`, "", "Frühling, 26", "'+1", ""];
    expect(first).toEqual(["", "a.example", ...utm, "de-AT", "campaign", "2", ""]);
    expect(second).toEqual(Array(11).fill(""));
  });

  test("any text becomes one cell that cannot run as a formula", async () => {
    const linkId = await room.addLink("a");
    const texts = ['=cmd|"/c calc"!A1', "+1", "-1", "@x", 'a,"b"', "Ünïcode 😀", "'", "\u202etxt", "=,\n"];
    await room.log(
      texts.map((text, at) => ({ linkId, at: NOW + at, referrer: text, source: text, city: text })),
    );
    const [, ...rows] = await rowsOf(NOW, NOW + 100);
    const safe = texts.map((text) => (/^[=+\-@]/.test(text) ? `'${text}` : text));
    for (const column of [2, 3, 6]) expect(rows.map((row) => row[column]!)).toEqual(safe);
  });

  test("clicks of deleted links have their last code, even if another link has it now", async () => {
    const first = await room.addLink("again");
    await room.log([{ linkId: first, at: NOW, source: "first" }]);
    await room.deleteLink(first);
    expect((await rowsOf(NOW, NOW)).slice(1).map((row) => [row[0], row[3]])).toEqual([["again", "first"]]);
    const second = await room.addLink("again");
    await room.log([{ linkId: second, at: NOW + 1, source: "second" }]);
    await room.deleteLink(second);
    const third = await room.addLink("again");
    await room.log([{ linkId: third, at: NOW + 2, source: "third" }]);
    expect((await rowsOf(NOW, NOW + 9)).slice(1).map((row) => [row[0], row[3]])).toEqual([
      ["again", "first"],
      ["again", "second"],
      ["again", "third"],
    ]);
  });

  test("clicks of unknown links are left out, however many there are", async () => {
    const [kept, gone] = [await room.addLink("kept"), await room.addLink("gone")];
    await room.log([
      ...Array.from({ length: 1_200 }, (_, at) => ({ linkId: gone, at: NOW + at })),
      { linkId: kept, at: NOW + 2_000 },
    ]);
    await room.database.write.deleteFrom("links").where("id", "=", gone).execute();
    expect((await rowsOf(NOW, NOW + 9_000)).map((row) => row[0]!)).toEqual(["short_code", "kept"]);
    expect(await rowsOf(NOW, NOW + 1_000)).toEqual([HEADER]);
  });

  test("pages shrink when rows are long and are made only on demand", async () => {
    const linkId = await room.addLink("a");
    const referrer = `https://a.example/${"x".repeat(2_000)}`;
    await room.log(Array.from({ length: 700 }, (_, at) => ({ linkId, at: NOW + at, referrer })));
    const sizes = (await Array.fromAsync(pagesOf(NOW, NOW + 9_000))).map((text) => text.length);
    expect(sizes.length).toBeGreaterThan(5);
    expect(Math.max(...sizes)).toBeLessThan(300_000);

    const pages = pagesOf(NOW, NOW + 9_000);
    await pages.next();
    await room.database.write.deleteFrom("click_log").execute();
    expect(await pages.next()).toEqual({ done: true, value: undefined });
  });
});
