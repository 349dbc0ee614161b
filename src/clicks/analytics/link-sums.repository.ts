/** The sums of each link, from the rollups and, for spans, from raw rows. */
import { type ExpressionBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { Queries } from "../../platform/db/database.ts";
import type { Schema } from "../../platform/db/schema.ts";
import type { ClickSum } from "../../lib/visitors.ts";
import { TOTAL } from "../rollups/sums.ts";
import { isAmong, rawRows, sumRows } from "./click-columns.repository.ts";
import { SUM_UNITS, type SumParts } from "./range.ts";
import type { Selection } from "./selection.ts";

type Reading = Pick<Queries, "read" | "dialect">;

type LinkCounts = SelectQueryBuilder<Schema, never, { link_id: number } & ClickSum>;

/** Links up to an id, or the others, for two queries at once. */
export type LinkHalf = { side: "lower" | "upper"; middle: number };

/** Several rows for a link. */
export function linkCounts(
  { read, dialect }: Reading,
  cut: SumParts,
  { links, details }: Selection,
  half: LinkHalf | null,
) {
  const chosen = links === null ? sql<boolean>`link_id > ${sql.lit(TOTAL)}` : isAmong(links);
  const isOwn = (eb: ExpressionBuilder<Schema, "click_days">) => {
    const isChosen = typeof chosen === "function" ? chosen(eb) : chosen;
    if (half === null) return isChosen;
    return eb.and([isChosen, eb("link_id", half.side === "lower" ? "<=" : ">", half.middle)]);
  };
  const columns = ["link_id", "clicks", "automated"] as const;
  const used = SUM_UNITS.filter((unit) => cut[`${unit}s`].length > 0);
  const parts: object[] = used.map((unit) =>
    sumRows(read, unit, cut[`${unit}s`])
      .where(isOwn as never)
      .select(columns),
  );
  for (const span of cut.spans) {
    const rows = rawRows(read, { links: null, details }, span).where(isOwn as never);
    const sums = rows.select("link_id").groupBy("link_id");
    const all = sums.select((eb) => eb.fn.countAll<number>().as("clicks"));
    parts.push(all.select(dialect.sum("automated").as("automated")));
  }
  const [first, ...others] = parts as LinkCounts[];
  if (first === undefined) return null;
  return others.reduce((query, part) => query.unionAll(part), first);
}

/** One row for each link. */
export function linkSums(reading: Reading, cut: SumParts, selection: Selection, half: LinkHalf | null) {
  const all = linkCounts(reading, cut, selection, half);
  if (all === null) return null;
  const { read, dialect } = reading;
  return read
    .selectFrom(all.as("part"))
    .select([
      "part.link_id",
      dialect.sum("part.clicks").as("clicks"),
      dialect.sum("part.automated").as("automated"),
    ])
    .groupBy("part.link_id");
}

/** Links and deleted ones that have left a name. */
export function namedSums(reading: Reading, cut: SumParts, selection: Selection, half: LinkHalf | null) {
  const sums = linkSums(reading, cut, selection, half);
  return (
    sums &&
    reading.read
      .selectFrom(sums.as("sums"))
      .leftJoin("links", "links.id", "sums.link_id")
      .leftJoin("deleted_links as deleted", "deleted.link_id", "sums.link_id")
      .select((eb) => [
        eb.fn.coalesce("links.code", "deleted.code").as("code"),
        eb.fn.coalesce("links.owner_id", "deleted.owner_id").as("owner"),
        "sums.clicks",
        "sums.automated",
      ])
  );
}
