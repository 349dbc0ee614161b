/** The result of an import, and which rows of a portion it writes, also in a preview. */
import type { Actor } from "../../lib/actor.ts";
import { AppError, appError } from "../../lib/errors.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { codeTakenByAlias, linkServesShare } from "../link/code.ts";
import { isInternal } from "../link/internal-target.ts";
import { readOptions, writeOptions } from "../link/field-values.ts";
import type { Owners } from "../link/owners.repository.ts";
import { codeOf, domainOf } from "../link/key.ts";
import type { LinkRepository } from "../write/repository.ts";
import { changedSiteCodeRefusals, refusedOwners, shareRefusals } from "../write/refusals.ts";
import { ANY_TARGET, takenDownRefusal, type ValidateTargets } from "../write/allowed-targets.ts";
import type { Existing } from "./repository.ts";
import {
  type CsvChunk,
  type CsvLink,
  failedRow,
  type FailedRow,
  isFailed,
  type UnreadCell,
  unreadCell,
  unreadRefusal,
} from "./csv-file.ts";

/** The columns of an export besides the specified ones. */
export const EXPORT_COLUMNS = ["all"] as const;
export const IMPORT_MODES = ["skip", "overwrite", "error"] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

/** Any other text is `skip`, so that only the exact word overwrites. */
export const importModeOf = (text: string | undefined): ImportMode =>
  IMPORT_MODES.find((mode) => mode === text) ?? "skip";

/** The result for clients that request no more. */
export const specifiedResult = (result: ImportResult) => {
  const { overwritten_count: _, ...specified } = result;
  return specified;
};
export type SpecifiedResult = ReturnType<typeof specifiedResult>;

type UnreadItem = UnreadCell & { row: number; code: string };

export type ImportProgress = {
  /** Bytes of the file so far. A second run after a lost race begins at 0. */
  done: number;
  total: number;
  stage: "passwords" | "links";
};

export type ImportOptions = {
  mode: ImportMode;
  /** Counts only. */
  dryRun?: boolean;
  /** Rows with cells that can't be read fail. */
  isStrict?: boolean;
  /** Names the import in its event. */
  id?: string;
  /** Default: a command. Events say that it acts by an import. */
  actor?: Actor;
  onProgress?: (progress: ImportProgress) => void;
  /** Ends the import while it hashes passwords, not later. */
  signal?: AbortSignal;
};

/** More than the rows of an ordinary file of 10 MB. */
const MOST_ITEMS_LISTED = 100_000;

/** total = success + skipped + failed. */
export const noRows = (ignoredColumns: readonly string[] = []) => ({
  total_rows: 0,
  success_count: 0,
  /** The rows among them that replace a link or an earlier row. */
  overwritten_count: 0,
  skipped_count: 0,
  failed_count: 0,
  /** The first 100,000. */
  failed_items: [] as FailedRow[],
  /** Cells of rows that succeed. */
  unread_count: 0,
  /** The first 100,000. */
  unread_items: [] as UnreadItem[],
  /** Columns of the file that are not imported, the first 100. */
  ignored_columns: ignoredColumns,
});
export type ImportResult = ReturnType<typeof noRows>;

/** The row is or would be written. */
function succeed(result: ImportResult, link: CsvLink, owners: RowOwners): void {
  const { row, code, unread } = link;
  result.success_count++;
  for (const cell of [...unread, ...unknownOwner(link, owners)]) {
    result.unread_count++;
    if (result.unread_items.length < MOST_ITEMS_LISTED)
      result.unread_items.push({ row, code: codeOf(code), ...cell });
  }
}

const COUNTS = [
  "total_rows",
  "success_count",
  "overwritten_count",
  "skipped_count",
  "failed_count",
  "unread_count",
] as const;

export const countsOf = (...results: readonly ImportResult[]) =>
  Object.fromEntries(
    COUNTS.map((name) => [name, results.reduce((sum, result) => sum + result[name], 0)]),
  ) as Pick<ImportResult, (typeof COUNTS)[number]>;

/** @param more of one portion */
export function addRows(sum: ImportResult, more: ImportResult): void {
  Object.assign(sum, countsOf(sum, more));
  sum.failed_items.push(...more.failed_items.slice(0, MOST_ITEMS_LISTED - sum.failed_items.length));
  sum.unread_items.push(...more.unread_items.slice(0, MOST_ITEMS_LISTED - sum.unread_items.length));
}

export function fail(result: ImportResult, item: FailedRow): void {
  result.failed_count++;
  if (result.failed_items.length < MOST_ITEMS_LISTED) result.failed_items.push(item);
}

/** Keys that are taken. The mode `overwrite` needs to know aliases and links that serve shares. */
export type Taken = {
  links: ReadonlyMap<string, { isInternal: boolean }>;
  others: { has(code: string): boolean };
  /** Keys that earlier rows take. Planning adds those of its rows. */
  rows: Set<string>;
  /** Why rows may not lead where they would. */
  refusals: ReadonlyMap<CsvLink, AppError>;
  owners: RowOwners;
};

/** Counts each row in `result`. Returns those to write by key; of a repeated one the last. */
export function planRows(
  { rows }: CsvChunk,
  mode: ImportMode,
  taken: Taken,
  result: ImportResult,
): Map<string, CsvLink> {
  const planned = new Map<string, CsvLink>();
  for (const row of rows) {
    result.total_rows++;
    if (isFailed(row)) {
      fail(result, row);
      continue;
    }
    const { code } = row;
    const isKnown = taken.links.has(code) || taken.rows.has(code);
    const refusal =
      mode === "overwrite"
        ? refusalToOverwrite(code, taken)
        : isKnown || taken.others.has(code)
          ? codeExists(codeOf(code))
          : null;
    const fault = refusal ?? taken.refusals.get(row);
    if (isInternal(row.target) || (refusal !== null && mode === "skip")) result.skipped_count++;
    else if (fault) fail(result, failedRow(row.row, codeOf(code), fault));
    else {
      if (isKnown) result.overwritten_count++;
      taken.rows.add(code);
      planned.set(code, row);
      succeed(result, row, taken.owners);
    }
  }
  return planned;
}

type ImportChecks = {
  validateTargets?: ValidateTargets | undefined;
  actor: Pick<Actor, "name" | "ownOnly">;
  now: number;
  isStrict?: boolean | undefined;
};

/** The options to store, or why the row may not lead there. */
export const allowedOptions = (
  { target, more }: CsvLink,
  before: Existing | undefined,
  { validateTargets = ANY_TARGET, ...by }: ImportChecks,
): string | null | AppError => {
  const options = writeOptions({ ...readOptions(before?.options ?? null), ...more.options });
  return validateTargets(before ?? null, { target, options }, by);
};

/** Why rows may not lead where they would. A row without an owner keeps that of its link, or has none. */
export async function refusalsOfRows(
  repository: Pick<LinkRepository, "shareOwners" | "administratorsAmong" | "aliases">,
  { rows }: CsvChunk,
  { links, owners, ...checks }: ImportChecks & { links: ReadonlyMap<string, Existing>; owners: RowOwners },
  db?: Db,
): Promise<ReadonlyMap<CsvLink, AppError>> {
  const readable = rows.filter((row): row is CsvLink => !isFailed(row));
  const ruled = readable.flatMap((row) => {
    const before = links.get(row.code);
    const ownerId = owners.get(row) ?? before?.ownerId ?? null;
    const isGiven = before !== undefined && ownerId !== before.ownerId;
    const kept = isGiven ? readOptions(before.options).rules : null;
    const { rules = kept } = row.more.options ?? {};
    return rules ? [{ row, rules, ownerId, domain: domainOf(row.code) }] : [];
  });
  const refusals = await shareRefusals(repository, ruled, db);
  const found = new Map(ruled.flatMap(({ row }, at) => (refusals[at] ? [[row, refusals[at]]] : [])));
  const changes = readable.flatMap((row) =>
    row.owner ? [{ row, code: row.code, key: row.code, ownerId: owners.get(row) }] : [],
  );
  const fresh = changes.filter(({ code }) => !links.has(code));
  const ofOwners = await refusedOwners(repository, fresh, db);
  for (const [at, { row }] of fresh.entries()) if (ofOwners[at]) found.set(row, ofOwners[at]);
  // Aliases count too.
  const ofChanges = await changedSiteCodeRefusals(repository, changes, links, { actor: checks.actor, db });
  for (const { row, code } of changes) if (ofChanges.has(code)) found.set(row, ofChanges.get(code)!);
  for (const row of readable) {
    if (isInternal(row.target)) continue;
    const before = links.get(row.code);
    const options = (before && takenDownRefusal(before)) ?? allowedOptions(row, before, checks);
    const [unknown] = checks.isStrict ? unknownOwner(row, owners) : [];
    if (options instanceof AppError) found.set(row, options);
    else if (unknown !== undefined) found.set(row, unreadRefusal(unknown));
  }
  return found;
}

/** Rows without an owner, or without a known one, are absent. */
export type RowOwners = ReadonlyMap<CsvLink, number>;

export async function ownersOf(
  { owners }: { owners: Pick<Owners, "idsOf"> },
  rows: readonly (CsvLink | FailedRow)[],
): Promise<RowOwners> {
  const named = rows.flatMap((row) => (!isFailed(row) && row.owner ? [{ row, name: row.owner }] : []));
  if (named.length === 0) return new Map();
  const ids = await owners.idsOf(named.map(({ name }) => name));
  return new Map(
    named.flatMap(({ row, name }) => {
      const id = ids.get(name);
      return id === undefined ? [] : [[row, id]];
    }),
  );
}

/** The cell of an owner that does not exist. */
const unknownOwner = (row: CsvLink, owners: RowOwners): UnreadCell[] =>
  row.owner && !owners.has(row) ? [unreadCell("owner", row.owner)] : [];

function refusalToOverwrite(code: string, { links, others }: Taken) {
  if (links.get(code)?.isInternal) return linkServesShare(code);
  return others.has(code) ? codeTakenByAlias(code) : null;
}

const codeExists = (code: string) =>
  appError("LinkAlreadyExists", `A link with the code '${code}' exists already.`);
