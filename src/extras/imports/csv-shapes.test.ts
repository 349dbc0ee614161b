/**
 * What becomes of the CSV files of other programs (test/fixtures/csv, whose `shapes.json` says it), and of cells that
 * limit a link and can't be read. The files of products are made by hand from their documents and sources.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createEvents } from "../../platform/events/events.service.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import type { ImportMode } from "../../links/csv/import-plan.ts";
import { createLinkCsv, type LinkCsv } from "../../links/csv/service.ts";
import { viewOfFields } from "../../links/link/field-values.ts";
import { CHOSEN } from "../../links/link/fields.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { openImports, OPTIONS } from "./imports.test-support.ts";
import type { Note } from "./move/state.ts";

const FOLDER = new URL("../../../test/fixtures/csv/", import.meta.url).pathname;

type Shape = {
  file: string;
  from: string;
  shows: string;
  product?: "shlink";
  /** The header spells names as people do; `links import` takes only those of an export. */
  loose?: true;
  /** Fields of the links that are imported, by code. */
  links: Record<string, Record<string, unknown>>;
  /** Reasons by code. */
  refused: Record<string, string>;
};
const SHAPES = JSON.parse(readFileSync(join(FOLDER, "shapes.json"), "utf8")) as Shape[];
const ofExport = ({ product, loose, file }: Shape): boolean => {
  const header = readFileSync(join(FOLDER, file)).toString("latin1").replaceAll("\0", "");
  return product === undefined && !loose && /^[^\w]*(sep=;\r\n)?"?code"?[;,\t]"?target/.test(header);
};

/** A cell that can't be read, for every field that redirects have, and what else limits a link. */
const UNREADABLE: Record<string, string> = {
  starts_at: "01.12.2026",
  expires_at: "31.12.2026",
  password: "[REDACTED]",
  max_clicks: "five",
  redirect_status: "moved",
  rules: "iPhone → app",
  held: "yes",
  fallback_url: "nowhere",
  forward_path: "perhaps",
  forward_query: "perhaps",
  card: "{",
  click_threshold: "many",
};

forEachDialect(
  (dialect) => {
    let room: Awaited<ReturnType<typeof openImports>>;
    let csv: LinkCsv;
    beforeAll(async () => {
      room = await openImports(await dialect.openDb());
      csv = createLinkCsv({
        database: room.database,
        changes: room.changes,
        events: createEvents({ database: room.database, clock: room.clock }),
        routePrefixes: () => ["/admin"],
        domains: room.links.domains,
        hashPassword: async (plain) => plain,
        clock: room.clock,
      });
    });
    afterAll(() => room.close());

    const linksNow = async () => {
      const rows = await room.database.read.selectFrom("links").select("code").execute();
      return new Map(
        await Promise.all(
          rows.map(async ({ code }) => {
            const link = await room.links.get(code);
            const { expiresAt, createdAt, target, clickCount: click_count } = link;
            const fields = viewOfFields(link);
            const times = {
              expires_at: expiresAt && formatRfc3339(expiresAt),
              created_at: formatRfc3339(createdAt),
            };
            return [
              code,
              { ...fields, ...times, target, click_count, disabled: fields.held !== null },
            ] as const;
          }),
        ),
      );
    };

    async function checkLinks({ links }: Shape): Promise<void> {
      const found = await linksNow();
      expect([...found.keys()].sort()).toEqual(Object.keys(links).sort());
      for (const [code, fields] of Object.entries(links)) expect(found.get(code)).toMatchObject(fields);
      await room.clear();
    }

    const checkReasons = ({ refused }: Shape, given: readonly { code: string; reason: string }[]): void => {
      expect(given.map(({ code }) => code).sort()).toEqual(Object.keys(refused).sort());
      for (const { code, reason } of given) expect(reason).toContain(refused[code]!);
    };

    /** As `waymark import` does it. */
    async function move(source: string, product: "csv" | "shlink" = "csv") {
      const id = await room.runImport({ product, source, options: { ...OPTIONS, visits: false } });
      const { report } = await room.imports.find(id);
      const notes: Note[] = [];
      for await (const some of room.imports.actions.allNotes(id)) notes.push(...some);
      return { report, notes };
    }

    test.each(SHAPES.map((shape) => [shape.file, shape] as const))(
      "%s is imported as its table says",
      async (file, shape) => {
        const { notes } = await move(join(FOLDER, file), shape.product);
        checkReasons(
          shape,
          notes.filter(({ kind }) => kind === "refused"),
        );
        await checkLinks(shape);
      },
    );

    test.each(SHAPES.filter(ofExport).map((shape) => [shape.file, shape] as const))(
      "%s is imported likewise by the panel, and each cell that can't be read is named to other clients",
      async (file, shape) => {
        const bytes = readFileSync(join(FOLDER, file));
        const strict = await csv.import(bytes, { mode: "skip", isStrict: true });
        checkReasons(
          shape,
          strict.failed_items.map(({ code, error }) => ({ code, reason: error })),
        );
        expect(strict.unread_count).toBe(0);
        await checkLinks(shape);
        const { failed_items, unread_items } = await csv.import(bytes, { mode: "skip" });
        const named = new Set([...failed_items, ...unread_items].map(({ code }) => code));
        expect([...named].sort()).toEqual(Object.keys(shape.refused).sort());
        await room.clear();
      },
    );

    test("every column that limits a link, or says what it does, has a cell here that can't be read", () => {
      const limits = [...Object.keys(CHOSEN), "expires_at", "password", "held"];
      expect(Object.keys(UNREADABLE).sort()).toEqual(limits.sort());
    });

    test.each(Object.entries(UNREADABLE))(
      "a link whose %s can't be read is not made, or the cell is named in the response",
      async (column, value) => {
        const text = `code,target,${column}\na,https://example.com/,"${value.replaceAll('"', '""')}"\n`;
        const ways: [ImportMode, boolean, boolean][] = [];
        for (const mode of ["skip", "overwrite"] as const)
          for (const isStrict of [false, true])
            for (const dryRun of [true, false]) ways.push([mode, isStrict, dryRun]);
        for (const [mode, isStrict, dryRun] of ways) {
          const { failed_items, unread_items } = await csv.import(Buffer.from(text), {
            mode,
            isStrict,
            dryRun,
          });
          const isMade = (await linksNow()).has("a");
          const named = unread_items.map((item) => item.column as string);
          expect([column, mode, isStrict, failed_items.length, named]).toEqual(
            column === "expires_at" && !isStrict
              ? [column, mode, isStrict, 0, ["expires_at"]]
              : [column, mode, isStrict, 1, []],
          );
          expect(isMade).toBe(!dryRun && named.length > 0);
          if (isMade) await room.clear();
        }
        const { report } = await move(await room.file(text));
        expect(report.counts).toMatchObject({ links_imported: 0, links_refused: 1 });
        expect(report.reasons).toMatchObject([{ kind: "refused", count: 1 }]);
        expect((await linksNow()).size).toBe(0);
      },
    );

    test("a column whose name is not known is named in every response", async () => {
      const text = "code,target,Ablaufdatum\na,https://example.com/,2026-12-31\n";
      const { ignored_columns } = await csv.import(Buffer.from(text), { mode: "skip" });
      expect(ignored_columns).toEqual(["Ablaufdatum"]);
      await room.clear();
      const { report } = await move(await room.file(text));
      expect(report.columns).toMatchObject([{}, {}, { name: "Ablaufdatum", field: null }]);
      await room.clear();
    });

    test("a whole short URL on a domain of ours is a code there", async () => {
      const { id } = await room.links.domainService.create({ host: "go.test" }, {
        name: "cli",
        via: "cli",
      } as never);
      const text = `code,target\nhttps://go.test/a/b,https://example.com/1\nHTTP://GO.TEST:8080/c/,https://example.com/2\nhttps://s.test/a/b,https://example.com/3\nhttps://s.test/d?x=1,https://example.com/4\n`;
      const { failed_items } = await csv.import(Buffer.from(text), { mode: "skip" });
      expect(failed_items.map(({ row }) => row)).toEqual([5]);
      const there = (code: string) => room.links.domains.key(code, "go.test");
      const targets = [...(await linksNow())].map(([code, { target }]) => [code, target.at(-1)]);
      expect(Object.fromEntries(targets)).toEqual({ [there("a/b")]: "1", [there("c")]: "2", "a/b": "3" });
      await room.clear();
      await room.links.domainService.remove(id, { name: "cli", via: "cli" } as never);
    });

    test("a reserved code is refused in any case where a domain ignores case", async () => {
      const actor = { name: "cli", via: "cli" } as never;
      const { id } = await room.links.domainService.create({ host: "go.test", ignore_case: true }, actor);
      const rows = "Admin,https://example.com/1\nADMIN/x,https://example.com/2\n";
      const text = `code,target\n${rows}https://go.test/Admin/y,https://example.com/3\n`;
      const { failed_items } = await csv.import(Buffer.from(text), { mode: "skip" });
      expect(failed_items.map(({ code }) => code.split("/")[0])).toEqual(["Admin", "ADMIN", "Admin"]);
      const { notes } = await move(await room.file(text));
      expect(notes.map(({ kind }) => kind)).toEqual(["refused", "refused", "refused"]);
      await room.links.domainService.remove(id, actor);
    });

    test("the documents list every shape", () => {
      const page = readFileSync(new URL("../../../docs/csv.md", import.meta.url), "utf8");
      for (const { from, shows } of SHAPES)
        expect(page.replaceAll("`", "").replaceAll("\\|", "|")).toContain(`| ${from} | ${shows} |`);
    });
  },
  ["sqlite"],
);
