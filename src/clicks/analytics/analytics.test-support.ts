/** Test support: raw clicks, the rollups of `analytics rebuild`, and the same sums by hand. */
import { createLeases } from "../../platform/cluster/leases.ts";
import type { Database } from "../../platform/db/database.ts";
import { deletionIn } from "../../links/links.test-support.ts";
import { deleteLinks } from "../../links/write/rows.repository.ts";
import { createAgents, parseAgent } from "../../lib/agents.ts";
import type { DateRange } from "./range.ts";
import { createAnalytics } from "./service.ts";
import { createClickValues } from "../rollups/values.repository.ts";
import {
  agentValue,
  COLUMN_DIMENSIONS,
  COLUMN_OF,
  type ColumnValues,
  labelOfSource,
} from "../rollups/dimensions.ts";
import { createMaintenance } from "../rollups/retention.ts";
import { createRebuild } from "../rollups/rebuild.ts";
import { UTC } from "../rollups/calendar.ts";
import { DAY_MS, type Unit } from "../rollups/time-buckets.ts";

export const NOW = Date.parse("2026-11-20T13:37:00Z");
export const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";
export const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1";
export const GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

export type TestClick = {
  linkId: number;
  at: number;
  referrer?: string | null;
  source?: string;
  ip?: string | null;
  country?: string | null;
  city?: string | null;
  userAgent?: string | null;
  automated?: boolean;
  /** null or absent: none. */
  columns?: Partial<ColumnValues>;
};

export type AnalyticsRoom = Awaited<ReturnType<typeof openAnalytics>>;

export async function openAnalytics(database: Database) {
  const clock = { time: NOW, now: () => clock.time };
  const retention = { hourlyDays: 7 };
  const maintenance = createMaintenance(createLeases({ database, clock: { now: () => Date.now() } }));
  const rebuild = createRebuild({
    database,
    maintenance,
    clock,
    describeAgent: createAgents().describe,
    hourlyRetentionDays: () => retention.hourlyDays,
  });
  return {
    database,
    clock,
    retention,
    maintenance,
    rebuild,
    analytics: createAnalytics({ database, clock }),
    addLink: (code: string) => addLink(database, code),
    /** As the API does; by default a month ago. */
    deleteLink: (id: number, at = NOW - 30 * DAY_MS) =>
      database.transaction((tx) => deleteLinks(tx, "id", [id], deletionIn(database, at))),
    /** Writes raw rows only. */
    log: (clicks: readonly TestClick[]) => writeLog(database, clicks),
    /** Writes raw rows and all rollups. */
    async record(clicks: readonly TestClick[]) {
      await writeLog(database, clicks);
      return rebuild.run({ from: null, to: null }, () => undefined);
    },
    async clear() {
      const tables = [
        "click_log",
        "click_hours",
        "click_days",
        "click_months",
        "click_dim_hours",
        "click_dim_days",
        "click_dim_months",
        "click_day_changes",
        "click_sets",
        "click_set_days",
        "click_set_values",
        "user_agents",
        "click_values",
        "links",
        "deleted_links",
      ] as const;
      for (const table of tables) await database.write.deleteFrom(table).execute();
      clock.time = NOW;
      retention.hourlyDays = 7;
    },
  };
}

async function addLink(database: Database, code: string): Promise<number> {
  const link = { code, target: "https://example.com/", created_at: 1, updated_at: 1 };
  return database.transaction(async (tx) => {
    const id = await database.dialect.insertReturningId(tx, "links", link);
    await database.dialect.insertMany(tx, "link_clicks", [{ link_id: id, clicks: 0, ranked: 0 }]);
    return id;
  });
}

async function writeLog(database: Database, clicks: readonly TestClick[]): Promise<void> {
  const agents = await writeAgents(database, clicks);
  const rows = clicks.map((click) => ({
    link_id: click.linkId,
    clicked_at: click.at,
    referrer: click.referrer ?? null,
    source: click.source ?? "direct",
    ip_address: click.ip ?? null,
    country: click.country ?? null,
    city: click.city ?? null,
    user_agent_id: click.userAgent ? agents.get(click.userAgent)! : null,
    automated: click.automated ? 1 : 0,
    ...Object.fromEntries(COLUMN_DIMENSIONS.map((name) => [COLUMN_OF[name], click.columns?.[name] ?? null])),
  }));
  await database.transaction((tx) => database.dialect.insertMany(tx, "click_log", rows));
}

async function writeAgents(database: Database, clicks: readonly TestClick[]): Promise<Map<string, number>> {
  const values = createClickValues(database);
  const texts = new Set(clicks.map((click) => click.userAgent).filter((text) => typeof text === "string"));
  const seen_day = UTC.day.of(NOW);
  const ids = new Map<string, number>();
  for (const text of texts) {
    const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 32);
    const value = agentValue(parseAgent(text));
    await database.transaction(async (tx) => {
      const value_id = (await values.intern(tx, "agent", [value], seen_day)).get(value)!;
      await database.dialect.insertIgnore(tx, "user_agents", ["hash"], [{ hash, text, value_id, seen_day }]);
    });
    const row = await database.read
      .selectFrom("user_agents")
      .select("id")
      .where("hash", "=", hash)
      .executeTakeFirst();
    ids.set(text, row!.id);
  }
  return ids;
}

const within = (clicks: readonly TestClick[], { start, end }: DateRange): TestClick[] =>
  clicks.filter(({ at }) => at >= start && at <= end);

/** The sums of the endpoints, made from the clicks. */
export const byHand = {
  clicks: (clicks: readonly TestClick[], range: DateRange): number => within(clicks, range).length,

  trend(clicks: readonly TestClick[], range: DateRange, unit: Unit): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { at } of within(clicks, range)) {
      const label = UTC[unit].label(UTC[unit].of(at));
      counts[label] = (counts[label] ?? 0) + 1;
    }
    return counts;
  },

  /** Counts by a property of clicks (null for none), most first. */
  counts(
    clicks: readonly TestClick[],
    range: DateRange,
    shown: (click: TestClick) => string | null,
  ): [string, number][] {
    const counts = new Map<string, number>();
    for (const click of within(clicks, range)) {
      const text = shown(click);
      if (text !== null) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  },

  referrer: (click: TestClick): string =>
    labelOfSource(click.source ?? "direct", click.columns?.utm_source ?? null),
};

export const daysBefore = (days: number): number => NOW - days * DAY_MS;
