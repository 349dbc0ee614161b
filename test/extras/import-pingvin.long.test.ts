/** A move from a Pingvin Share, whose tables its own migrations make. Without one it says why it is skipped. */
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { createPingvin, missingPingvin, pingvinSchema } from "../support/pingvin.ts";
import { until } from "../support/until.ts";
import { BUILT, install } from "../support/waymark.ts";

const MISSING = missingPingvin();
const SHARES = 1_500;
const LARGE = 40 * 1024 * 1024;
const LIMIT_MS = 1_200_000;
const TABLES = [
  "links",
  "link_clicks",
  "deleted_links",
  "shares",
  "share_recipients",
  "entries",
  "blobs",
].concat(["import_links", "import_entries"]);

const installation = install();
afterAll(() => installation.remove());
if (MISSING !== null) console.log(`skipped: the move from Pingvin Share, ${MISSING}`);

function ask<T>(query: string): T[] {
  using database = new Database(join(installation.dataDir, "waymark.db"), { readonly: true });
  return database.query(query).all() as T[];
}
const countOf = (table: string) => ask<{ n: number }>(`select count(*) as n from ${table}`)[0]!.n;
const counts = () => TABLES.map((table) => [table, countOf(table)]);
const stored = () =>
  readdirSync(join(installation.dataDir, "files"), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.startsWith(".waymark-"),
  ).length;

(MISSING === null ? test : test.skip)(
  "every share comes with its files over kills, and undo leaves nothing in tables and on disk",
  async () => {
    await installation.run(["config", "get", "files.trash_days"]);
    const pingvin = createPingvin(join(installation.dataDir, "pingvin"), pingvinSchema());
    const content = (at: number) => `content of ${at % 900}`;
    let files = 0;
    pingvin.database.transaction(() => {
      for (let at = 0; at < SHARES; at++) {
        const id = at % 2 === 0 ? `Code-${at}` : `code-${at - 1}`;
        const names = {
          "same.txt": content(at),
          [`über ${at}/..\\x\u202e.pdf`]: content(at + 1),
          日本語: "",
        };
        const [first] = pingvin.share({
          id,
          files: names,
          expiration: at % 10 === 9 ? 1_000_000 : 0,
          uploadLocked: at % 10 !== 8,
          views: at,
        });
        if (at % 10 < 8) files += 3;
        if (at % 100 === 0) {
          unlinkSync(pingvin.path(id, first!));
          files--;
        }
      }
      pingvin.share({ id: "large", files: { "large.bin": new Uint8Array(LARGE).fill(1) } });
    })();
    files++;
    const before = counts();
    const program = BUILT ?? join(import.meta.dir, "../..", "bin", "waymark");
    const env = { ...process.env, WAYMARK__DATA__DIR: installation.dataDir };
    const quiet = { env, stdout: "ignore", stderr: "ignore" } as const;
    const moving = Bun.spawn([program, "import", "pingvin", pingvin.folder], quiet);
    for (const reached of [400, 1_200]) {
      const going =
        reached === 400 ? moving : Bun.spawn([program, "import", "resume", "1", pingvin.folder], quiet);
      await until(() => countOf("entries") > SHARES + reached, 60_000);
      going.kill("SIGKILL");
      await going.exited;
    }
    await installation.cli(["import", "resume", "1", pingvin.folder]);
    const moved = JSON.parse(await installation.run(["import", "show", "1"]));
    expect([moved.state, moved.counts]).toMatchObject([
      "done",
      { links_read: SHARES + 1, links_imported: SHARES * 0.8 + 1, files_imported: files, files_removed: 0 },
    ]);
    const there = pingvin.database
      .query<{ id: string; sizes: number; n: number }, []>(
        `select s.id, sum(f.size) as sizes, count(*) as n from "Share" s join "File" f on f.shareId = s.id
         where s.uploadLocked = 1 and s.expiration in (0) group by 1`,
      )
      .all();
    const here = new Map(
      ask<{ code: string; sizes: number; n: number }>(
        `select l.code, sum(e.size) as sizes, count(*) as n from links l join shares s on s.link_id = l.id
         join entries e on e.parent_id = s.entry_id group by 1`,
      ).map(({ code, ...rest }) => [code, rest]),
    );
    const lacking = there.filter(({ id, n }) => here.get(id)?.n !== n);
    expect(lacking.length).toBe(SHARES / 100);
    expect(
      there.filter(({ id, sizes, n }) => here.get(id)?.n === n && here.get(id)?.sizes !== sizes),
    ).toEqual([]);
    const hash = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
    const wrong = ask<{ code: string; sha256: string }>(
      `select l.code, e.sha256 from links l join shares s on s.link_id = l.id
       join entries e on e.parent_id = s.entry_id where e.name = 'same.txt'`,
    ).filter(({ code, sha256 }) => {
      const at = Number(code.split("-")[1]) + (code.startsWith("c") ? 1 : 0);
      return sha256 !== hash(content(at));
    });
    expect(wrong).toEqual([]);
    await installation.run(["doctor", "--storage"]);

    await installation.run(["import", "undo", "1"]);
    expect(counts()).toEqual(before);
    await until(() => stored() === 0);
  },
  LIMIT_MS,
);
