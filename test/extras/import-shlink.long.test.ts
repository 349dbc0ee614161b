/** A move from a real Shlink. Without one it says why it is skipped. */
import { expect, test } from "bun:test";
import { MOVE_LIMIT_MS, movingFrom } from "../support/moving.ts";
import { missingShlink, startShlink } from "../support/shlink.ts";

const MISSING = missingShlink();
const LINKS = 20_000;
const VISITS = 100_000;
/** Those with visits in the database; each is asked for. */
const VISITED = 400;
const FIRST_HOUR = 486_000;
const CHROME =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36";

/** Of other schemes, or with codes that Waymark has not. */
const REFUSED = {
  mail: "mailto:a@example.com",
  app: "tel:+491234",
  "🎉party": "https://example.com/",
  "é-é": "https://example.com/",
};
const KEPT = {
  lower: "https://example.com/lower",
  LOWER: "https://example.com/upper",
  "a/b/c": "https://example.com/segments",
  idn: "https://münchen.example/straße?q=ä#ö",
  odd: "https://example.com/?a=1&amp;b=%20+&y[]=1",
  quote: "https://example.com/?s=it's",
  long: `https://example.com/${"x".repeat(1_800)}`,
  case: "HTTPS://Example.COM/Case",
};
const condition = (type: string, matchValue: string, matchKey: string | null = null) => ({
  type,
  matchKey,
  matchValue,
});

async function fill({ call, database }: Awaited<ReturnType<typeof startShlink>>) {
  const add = (customSlug: string, longUrl: string, more: object = {}) =>
    call("/short-urls", { customSlug, longUrl, ...more });
  for (const [code, target] of Object.entries({ ...REFUSED, ...KEPT }))
    await add(code, target, { title: `It's "${code}" 🎉` });
  await add("rules", "https://example.com/rules", { tags: ["Spring, 2024", "b"] });
  await call("/short-urls/rules/redirect-rules", {
    redirectRules: [
      {
        longUrl: "https://example.com/android",
        conditions: [condition("device", "android"), condition("language", "pt-BR")],
      },
      { longUrl: "https://example.com/q", conditions: [condition("query-param", "bar", "foo")] },
      { longUrl: "https://example.com/ip", conditions: [condition("ip-address", "11.22.*.*")] },
      { longUrl: "https://example.com/de", conditions: [condition("geolocation-country-code", "DE")] },
      { longUrl: "https://example.com/city", conditions: [condition("geolocation-city-name", "Paris")] },
    ],
  });
  await add("once", "https://example.com/once", { maxVisits: 1, validUntil: "2090-01-01T00:00:00+02:00" });
  await add("later", "https://example.com/later", { validSince: "2080-01-01T00:00:00+02:00" });
  await add("gone", "https://example.com/gone", { validUntil: "2020-01-01T00:00:00Z" });
  await add("lower", "https://example.com/domain", { domain: "go.test" });
  const shlink = database();
  shlink.run(
    "insert into visit_locations (country_code, country_name, region_name, city_name, timezone, lat, lon) values ('DE', 'Germany', 'Berlin', 'Berlin', 'Europe/Berlin', 1, 1)",
  );
  const made = shlink.query<{ n: number }, []>("select max(id) as n from short_urls").get()!.n;
  // Many of one second, half of them differ by case only.
  shlink.run(
    `with recursive n(i) as (select ${made} union all select i + 1 from n where i < ${LINKS - 1})
     insert into short_urls (original_url, short_code, date_created, title)
     select 'https://example.com/' || i || '?a=%20&b=ü', iif(i % 2, 'k', 'K') || (i / 2), '2024-02-29 12:00:0' || (i % 3), 'Title ' || i from n`,
  );
  shlink.run(
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${VISITS - 1})
     insert into visits (short_url_id, date, referer, user_agent, potential_bot, type, visit_location_id)
     select iif(i < 2600, 100, 101 + i % ${VISITED - 1}), datetime((${FIRST_HOUR} + i % 2000) * 3600 + i % 3599, 'unixepoch'),
       iif(i % 3, '', 'https://news.example/'), '${CHROME}', i % 10 = 0, 'valid_short_url', iif(i % 4, null, 1) from n`,
  );
  shlink.run(
    "insert into short_url_visits_counts (short_url_id, potential_bot, slot_id, count) select short_url_id, potential_bot, 1, count(*) from visits group by 1, 2",
  );
  const clicks = shlink
    .query<{ hour: number; clicks: number; automated: number }, []>(
      "select unixepoch(date) / 3600 as hour, count(*) as clicks, sum(potential_bot) as automated from visits group by 1 order by 1",
    )
    .all();
  shlink.close();
  return clicks;
}

if (MISSING !== null) {
  console.log(`skipped: the move from Shlink, ${MISSING}`);
  test.skip("the move from Shlink", () => undefined);
} else {
  let clicks: Awaited<ReturnType<typeof fill>>;
  const { story, ask } = movingFrom(startShlink, async (shlink) => {
    clicks = await fill(shlink);
  });

  test(
    "all is imported over a kill, leads where it led, and its undo leaves nothing",
    async () => {
      const refused = Object.keys(REFUSED).length;
      await story("import_clicks", {
        counts: {
          links_read: LINKS,
          links_imported: LINKS - refused,
          links_refused: refused,
          links_partial: 1,
          visits_read: VISITS,
          visits_imported: VISITS,
        },
        clicks,
        asks: LINKS - refused - 1,
        // Shlink writes the query anew when it may add the visitor's; HEAD uses up no visit here.
        differ: ["odd", "once"],
      });
      const [rules] = ask<{ options: string }>("select options from links where code = 'rules'");
      expect(JSON.parse(rules!.options).rules).toHaveLength(4);
    },
    MOVE_LIMIT_MS,
  );
}
