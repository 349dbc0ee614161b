/** Visitors by day: each counts once for a link and once for all links together. */
import { foundInChunks } from "../../lib/chunked.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { ClickSum } from "../../lib/visitors.ts";
import { addTo, TOTAL } from "./sums.ts";
import type { Calendar } from "./calendar.ts";

/**
 * Days whose visitors are known one by one, today among them. Clicks that come later, from a machine that was away, add
 * no visitors, because nobody knows any more who was there.
 */
export const VISITOR_DAYS = 3;

type Visit = {
  linkId: number;
  atMs: number;
  isAutomated: boolean;
  /** See clicks/unique/visitor.ts; 0: not known. */
  visitor: number;
};

type Row = { day: number; link_id: number; visitor: number };
type Candidate = Row & { isAutomated: boolean };

const CHUNK = 1_000;
const KEYS = ["day", "link_id", "visitor"] as const;

export function createVisitorSums({ dialect }: Database) {
  async function known(tx: Db, rows: readonly Candidate[]): Promise<Set<string>> {
    const found = await foundInChunks(rows, CHUNK, (chunk) =>
      tx
        .selectFrom(
          dialect.valuesTable(
            "click_visitors",
            KEYS,
            chunk.map(({ day, link_id, visitor }) => ({ day, link_id, visitor })),
          ),
        )
        .innerJoin("click_visitors as c", (join) =>
          join
            .onRef("c.day", "=", "v.day")
            .onRef("c.link_id", "=", "v.link_id")
            .onRef("c.visitor", "=", "v.visitor"),
        )
        .select(["c.day", "c.link_id", "c.visitor"])
        .execute(),
    );
    return new Set(found.map(keyOf));
  }

  return {
    /** Call it after RollupsRepository.addClicks, whose lock makes it exact on all nodes. */
    async add(tx: Db, visits: readonly Visit[], { calendar, now }: { calendar: Calendar; now: number }) {
      const oldest = calendar.day.of(now) - VISITOR_DAYS + 1;
      const candidates = new Map<string, Candidate>();
      for (const { linkId, atMs, isAutomated, visitor } of visits) {
        const day = calendar.day.of(atMs);
        if (visitor === 0 || day < oldest) continue;
        for (const link_id of [TOTAL, linkId]) {
          const row = { day, link_id, visitor, isAutomated };
          candidates.set(keyOf(row), row);
        }
      }
      if (candidates.size === 0) return;
      const there = await known(tx, [...candidates.values()]);
      const fresh = [...candidates].filter(([key]) => !there.has(key)).map(([, row]) => row);
      fresh.sort((a, b) => a.day - b.day || a.link_id - b.link_id || a.visitor - b.visitor);
      await dialect.insertMany(
        tx,
        "click_visitors",
        fresh.map(({ day, link_id, visitor }) => ({ day, link_id, visitor })),
      );
      const sums = new Map<number, Map<number, ClickSum>>();
      for (const { day, link_id, isAutomated } of fresh)
        addTo(
          sums.getOrInsertComputed(day, () => new Map()),
          link_id,
          1,
          isAutomated ? 1 : 0,
        );
      const rows = [...sums].flatMap(([day, ofLinks]) =>
        [...ofLinks].map(([link_id, { clicks, automated }]) => ({
          day,
          link_id,
          visitors: clicks,
          automated,
        })),
      );
      await dialect.upsert(
        tx,
        { table: "visitor_days", keys: ["day", "link_id"], add: ["visitors", "automated"] },
        rows,
      );
    },
  };
}

const keyOf = ({ day, link_id, visitor }: Row): string => `${day} ${link_id} ${visitor}`;
