/**
 * Imports a CSV file of links in portions, each in a transaction of its own, so that others write between them. After a
 * failure the portions before it stand. The event grows with each; until the last, `next_row` is the line of the first
 * row that is not written.
 *
 * A portion queries its existing codes, so a repeated code behaves like an existing one. `overwrite` keeps creation
 * time and clicks if the file lacks those columns. Links that serve shares are never overwritten.
 */
import { isRetryable, isUniqueViolation } from "../../platform/db/failures.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, appError } from "../../lib/errors.ts";
import type { EventRecord } from "../../lib/event.ts";
import { codeOf } from "../link/key.ts";
import { PLAIN, UNOWNED } from "../link/link.ts";
import type { DomainFilter } from "../list/filter.ts";
import type { LinkBulkRepository, Replacement } from "./repository.ts";
import {
  type CsvChunk,
  type CsvFile,
  type CsvLink,
  failedRow,
  type FailedRow,
  isFailed,
  openCsvFile,
} from "./csv-file.ts";
import {
  addRows,
  allowedOptions,
  countsOf,
  type ImportOptions,
  type ImportResult,
  noRows,
  ownersOf,
  planRows,
  refusalsOfRows,
  specifiedResult,
} from "./import-plan.ts";
import type { ValidateTargets } from "../write/allowed-targets.ts";
import type { Owners } from "../link/owners.repository.ts";
import { type LinkChanges, writeAgain } from "../write/changes.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import { linkEvent, type RecordLinkEvents } from "../link/events.ts";
import type { ExistingLink, LinkRepository, NewLink } from "../write/repository.ts";
import { namesOfOwners } from "../write/plans.ts";
import { createSpellings, type SpelledDomains } from "./spellings.ts";
import type { CodeRule } from "../link/code.ts";
import { inParallel } from "../../lib/in-parallel.ts";
import { toUtf8 } from "../../lib/csv-beginning.ts";

export type LinkImportDeps = {
  repository: LinkRepository;
  bulk: LinkBulkRepository;
  owners: Pick<Owners, "idsOf">;
  changes: Pick<LinkChanges, "write">;
  events: {
    add: RecordLinkEvents;
    /** Adds the event, or replaces the one with that id. Returns its id. */
    keep(db: Db, event: EventRecord, id: number | null): Promise<number>;
  };
  rule: CodeRule;
  hasOneWriter: boolean;
  domains: SpelledDomains & {
    /** The domain of a filter. */
    filterOf: DomainFilter;
    hostOf(domain: number): string | null;
    of(host: string): object | undefined;
  };
  validateTargets?: ValidateTargets;
  /** Whether new links get the titles of their targets' pages. */
  fetchesTitles?: (() => boolean) | undefined;
  hashPassword(plain: string): Promise<string>;
  clock: Clock;
};

const RETRY_MS = 1_000;
/** Shares of the work. A server has other requests, and a command may keep other writers waiting. */
const SERVER_REST = 0.5;
const COMMAND_REST = 0.4;
/** Rows of a portion, where other writers wait for it. */
const ROWS_OF_ONE_WRITER = 500;
const NO_ROWS: CsvChunk = { rows: [], done: 0 };
/** An error is one text, made in one step of the event loop. */
const MOST_ITEMS_WITH_FAILURE = 500;

export function createLinkImport(deps: LinkImportDeps) {
  const { rule, clock } = deps;
  const hashAll = createPasswordHashing(deps);
  const inTurn = createTurns();
  const previewInTurn = createTurns();

  /**
   * @throws CsvParseError (no usable header; row errors are in the result), BadRequest (aborted); else what stopped it,
   * with the result so far in `details.data`
   */
  return async function importLinks(bytes: Buffer, options: ImportOptions): Promise<ImportResult> {
    const now = clock.now();
    const file = openCsvFile(await toUtf8(bytes), {
      rule,
      now,
      keyOf: createSpellings(deps.domains).keyOf,
      isDomain: (host) => deps.domains.of(host) !== undefined,
      isStrict: options.isStrict,
    });
    if (options.dryRun === true) return previewInTurn(() => preview(deps, file, options));
    const hashes = file.hasPasswords ? await hashAll(file, options) : new Map<number, string>();
    const { name, ownOnly } = options.actor ?? COMMAND;
    const actor = { name, ownOnly, via: "import" } as const;
    const alone = deps.hasOneWriter ? COMMAND_REST : 0;
    const restShare = options.actor === undefined ? alone : SERVER_REST;
    return inTurn(() => writeAll({ ...deps, ...options, actor, file, hashes, now, restShare }));
  };
}

/** Two imports of the same links would block each other, and two previews hold twice the codes. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

type Run = LinkImportDeps &
  Omit<ImportOptions, "actor"> & {
    actor: Pick<Actor, "name" | "via" | "ownOnly">;
    file: CsvFile;
    hashes: RowHashes;
    now: number;
    restShare: number;
  };

async function writeAll(run: Run): Promise<ImportResult> {
  const stands = noRows(run.file.ignoredColumns);
  const rest = createImportPace(run.restShare);
  const portions = run.file.chunks(run.hasOneWriter ? ROWS_OF_ONE_WRITER : undefined);
  let next = portions.next();
  let eventId: number | null = null;
  do {
    const portion: CsvChunk = (await next).value ?? NO_ROWS;
    next = portions.next();
    // Awaited later. Until then nothing handles a rejection.
    next.catch(() => undefined);
    const following = next.then(({ value }) => value?.rows[0]!.row ?? null);
    try {
      eventId = await writePortion(run, portion, { stands, eventId, following });
    } catch (error) {
      throw stands.total_rows === 0 ? error : stopped(error, stands, portion);
    }
    run.onProgress?.({ stage: "links", done: portion.done, total: run.file.bytes });
    await rest();
  } while (!(await next).done);
  return stands;
}

/** `following`: the line of the next portion's first row. */
type Standing = { stands: ImportResult; eventId: number | null; following: Promise<number | null> };

/** Adds its rows to `stands` after the commit. Returns the id of the event, which reports them. */
async function writePortion(
  run: Run,
  portion: CsvChunk,
  { stands, eventId, following }: Standing,
): Promise<number> {
  return writeAgain(async () => {
    let result = noRows();
    const id = await run.changes.write(async (tx) => {
      result = noRows();
      await writeRows(tx, run, portion, result);
      return run.events.keep(tx.db, eventOf(run, countsOf(stands, result), await following), eventId);
    });
    addRows(stands, result);
    return id;
  }, mayHelpImport);
}

/** Another writer created a link between look and insert. Or two imports block each other; the loser waits longer. */
async function mayHelpImport(error: unknown, runs: number): Promise<boolean> {
  if (!isRetryable(error)) return isUniqueViolation(error);
  await Bun.sleep(runs * RETRY_MS * (1 + Math.random()));
  return true;
}

function eventOf({ now: at, actor, mode, id }: Run, counts: object, nextRow: number | null): EventRecord {
  const after = {
    mode,
    ...counts,
    ...(nextRow !== null && { next_row: nextRow }),
    ...(id !== undefined && { import_id: id }),
  };
  return { at, actor, action: "links.import", subject: mode, after };
}

/** The first row that does not stand is the last failed item. */
function stopped(error: unknown, stands: ImportResult, { rows: [first] }: CsvChunk): AppError {
  const cause =
    error instanceof AppError
      ? error
      : appError("InternalServerError", "The server failed; its log has the details.", { cause: error });
  const { row, code } = first!;
  const stop = failedRow(row, codeOf(code), cause);
  stands.total_rows++;
  stands.failed_count++;
  const failed = [...stands.failed_items.slice(0, MOST_ITEMS_WITH_FAILURE - 1), stop];
  const message = `${cause.message} Line ${row} and those after it were not imported; what stands before it was. Import the same file again to go on.`;
  const unread = stands.unread_items.slice(0, MOST_ITEMS_WITH_FAILURE);
  const data = { ...specifiedResult(stands), failed_items: failed, unread_items: unread };
  return appError(cause.name, message, {
    details: { ...cause.details, data },
    cause: error,
  });
}

/** Counts what an import would do, without a write or a lock. `overwritten_count`: as if each row were written. */
async function preview(
  { repository, owners, bulk, validateTargets, clock }: LinkImportDeps,
  file: CsvFile,
  { mode, isStrict, onProgress, signal, actor = COMMAND }: ImportOptions,
): Promise<ImportResult> {
  const result = noRows(file.ignoredColumns);
  // At most as many as rows fit into the file.
  const rows = new Set<string>();
  const rest = createImportPace(SERVER_REST);
  for await (const chunk of file.chunks()) {
    if (signal?.aborted) throw cancelled();
    await rest();
    onProgress?.({ stage: "links", done: chunk.done, total: file.bytes });
    const codes = codesOf(chunk);
    const [links, others] = [await bulk.existing(codes), await repository.aliases.among(codes)];
    const named = await ownersOf({ owners }, chunk.rows);
    const checks = { validateTargets, actor, now: clock.now(), links, owners: named, isStrict };
    const refusals = await refusalsOfRows(repository, chunk, checks);
    planRows(chunk, mode, { links, others, rows, refusals, owners: named }, result);
  }
  return result;
}

/** Locks existing links only to overwrite them. */
async function writeRows(
  tx: ChangeTransaction,
  run: Run,
  chunk: CsvChunk,
  result: ImportResult,
): Promise<void> {
  const { repository, bulk, mode } = run;
  const overwrites = mode === "overwrite";
  const codes = codesOf(chunk);
  const stored = overwrites ? await repository.lock(tx.db, codes) : new Map<string, ExistingLink>();
  const others = await (overwrites ? repository.aliases.among(codes, tx.db) : repository.taken(codes, tx.db));
  const owners = await ownersOf(run, chunk.rows);
  const refusals = await refusalsOfRows(repository, chunk, { ...run, links: stored, owners }, tx.db);
  const planned = planRows(chunk, mode, { links: stored, others, rows: new Set(), refusals, owners }, result);
  const inserts: NewLink[] = [];
  const replacements: Replacement[] = [];
  const overwritten: { before: ExistingLink; after: NewLink }[] = [];
  const retagged: Parameters<LinkRepository["retag"]>[1][number][] = [];
  for (const row of planned.values()) {
    const before = stored.get(row.code);
    const link = newLink(row, await hashFor(row, run), run, before);
    const ownerId = owners.get(row) ?? before?.ownerId ?? null;
    if (before === undefined) inserts.push({ ...link, ownerId });
    else {
      replacements.push({ ...link, id: before.id, automatedClicks: row.automatedClicks });
      if (ownerId !== before.ownerId) await repository.give(tx.db, ownerId, [before]);
      retagged.push({ ...before, ownerId, before: before.tags, after: link.tags });
      overwritten.push({ before, after: { ...link, ownerId } });
    }
  }
  const ids = await repository.insertMany(tx.db, inserts);
  if (run.fetchesTitles?.()) await repository.awaitTitles(tx.db, inserts, ids);
  tx.changed("links", [...planned.keys()]);
  if (replacements.length === 0) return;
  await bulk.replace(tx.db, replacements, { withClicks: run.file.hasClicks });
  await repository.retag(tx.db, retagged);
  const written = overwritten.map(({ after }) => after);
  const nameOf = await namesOfOwners(tx.db, written, stored);
  const doing = { actor: run.actor, now: run.now, verb: "update" } as const;
  await run.events.add(
    tx.db,
    overwritten.map(({ before, after }) =>
      linkEvent(doing, {
        id: before.id,
        before: { ...before, owner: nameOf(before) },
        after: { ...after, owner: nameOf(after) },
      }),
    ),
  );
  const replaced = replacements.map(({ id }) => id);
  tx.changed("links", await repository.aliases.ofLinks(replaced, tx.db));
}

const codesOf = (chunk: CsvChunk): string[] => [
  ...new Set(chunk.rows.flatMap((row) => (isFailed(row) ? [] : row.code))),
];

/** @param row passed `refusalsOfRows` */
const newLink = (row: CsvLink, passwordHash: string | null, run: Run, before?: ExistingLink): NewLink => ({
  ...PLAIN,
  ...UNOWNED,
  ...before,
  ...row.more,
  code: row.code,
  target: row.target,
  createdAt: row.createdAt ?? before?.createdAt ?? run.now,
  updatedAt: run.now,
  expiresAt: row.expiresAt,
  passwordHash,
  options: allowedOptions(row, before, run) as string | null,
  deadSince: row.target === before?.target ? (before.deadSince ?? null) : null,
  clickCount: row.clickCount ?? 0,
  automatedClicks: row.automatedClicks ?? 0,
});

/** Before the transaction, or here if the link is gone now. */
async function hashFor({ row, password }: CsvLink, { hashes, hashPassword }: Run): Promise<string | null> {
  if (password === null) return null;
  return "hash" in password ? password.hash : (hashes.get(row) ?? hashPassword(password.plain));
}

/** Rests for a share of the time since the last rest, so that redirects and other writers get their turn. */
function createImportPace(share: number): () => Promise<void> {
  let restedAt = performance.now();
  return async () => {
    if (share > 0) await Bun.sleep((performance.now() - restedAt) * share);
    restedAt = performance.now();
  };
}

/** Hashes by row. */
type RowHashes = ReadonlyMap<number, string>;

type HashingOptions = {
  /** Mode of the import (import.ts). */
  mode: string;
  onProgress?: (progress: { stage: "passwords"; done: number; total: number }) => void;
  signal?: AbortSignal;
};

type HashPassword = (plain: string) => Promise<string>;
type Deps = { repository: LinkRepository; hashPassword: HashPassword };

/** Per process. Others wait their turn. */
export const HASHED_AT_ONCE = 2;
const TRIES = 60;

/** Waits while the queue is full. @throws ServiceUnavailable after a minute */
export async function hashPatiently(hashPassword: HashPassword, plain: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      return await hashPassword(plain);
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== "unavailable" || tries === TRIES) throw error;
      await Bun.sleep(1_000);
    }
  }
}

/** The client left. */
export const cancelled = () => appError("BadRequest", "The import was cancelled; nothing was changed.");

/** Not of existing links that stay. About fifty a second, so this dominates an import with passwords. */
function createPasswordHashing({ repository, hashPassword }: Deps) {
  /** @throws BadRequest if the signal ends it */
  return async function hashAll(file: CsvFile, options: HashingOptions): Promise<RowHashes> {
    const { mode, signal, onProgress } = options;
    const hashes = new Map<number, string>();
    let before = 0;
    for await (const { rows, done } of file.chunks()) {
      const secret = rows.filter(hasPlainPassword);
      const codes = mode === "overwrite" ? [] : [...new Set(secret.map((link) => link.code))];
      const taken = await repository.taken(codes);
      const open = secret.filter((link) => !taken.has(link.code));
      const [start, bytes] = [before, done - before];
      await inParallel(open.entries(), HASHED_AT_ONCE, async ([index, link]) => {
        if (signal?.aborted) throw cancelled();
        hashes.set(link.row, await hashPatiently(hashPassword, link.password.plain));
        const share = Math.floor((bytes * index) / open.length);
        onProgress?.({ stage: "passwords", done: start + share, total: file.bytes });
      });
      before = done;
    }
    return hashes;
  };
}

type SecretLink = CsvLink & { password: { plain: string } };
const hasPlainPassword = (row: CsvLink | FailedRow): row is SecretLink =>
  !isFailed(row) && row.password !== null && "plain" in row.password;
