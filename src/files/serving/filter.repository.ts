import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { Dialect } from "../../db/dialect.ts";
import type { Schema } from "../../db/schema.ts";
import type { SHARE_KINDS, ShareFilter } from "./share-filter.ts";

type Tables = ExpressionBuilder<Schema, "shares" | "links" | "entries" | "blobs">;

/** Besides the account. */
export const isFiltered = ({ search, kind, state }: ShareFilter): boolean =>
  search !== undefined || kind !== undefined || state !== undefined;

/** Besides the account. */
export const shareConditions =
  ({ search, kind, state }: ShareFilter, dialect: Dialect) =>
  (eb: Tables): Expression<SqlBool> =>
    eb.and([
      ...(search === undefined ? [] : [eb.or([dialect.linkContains(search), dialect.nameContains(search)])]),
      ...(kind === undefined ? [] : [ofKind(eb, kind)]),
      ...(state === undefined ? [] : [inState(eb, state)]),
    ]);

const ofKind = (eb: Tables, kind: (typeof SHARE_KINDS)[number]): Expression<SqlBool> =>
  kind === "drop"
    ? eb("shares.max_files", "is not", null)
    : eb.and([eb("shares.max_files", "is", null), eb("entries.kind", "=", kind)]);

function inState(eb: Tables, { is, asOf }: NonNullable<ShareFilter["state"]>): Expression<SqlBool> {
  const isSound = eb.or([eb("blobs.state", "is", null), eb("blobs.state", "!=", "damaged")]);
  if (is === "damaged") return eb("blobs.state", "=", "damaged");
  if (is === "expired") return eb.and([isSound, eb("links.expires_at", "<=", asOf)]);
  const isOpen = eb.or([eb("links.expires_at", "is", null), eb("links.expires_at", ">", asOf)]);
  // Coalesced, because a comparison with null is neither true nor false.
  const uses = [
    eb("shares.downloads", ">=", eb.fn.coalesce("shares.max_downloads", eb.lit(MOST))),
    eb("shares.files", ">=", eb.fn.coalesce("shares.max_files", eb.lit(MOST))),
    eb("shares.bytes", ">=", eb.fn.coalesce("shares.max_bytes", eb.lit(MOST))),
  ];
  const isUsedUp = eb.or(uses);
  return eb.and([isSound, isOpen, is === "used_up" ? isUsedUp : eb.not(isUsedUp)]);
}

const MOST = Number.MAX_SAFE_INTEGER;
