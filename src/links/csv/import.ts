/**
 * Imports a CSV file of links in one transaction: every valid row, or none after a failure. Rows are parsed in slices
 * of half a millisecond; the next chunk is read while the database writes.
 *
 * Each chunk queries its existing codes in the transaction, so a repeated code behaves like an existing one.
 * `overwrite` keeps creation time and clicks if the file lacks those columns, but not expiry and password. Links that
 * serve shares are never overwritten, and rows exported from them are skipped.
 */
import { isRetryable, isUniqueViolation } from "../../db/failures.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import type { EventRecord } from "../../lib/event.ts";
import { isInternal } from "../link/internal-target.ts";
import { codeOf } from "../link/key.ts";
import { readOptions, writeOptions } from "../link/options.ts";
import type { Link } from "../link/link.ts";
import type { LinkBulkRepository } from "./repository.ts";
import type { CsvLink } from "./row.ts";
import { type CsvChunk, type CsvFile, failedRow, isFailed, openCsvFile } from "./csv-file.ts";
import { exists, fail, type ImportOptions, type ImportResult, noRows, succeed } from "./import-result.ts";
import { previewImport } from "./preview.ts";
import type { LinkTransaction } from "../write/changes.ts";
import { linkEvent, type RecordLinkEvents } from "../link/events.ts";
import { createPasswordHashing, type RowHashes } from "./import-passwords.ts";
import type { ExistingLink, LinkRepository, NewLink } from "../write/repository.ts";
import { type CodeRule, isAlias, linkServesShare } from "../link/code.ts";

export type LinkImportDeps = {
  repository: LinkRepository;
  bulk: LinkBulkRepository;
  changes: {
    write<T>(run: (tx: LinkTransaction) => Promise<T>, options?: { long?: boolean }): Promise<T>;
  };
  record: RecordLinkEvents;
  rule: CodeRule;
  keyOf?(code: string, host: string | undefined): string;
  hashPassword(plain: string): Promise<string>;
  clock: Clock;
};

export type LinkImport = ReturnType<typeof createLinkImport>;

const MOST_RUNS = 5;
const RETRY_MS = 1_000;

export function createLinkImport(deps: LinkImportDeps) {
  const { changes, rule, clock } = deps;
  const hashAll = createPasswordHashing(deps);
  const inTurn = createTurns();
  const previewInTurn = createTurns();

  /** @throws CsvParseError (no usable header; row errors are in the result), BadRequest (aborted) */
  return async function importLinks(bytes: Buffer, options: ImportOptions): Promise<ImportResult> {
    const now = clock.now();
    const file = openCsvFile(bytes, { rule, now, ...(deps.keyOf && { keyOf: deps.keyOf }) });
    if (options.dryRun === true) return previewInTurn(() => previewImport(deps, file, options));
    const hashes = file.hasPasswords ? await hashAll(file, options) : new Map<number, string>();
    const actor = { name: (options.actor ?? COMMAND).name, via: "import" } as const;
    const run: Run = { ...deps, ...options, actor, file, hashes, now };
    return inTurn(async () => {
      for (let runs = 1; ; runs++) {
        try {
          return await changes.write((tx) => writeAll(tx, run), { long: true });
        } catch (error) {
          // Another writer created a link between look and insert; the next run sees it. Or two imports block each
          // other; the loser waits longer.
          if (runs === MOST_RUNS || !(isUniqueViolation(error) || isRetryable(error))) throw error;
          if (isRetryable(error)) await Bun.sleep(runs * RETRY_MS * (1 + Math.random()));
        }
      }
    });
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
    actor: Pick<Actor, "name" | "via">;
    file: CsvFile;
    hashes: RowHashes;
    now: number;
  };

async function writeAll(tx: LinkTransaction, run: Run): Promise<ImportResult> {
  const result = noRows();
  let writing = Promise.resolve();
  let restedAt = performance.now();
  for await (const chunk of run.file.chunks()) {
    await writing;
    if (run.besideRedirects === true) {
      await Bun.sleep(2 * (performance.now() - restedAt));
      restedAt = performance.now();
    }
    run.onProgress?.({ stage: "links", done: chunk.done, total: run.file.bytes });
    writing =
      run.mode === "overwrite" ? overwriteChunk(tx, run, chunk, result) : addChunk(tx, run, chunk, result);
    // Awaited a turn later. Until then nothing handles a rejection.
    writing.catch(() => undefined);
  }
  await writing;
  const { failed_items: _, unread_items: __, ...counts } = result;
  const { now: at, actor, mode, id } = run;
  const after = { mode, ...counts, ...(id !== undefined && { import_id: id }) };
  await run.record(tx.db, [{ at, actor, action: "links.import", subject: mode, after }]);
  return result;
}

async function addChunk(tx: LinkTransaction, run: Run, chunk: CsvChunk, result: ImportResult): Promise<void> {
  const taken = await run.repository.taken([...new Set(codesOf(chunk))], tx.db);
  const inserts: NewLink[] = [];
  for (const row of chunk.rows) {
    result.total_rows++;
    if (isFailed(row)) fail(result, row);
    else if (isInternal(row.target)) result.skipped_count++;
    else if (!taken.has(row.code)) {
      taken.add(row.code);
      inserts.push(newLink(row, await hashFor(row, run), run.now));
      succeed(result, row);
    } else if (run.mode === "skip") result.skipped_count++;
    else fail(result, failedRow(row.row, codeOf(row.code), exists(codeOf(row.code))));
  }
  await run.repository.insertMany(tx.db, inserts);
  tx.changed(
    "links",
    inserts.map((link) => link.code),
  );
}

async function overwriteChunk(
  tx: LinkTransaction,
  run: Run,
  chunk: CsvChunk,
  result: ImportResult,
): Promise<void> {
  const last = new Map<string, CsvLink>();
  const codes = [...new Set(codesOf(chunk))];
  const stored = await run.repository.lock(tx.db, codes);
  const aliases = await run.repository.aliases.among(codes, tx.db);
  for (const row of chunk.rows) {
    result.total_rows++;
    if (isFailed(row)) fail(result, row);
    else if (isInternal(row.target)) result.skipped_count++;
    else if (stored.get(row.code)?.isInternal)
      fail(result, failedRow(row.row, codeOf(row.code), linkServesShare(codeOf(row.code))));
    else if (aliases.has(row.code))
      fail(result, failedRow(row.row, codeOf(row.code), isAlias(codeOf(row.code))));
    else {
      if (stored.has(row.code) || last.has(row.code)) result.overwritten_count++;
      last.set(row.code, row);
      succeed(result, row);
    }
  }
  const inserts: NewLink[] = [];
  const replacements: Link[] = [];
  const events: EventRecord[] = [];
  const retagged: Parameters<LinkRepository["retag"]>[1][number][] = [];
  for (const row of last.values()) {
    const before = stored.get(row.code);
    const link = newLink(row, await hashFor(row, run), run.now, before);
    if (before === undefined) inserts.push(link);
    else {
      replacements.push({ ...link, id: before.id });
      retagged.push({ ...before, before: before.tags, after: link.tags });
      events.push(
        linkEvent({ actor: run.actor, now: run.now, verb: "update" }, { id: before.id, before, after: link }),
      );
    }
  }
  await run.repository.insertMany(tx.db, inserts);
  await run.bulk.replace(tx.db, replacements, { withClicks: run.file.hasClicks });
  await run.repository.retag(tx.db, retagged);
  await run.record(tx.db, events);
  const others = await run.repository.aliases.ofLinks(
    replacements.map(({ id }) => id),
    tx.db,
  );
  tx.changed("links", [...last.keys(), ...others]);
}

const codesOf = (chunk: CsvChunk): string[] => chunk.rows.flatMap((row) => (isFailed(row) ? [] : row.code));

const newLink = (row: CsvLink, passwordHash: string | null, now: number, before?: ExistingLink): NewLink => ({
  code: row.code,
  target: row.target,
  createdAt: row.createdAt ?? before?.createdAt ?? now,
  updatedAt: now,
  expiresAt: row.expiresAt,
  passwordHash,
  title: row.more.title === undefined ? (before?.title ?? null) : row.more.title,
  note: row.more.note === undefined ? (before?.note ?? null) : row.more.note,
  options: writeOptions({ ...readOptions(before?.options ?? null), ...row.more.options }),
  tags: row.more.tags ?? before?.tags ?? [],
  ownerId: before?.ownerId ?? null,
  createdBy: row.more.createdBy === undefined ? (before?.createdBy ?? null) : row.more.createdBy,
  clickCount: row.clickCount ?? 0,
  automatedClicks: 0,
});

/** Before the transaction, or here if the link is gone now. */
async function hashFor({ row, password }: CsvLink, { hashes, hashPassword }: Run): Promise<string | null> {
  if (password === null) return null;
  return "hash" in password ? password.hash : (hashes.get(row) ?? hashPassword(password.plain));
}
