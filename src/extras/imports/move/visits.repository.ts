/** Imported visits in the sums, and what undo needs to take them out again. */
import { foundInChunks } from "../../../lib/chunked.ts";
import { campaignOfTarget } from "../../../clicks/details/utm-pairs.ts";
import type { RowFields } from "../../../platform/db/schema.ts";
import type { Database } from "../../../platform/db/database.ts";
import type { Db, Rows } from "../../../platform/db/dialect.ts";
import { addToTotal } from "../../../links/link/query.repository.ts";
import type { ValueIncrement, BucketIncrements } from "../../../clicks/rollups/sums.ts";

/** Instead of a time: the link was here before. */
export const NOT_MADE = 0;
export const PER_HOUR = 0;
export const PER_DAY = 1;
/** The dimension of rows that count clicks, not values: those of an hour, and those of a day without a row in the click log. */
export const NO_DIMENSION = 0;

export type ImportedLink = Pick<
  RowFields<"import_links">,
  "sourceKey" | "linkId" | "total" | "dated" | "automated"
>;

const CHUNK = 500;
const SUM_KEYS = ["import_id", "link_id", "unit", "bucket", "dimension", "value_id"] as const;

export function createVisitsRepository({ dialect }: Pick<Database, "dialect">) {
  return {
    /** Returns the ids of the links with these keys. */
    async idsOf(db: Db, keys: readonly string[]): Promise<Map<string, number>> {
      const rows = await db.selectFrom("links").select(["id", "code"]).where("code", "in", keys).execute();
      return new Map(rows.map(({ id, code }) => [code, id]));
    },

    /** Counts visits of links that the import did not make. */
    async join(tx: Db, importId: number, ids: readonly number[]): Promise<void> {
      const rows = ids.map((link_id) => ({
        import_id: importId,
        source_key: String(link_id),
        link_id,
        made_at: NOT_MADE,
        total: 0,
      }));
      await dialect.insertIgnore(tx, "import_links", ["import_id", "source_key"], rows);
    },

    /** Returns the links by key of the source, without those that are gone, and locks their counts. */
    async links(tx: Db, importId: number, keys: readonly string[]): Promise<Map<string, ImportedLink>> {
      if (keys.length === 0) return new Map();
      const rows = await tx
        .selectFrom("import_links")
        .select(["source_key as sourceKey", "link_id as linkId", "total", "dated", "automated"])
        .where("import_id", "=", importId)
        .where("source_key", "in", keys)
        .execute();
      if (rows.length === 0) return new Map();
      const ids = rows.map(({ linkId }) => linkId).sort((a, b) => a - b);
      const query = tx
        .selectFrom("link_clicks")
        .select("link_id")
        .where("link_id", "in", ids)
        .orderBy("link_id");
      const there = new Set((await query.$call(dialect.forUpdate).execute()).map(({ link_id }) => link_id));
      return new Map(rows.filter(({ linkId }) => there.has(linkId)).map((row) => [row.sourceKey, row]));
    },

    /** Stores the new sums of locked links. */
    async count(
      tx: Db,
      importId: number,
      links: readonly (ImportedLink & { added: number; addedAutomated: number })[],
    ) {
      const sorted = links.toSorted((a, b) => a.linkId - b.linkId);
      for (const [column, deltaOf] of [
        ["clicks", (link: (typeof sorted)[number]) => link.added],
        ["automated", (link: (typeof sorted)[number]) => link.addedAutomated],
      ] as const) {
        const changed = sorted.filter((link) => deltaOf(link) !== 0);
        if (changed.length === 0) continue;
        const counter = { table: "link_clicks", key: "link_id", column } as const;
        await dialect.addToCounters(
          tx,
          counter,
          changed.map(({ linkId }) => linkId),
          changed.map(deltaOf),
        );
      }
      const clicks = links.reduce((sum, { added }) => sum + added, 0);
      const automated = links.reduce((sum, { addedAutomated }) => sum + addedAutomated, 0);
      await addToTotal(tx, { links: 0, clicks, automated, imported: clicks });
      await dialect.upsert(
        tx,
        { table: "import_links", keys: ["import_id", "source_key"], set: ["dated", "automated"] },
        links.map(({ sourceKey, linkId, dated, automated: ofAutomated }) => ({
          import_id: importId,
          source_key: sourceKey,
          link_id: linkId,
          made_at: 0,
          dated,
          automated: ofAutomated,
        })),
      );
    },

    async rememberHours(tx: Db, importId: number, hours: readonly BucketIncrements[]): Promise<void> {
      const rows = hours.flatMap(({ bucket, links, clicks, automated }) =>
        links.map((link_id, at) => ({
          ...sumRow(importId, PER_HOUR),
          link_id,
          bucket,
          clicks: clicks[at]!,
          automated: automated[at]!,
        })),
      );
      await addSums(tx, rows);
    },

    async rememberValues(
      tx: Db,
      importId: number,
      unit: number,
      values: readonly ValueIncrement[],
    ): Promise<void> {
      const rows = values.map(({ bucket, linkId, dimension, valueId, clicks, automated }) => ({
        ...sumRow(importId, unit),
        link_id: linkId,
        bucket,
        dimension,
        value_id: valueId,
        clicks,
        automated,
      }));
      await addSums(tx, rows);
    },
  };

  function addSums(tx: Db, rows: Rows<"import_clicks">): Promise<void> {
    return dialect.upsert(tx, { table: "import_clicks", keys: SUM_KEYS, add: ["clicks", "automated"] }, rows);
  }
}

/** The campaigns that targets name, by link. */
export async function campaignsOfLinks(tx: Db, links: readonly number[]): Promise<Map<number, string>> {
  const rows = await foundInChunks(links, CHUNK, (chunk) =>
    tx
      .selectFrom("links")
      .select(["id", "target"])
      .where("id", "in", chunk)
      .where("target", "like", "%utm%")
      .execute(),
  );
  return new Map(
    rows.flatMap(({ id, target }) => {
      const pairs = campaignOfTarget(target);
      return pairs === null ? [] : [[id, pairs] as const];
    }),
  );
}

const sumRow = (import_id: number, unit: number) => ({
  import_id,
  unit,
  dimension: NO_DIMENSION,
  value_id: 0,
});
