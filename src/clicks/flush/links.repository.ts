/**
 * Adds clicks to their links, or to deleted links, which may be put back. A link is in one of the two tables; writers
 * move it while its row is locked (links/write/rows.repository.ts).
 */
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { DatabaseError } from "../../platform/db/failures.ts";
import { chunked } from "../../lib/chunked.ts";
import { type LinkCounts, totalOf } from "../rollups/click-counts.ts";

/** A link was put back while its clicks were added. Roll back, then take `addToEither`. */
export class LinkMoved extends Error {}

type Table = "link_clicks" | "deleted_links";

const CHUNK = 1000;
const MOST_LOOKS = 50;
const NONE: ReadonlySet<number> = new Set();

export function createLinkCounts({ dialect }: Pick<Database, "dialect">) {
  /** Returns the number of links found. */
  async function addTo(tx: Db, table: Table, counts: LinkCounts): Promise<number> {
    const counter = { table, key: "link_id", column: "clicks" } as const;
    const found = await dialect.addToCounters(tx, counter, counts.links, counts.clicks);
    const { links, automated } = only(counts, (_, at) => counts.automated[at]! > 0);
    if (links.length > 0)
      await dialect.addToCounters(tx, { ...counter, column: "automated" }, links, automated);
    return found;
  }

  /** Locked until the transaction ends. */
  async function lock(tx: Db, table: Table, links: readonly number[]): Promise<number[]> {
    const found: number[] = [];
    for (const chunk of chunked(links, CHUNK)) {
      const query = tx.selectFrom(table).select("link_id").where("link_id", "in", chunk).orderBy("link_id");
      const rows = await query.$call(dialect.forUpdate).execute();
      for (const { link_id } of rows) found.push(link_id);
    }
    return found;
  }

  /** Links in one of the tables. One statement, so that a moving link is in one of them. */
  async function known(tx: Db, links: Iterable<number>): Promise<Set<number>> {
    const found = new Set<number>();
    for (const chunk of chunked([...links], CHUNK)) {
      const of = (table: Table) => tx.selectFrom(table).select("link_id").where("link_id", "in", chunk);
      for (const { link_id } of await of("link_clicks").unionAll(of("deleted_links")).execute()) {
        found.add(link_id);
      }
    }
    return found;
  }

  /** Which links each table has, locked. The rest are unknown. */
  async function locate(tx: Db, links: readonly number[]): Promise<Record<Table, Set<number>>> {
    const places = { link_clicks: new Set<number>(), deleted_links: new Set<number>() };
    let open = new Set(links);
    for (let looks = 1; open.size > 0; looks++) {
      if (looks > MOST_LOOKS) throw new DatabaseError("retry", new Error("links move all the time"));
      for (const table of ["link_clicks", "deleted_links"] as const) {
        for (const id of await lock(tx, table, [...open])) {
          places[table].add(id);
          open.delete(id);
        }
      }
      open = await known(tx, open);
    }
    return places;
  }

  /** Returns the unknown links. */
  async function addToEither(tx: Db, counts: LinkCounts): Promise<Set<number>> {
    const places = await locate(tx, counts.links);
    const unknown = new Set(counts.links);
    for (const [table, ids] of Object.entries(places)) {
      const own = only(counts, (id) => ids.has(id));
      await addTo(tx, table as Table, own);
      if (table === "link_clicks") await addToTotals(tx, own);
      for (const id of ids) unknown.delete(id);
    }
    return unknown;
  }

  /** The sums over all links (links/link/query.repository.ts). */
  async function addToTotals(tx: Db, counts: LinkCounts): Promise<void> {
    if (counts.links.length === 0) return;
    const totals = { links: 0, clicks: totalOf(counts.clicks), automated: totalOf(counts.automated) };
    await tx.insertInto("link_totals").values(totals).execute();
  }

  return {
    addToEither,

    /** Expects that the links exist. Returns the unknown ones. @throws LinkMoved */
    async add(tx: Db, counts: LinkCounts): Promise<ReadonlySet<number>> {
      const found = await addTo(tx, "link_clicks", counts);
      if (found === counts.links.length) {
        await addToTotals(tx, counts);
        return NONE;
      }
      const { link_clicks: counted, deleted_links: deleted } = await locate(tx, counts.links);
      if (counted.size !== found) throw new LinkMoved();
      await addToTotals(
        tx,
        only(counts, (id) => counted.has(id)),
      );
      await addTo(
        tx,
        "deleted_links",
        only(counts, (id) => deleted.has(id)),
      );
      return new Set(counts.links.filter((id) => !counted.has(id) && !deleted.has(id)));
    },
  };
}

const only = (
  { links, clicks, automated }: LinkCounts,
  isKept: (id: number, at: number) => boolean,
): LinkCounts => {
  const keep = (_: number, at: number) => isKept(links[at]!, at);
  return { links: links.filter(keep), clicks: clicks.filter(keep), automated: automated.filter(keep) };
};
