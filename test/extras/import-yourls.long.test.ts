/** A move from a real YOURLS. Without one it says why it is skipped. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { until } from "../support/until.ts";
import { BUILT, install, type RunningWaymark } from "../support/waymark.ts";
import { missingYourls, startYourls } from "../support/yourls.ts";

const MISSING = missingYourls();
const LINKS = 20_000;
const VISITS = 100_000;
/** Of other schemes, with a password in the address, or without a scheme. */
const REFUSED = 4;
const LIMIT_MS = 1_200_000;

/** Links through the functions of YOURLS, then many by SQL, half of them differ by case only; visits of 2,000 hours. */
const FILL = `
foreach ([
  'ftp' => 'ftp://example.com/x', 'mail' => 'mailto:a@example.com', 'cred' => 'https://user:pw@example.com/',
  'nos' => 'example.com/no-scheme', 'uml' => 'https://example.com/über/ß?q=ä', 'idn' => 'https://münchen.example/straße',
  'pct' => 'https://example.com/%F0%9F%98%80/%zz', 'ent' => 'https://example.com/?a=1&amp;b=2', 'quote' => "https://example.com/?s=it's",
  'upper' => 'HTTPS://Example.COM/Case', 'long' => 'https://example.com/' . str_repeat('x', 3000),
] as $code => $target) yourls_add_new_link($target, $code, "It's \\"$code\\" \\\\ 🎉 " . mb_convert_encoding('Über', 'UTF-8', 'ISO-8859-1'));
$rest = ${LINKS} - (int) $db->fetchValue('select count(*) from yourls_url');
foreach (array_chunk(range(1, $rest), 1000) as $some) $db->perform("insert into yourls_url values " . implode(',', array_map(
  fn($n) => sprintf("('%s','https://example.com/%d?a=1&b=%%C3%%BC','Title \\\\'%d\\\\'','2024-02-29 12:00:00','192.0.2.1',%d)",
    ($n % 2 ? 'k' : 'K') . intdiv($n, 2), $n, $n, $n % 7), $some)));
foreach (array_chunk(range(1, ${VISITS}), 2000) as $some) $db->perform("insert into yourls_log values " . implode(',', array_map(
  fn($n) => sprintf("(null,'%s','%s','%s','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','192.0.2.9','DE')",
    gmdate('Y-m-d H:i:s', 1750000000 + $n % 2000 * 3600 + $n % 3599), $n % 1000 ? ($n % 2 ? 'k' : 'K') . $n % 9000 : 'ftp',
    $n % 3 ? 'direct' : 'https://news.example/'), $some)));
echo implode(',', $db->fetchCol("select count(*) from yourls_log where shorturl <> 'ftp' and binary shorturl in (select binary keyword from yourls_url) group by date_format(click_time, '%Y-%m-%d %H') order by date_format(click_time, '%Y-%m-%d %H')"));
`;
const TABLES = ["links", "link_clicks", "deleted_links", "click_hours", "click_days", "click_months"].concat([
  "click_log",
  "click_dim_days",
  "click_dim_hours",
  "click_dim_months",
  "import_links",
  "import_clicks",
]);

const installation = install();
let yourls: Awaited<ReturnType<typeof startYourls>>;
let server: RunningWaymark;

if (MISSING !== null) console.log(`skipped: the move from YOURLS, ${MISSING}`);
else {
  beforeAll(async () => {
    yourls = await startYourls(installation.dataDir);
    server = await installation.serve();
    await installation.run(["config", "set", "analytics.enable_detailed_logging", "true"]);
    await installation.run(["config", "set", "analytics.enable_auto_rollup", "false"]);
  }, LIMIT_MS);
  afterAll(async () => {
    await yourls?.stop();
    await installation.remove();
  });
}

function ask<T>(query: string): T[] {
  using database = new Database(join(installation.dataDir, "waymark.db"), { readonly: true });
  return database.query(query).all() as T[];
}
const countOf = (table: string) => ask<{ n: number }>(`select count(*) as n from ${table}`)[0]!.n;
const counts = () => TABLES.map((table) => [table, countOf(table)]);

(MISSING === null ? test : test.skip)(
  "all is imported over a kill, leads where it led, and its undo leaves nothing",
  async () => {
    const hours = yourls.run(FILL).split(",").map(Number);
    const before = counts();
    const program = BUILT ?? join(import.meta.dir, "../..", "bin", "waymark");
    const moving = Bun.spawn([program, "import", "yourls", yourls.source, "--visits"], {
      env: { ...process.env, WAYMARK__DATA__DIR: installation.dataDir },
      stdout: "ignore",
      stderr: "ignore",
    });
    await until(() => countOf("import_clicks") > 0, 24_000);
    moving.kill("SIGKILL");
    await moving.exited;
    expect(countOf("links")).toBe(LINKS - REFUSED);
    // It waits for the lease of the killed process.
    await installation.cli(["import", "resume", "1", yourls.source]);
    const dated = hours.reduce((sum, one) => sum + one, 0);
    const moved = JSON.parse(await installation.run(["import", "show", "1"]));
    expect([moved.state, moved.counts]).toMatchObject([
      "done",
      {
        links_read: LINKS,
        links_imported: LINKS - REFUSED,
        links_refused: REFUSED,
        visits_read: VISITS,
        visits_imported: dated,
        visits_refused: VISITS - dated,
      },
    ]);
    const ours = "select clicks from click_hours where link_id = 0 order by hour";
    expect(ask<{ clicks: number }>(ours).map(({ clicks }) => clicks)).toEqual(hours);

    await installation.run(["import", "undo", "1"]);
    expect(counts()).toEqual(before);

    await installation.cli(["import", "yourls", yourls.source]);
    const asked = ["--against", yourls.origin, "--own-url", server.url, "--rate", "1000", "--json"];
    const compared = JSON.parse(await installation.run(["import", "compare", ...asked]));
    expect(compared).toEqual({ compared: LINKS - REFUSED, differences: [], left_out: 0 });
  },
  LIMIT_MS,
);

const FEW = 1_500;
/** Few links, one with a title that was encoded twice. Answers with what a dump of them has. */
const THIN = `
$db->perform("delete from yourls_url where keyword > 'k' or keyword like 'K%' and length(keyword) > 4");
$db->perform("delete from yourls_log where click_id > ${FEW}");
yourls_add_new_link('https://example.com/twice', 'twice', mb_convert_encoding('Grüße aus München', 'UTF-8', 'ISO-8859-1'));
echo $db->fetchValue('select title from yourls_url where keyword = "twice"');
`;
const DUMPS: readonly { name: string; change?: string; options: readonly string[] }[] = [
  { name: "as mariadb-dump makes it", options: [] },
  { name: "a row a statement, with columns", options: ["--skip-extended-insert", "--complete-insert"] },
  {
    name: "hexadecimal",
    change: "alter table yourls_url modify url varbinary(5000), modify title varbinary(1000)",
    options: ["--hex-blob", "--compact"],
  },
  {
    name: "with another prefix",
    change: "alter table yourls_url rename go_url; alter table yourls_log rename go_log",
    options: [],
  },
  { name: "without titles", change: "alter table go_url drop column title", options: [] },
];
const DUMP = Bun.which("mariadb-dump") ?? Bun.which("mysqldump");
if (MISSING === null && DUMP === null)
  console.log("skipped: dumps of YOURLS, there is no mariadb-dump (Debian: mariadb-client)");

test.skipIf(MISSING !== null || DUMP === null)(
  "each kind of dump imports the same",
  async () => {
    await installation.cli(["import", "undo", "2"]);
    expect(yourls.run(THIN)).toContain("MÃ¼nchen");
    const url = new URL(yourls.source);
    const seen: { name: string; links: unknown[]; clicks: number }[] = [];
    for (const { name, change, options } of DUMPS) {
      for (const statement of change?.split(";") ?? []) yourls.run(`$db->perform('${statement}');`);
      const file = join(installation.dataDir, `${name}.sql`);
      const password = `--password=${decodeURIComponent(url.password)}`;
      const address = [`--host=${url.hostname}`, `--port=${url.port}`, `--user=${url.username}`, password];
      const dumped = [DUMP!, ...address, "--skip-tz-utc", ...options, url.pathname.slice(1)];
      expect(await Bun.spawn(dumped, { stdout: Bun.file(file), stderr: "ignore" }).exited).toBe(0);
      await installation.cli(["import", "yourls", file, "--visits"]);
      const links = ask("select code, target, title from links order by code collate binary");
      const { clicks } = ask<{ clicks: number }>(
        "select sum(clicks) as clicks from click_hours where link_id = 0",
      )[0]!;
      seen.push({ name, links, clicks });
      const { id } = ask<{ id: number }>("select max(id) as id from imports")[0]!;
      await installation.cli(["import", "undo", String(id)]);
      expect(countOf("links")).toBe(0);
    }
    const [first, ...others] = seen;
    expect(first!.links).toContainEqual({
      code: "twice",
      target: "https://example.com/twice",
      title: "Grüße aus München",
    });
    expect(first!.clicks).toBeGreaterThan(1_000);
    for (const { name, links, clicks } of others) {
      const untitled = (all: unknown[]) => all.map((link) => ({ ...(link as object), title: null }));
      const isUntitled = name === "without titles";
      expect({ name, links, clicks }).toEqual({
        name,
        links: isUntitled ? untitled(first!.links) : first!.links,
        clicks: first!.clicks,
      });
    }
  },
  LIMIT_MS,
);
