/** Moves from a real Kutt. Without one it says why they are skipped. */
import { describe, expect, test } from "bun:test";
import { fillKutt, type Kutt, missingKutt, startKutt } from "../support/kutt.ts";
import { MOVE_LIMIT_MS, movingFrom } from "../support/moving.ts";
import { until } from "../support/until.ts";

const MISSING = missingKutt();
const POSTGRES = process.env["WAYMARK_TEST_POSTGRES_URL"];
const LINKS = 20_000;
/** Those that `fillKutt` makes: one of another scheme, one banned, one protected, one of another domain. */
const MADE = 10;
const VISITS = 100_000;
/** Of an hour of a link, 1 to 4 visits each. Kutt counts the present only; these are written into its database. */
const SUMS = 40_000;
const FIRST_HOUR = 486_000;
const AT_ONCE = 500;
const UNDATED = 5;

const TARGETS = [
  "https://example.com/?a=%20&b=ä",
  "https://münchen.example/straße?q=ä#ö",
  "HTTPS://Example.COM/Case",
  "https://example.com/?s=it's&amp;y[]=1",
  `https://example.com/${"x".repeat(1_900)}`,
];

type Kind = "plain" | "scheme" | "banned" | "protected" | "domain" | "late";
const KINDS: Partial<Record<number, Kind>> = {
  7: "scheme",
  11: "banned",
  13: "protected",
  17: "domain",
  19: "late",
};

/** Half of the codes differ by case only. */
const linkOf = (n: number) => ({
  code: `${n % 2 ? "code" : "Code"}-${n >> 1}`,
  kind: KINDS[n % 1_000] ?? "plain",
  target: TARGETS[n % TARGETS.length]!,
});
const BULK = Array.from({ length: LINKS - MADE }, (_, n) => linkOf(n));
const codesOf = (...kinds: Kind[]) => BULK.filter(({ kind }) => kinds.includes(kind)).map(({ code }) => code);

async function insert(sql: Kutt["sql"], into: string, rows: readonly unknown[][]): Promise<void> {
  const literal = (value: unknown) =>
    typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE).map((row) => `(${row.map(literal).join(",")})`);
    await sql.unsafe(`insert into ${into} values ${some.join(",")}`);
  }
}

/** Returns the clicks of each hour that can be imported. */
async function fill(kutt: Kutt) {
  const { sql } = kutt;
  await fillKutt(kutt);
  const one = async (query: string) => Object.values((await sql.unsafe<object[]>(query))[0]!)[0];
  await until(async () => Number(await one("select sum(total) from visits")) === 4);
  await sql.unsafe("delete from visits");
  const password = await one("select password from links where address = 'secret'");
  const before = Number(await one("select max(id) from links"));
  const hours = new Map<number, number>();
  const counts = BULK.map(() => UNDATED);
  const visits = Array.from({ length: SUMS }, (_, n) => {
    const [hour, total, link] = [FIRST_HOUR + (n % 2_000), 1 + (n % 4), n % BULK.length];
    counts[link]! += total;
    if (BULK[link]!.kind !== "scheme") hours.set(hour, (hours.get(hour) ?? 0) + total);
    const at = new Date(hour * 3_600_000 + (n % 3_599) * 1_000).toISOString();
    return [before + 1 + link, 1, total, at.slice(0, 19).replace("T", " "), "{}", "{}"];
  });
  await kutt.whileStopped(async () => {
    await sql.unsafe(`update links set visit_count = ${UNDATED}`);
    await insert(
      sql,
      "links (id, address, target, description, user_id, uuid, banned, password, domain_id, expire_in, visit_count)",
      BULK.map(({ code, kind, target }, n) => [
        before + 1 + n,
        code,
        kind === "scheme" ? "tel:+491234" : target,
        n % 3 ? null : `Line\n"${n}", 日本語`,
        1,
        crypto.randomUUID(),
        kind === "banned",
        kind === "protected" ? password : null,
        kind === "domain" ? 1 : null,
        kind === "late" ? "2090-01-01 10:20:30" : null,
        counts[n],
      ]),
    );
    await insert(sql, "visits (link_id, user_id, total, created_at, countries, referrers)", visits);
  });
  return [...hours].toSorted(([a], [b]) => a - b).map(([hour, clicks]) => ({ hour, clicks, automated: 0 }));
}

function moves(name: string, postgres?: string): void {
  describe(name, () => {
    let clicks: Awaited<ReturnType<typeof fill>>;
    const { story, ask } = movingFrom(
      (folder) => startKutt(folder, postgres),
      async (kutt) => {
        clicks = await fill(kutt);
      },
    );

    test(
      "all is imported over a kill, leads where it led, and its undo leaves nothing",
      async () => {
        const refused = 1 + codesOf("scheme").length;
        const disabled = ["bad", "secret", ...codesOf("banned", "protected")];
        const ofDomain = 1 + codesOf("domain").length;
        const dated = clicks.reduce((sum, one) => sum + one.clicks, 0);
        await story("import_clicks", {
          counts: {
            links_read: LINKS,
            links_imported: LINKS - refused,
            links_refused: refused,
            links_disabled: disabled.length,
            visits_read: VISITS,
            visits_imported: dated,
            visits_refused: VISITS - dated,
            clicks_imported: dated + UNDATED * (LINKS - refused),
            clicks_without_date: UNDATED * (LINKS - refused),
          },
          clicks,
          asks: LINKS - refused - ofDomain,
          differ: disabled,
        });
        const [late] = ask<{ n: number }>("select count(*) as n from links where expires_at > 0");
        expect(late!.n).toBe(1 + codesOf("late").length);
      },
      MOVE_LIMIT_MS,
    );
  });
}

if (MISSING !== null) {
  console.log(`skipped: the moves from Kutt, ${MISSING}`);
  test.skip("the moves from Kutt", () => undefined);
} else {
  moves("on SQLite");
  if (POSTGRES === undefined)
    console.log("skipped: the move from Kutt on PostgreSQL, WAYMARK_TEST_POSTGRES_URL is not set");
  else moves("on PostgreSQL", POSTGRES);
}
