/** Does what the state of an import asks for, under a lease, until nothing is left to do. */
import { rm, open } from "node:fs/promises";
import { join } from "node:path";
import type { Leases } from "../../../platform/cluster/leases.ts";
import type { Database } from "../../../platform/db/database.ts";
import { retryUntilAvailable } from "../../../platform/db/retry-until-available.ts";
import type { Clock } from "../../../lib/clock.ts";
import { AppError, appError } from "../../../lib/errors.ts";
import type { Logger } from "../../../lib/logger.ts";
import type { Outbound } from "../../../lib/outbound.ts";
import type { SecretBox } from "../../../lib/secret-box.ts";
import { type Product, PRODUCTS } from "../readers/products.ts";
import type { Source } from "../readers/reader.ts";
import { type MoveDomains, removeNewDomains } from "./new-domains.ts";
import type { ImportRepository, StoredImport } from "./repository.ts";
import type { OnProgress } from "./portions.ts";
import type { createRuns } from "./run.ts";
import type { ImportState } from "./state.ts";
import type { createUndo } from "./undo.ts";

/** How the work gets its source and reports its progress, on the command line. */
export type Work = {
  /** Where the file is now. */
  source?: string;
  key?: string | null;
  onProgress?: OnProgress;
  signal?: AbortSignal;
};

export type WorkDeps = {
  database: Pick<Database, "transaction">;
  repository: ImportRepository;
  runs: ReturnType<typeof createRuns>;
  undo: ReturnType<typeof createUndo>;
  domains: MoveDomains;
  leases: Leases;
  box: SecretBox;
  /** The folder of uploaded files. */
  folder: string;
  outbound: Outbound;
  clock: Clock;
  logger: Logger;
};

const LEASE_MS = 60_000;
/** Between transactions of a confirmation, for others. */
const REST_MS = 10;
export const KEY_PURPOSE = "import key";
export const WORKING: readonly ImportState[] = ["previewing", "running", "undoing", "confirming"];

export const moverOf = ({ createdBy }: Pick<StoredImport, "createdBy">) => ({
  name: createdBy,
  ownOnly: false,
});

export async function openMoved(
  deps: WorkDeps,
  row: StoredImport,
  { source, key, signal }: Work,
): Promise<Source> {
  const position = source ?? (row.file === null ? row.source : join(deps.folder, row.file));
  await refusePacked(position, row.product);
  const sealed = row.secret === null ? null : deps.box.open(row.secret, KEY_PURPOSE);
  return PRODUCTS[row.product].open({
    source: position,
    key: key ?? sealed,
    map: row.options.map,
    signal: signal ?? new AbortController().signal,
    outbound: deps.outbound,
  });
}

export async function dropFile(
  { folder }: Pick<WorkDeps, "folder">,
  { file }: Pick<StoredImport, "file">,
): Promise<void> {
  if (file !== null) await rm(join(folder, file), { force: true });
}

async function readSource(deps: WorkDeps, row: StoredImport, how: Work, lost: AbortSignal): Promise<void> {
  const { database, repository, runs, clock } = deps;
  const source = await openMoved(deps, row, { ...how, signal: lost });
  try {
    row.report.columns = source.columns ?? [];
    const run = { row, source, actor: moverOf(row), lost, onProgress: how.onProgress };
    if (row.state === "running") return await runs.runImport(run);
    const report = await runs.preview(run);
    // A change of the options meanwhile previews again.
    await database.transaction(async (tx) => {
      const now = await repository.lock(tx, row.id);
      if (now.state === "previewing" && now.updatedAt === row.updatedAt)
        await repository.update(
          tx,
          row.id,
          { state: "previewed", report: { ...report, stage: null } },
          clock.now(),
        );
    });
  } finally {
    await source.close?.();
  }
}

async function confirm(
  { database, repository }: WorkDeps,
  { id }: StoredImport,
  lost: AbortSignal,
): Promise<void> {
  for (const table of ["import_clicks", "import_entries", "import_links"] as const) {
    while (!lost.aborted && (await database.transaction((tx) => repository.forget(tx, id, table))))
      await Bun.sleep(REST_MS);
  }
  lost.throwIfAborted();
}

/** False if the state was changed meanwhile. */
const end = (
  { database, repository, clock }: WorkDeps,
  row: StoredImport,
  state: ImportState,
  problem: string | null,
): Promise<boolean> =>
  database.transaction(async (tx) => {
    const { report, state: current } = await repository.lock(tx, row.id);
    if (current !== row.state) return false;
    const { columns } = row.report;
    const ended = { ...report, columns, stage: null, problem };
    await repository.update(tx, row.id, { state, report: ended }, clock.now());
    return true;
  });

/** @throws what ended it */
async function step(deps: WorkDeps, row: StoredImport, how: Work, lost: AbortSignal): Promise<void> {
  const { repository, undo, logger } = deps;
  if (row.state === "undoing") {
    await undo(row, moverOf(row), lost);
    await removeNewDomains(deps.domains, row);
    await end(deps, row, "undone", null);
    await dropFile(deps, row);
  } else if (row.state === "confirming") {
    await confirm(deps, row, lost);
    await end(deps, row, "confirmed", null);
  } else {
    try {
      await readSource(deps, row, how, lost);
      if ((await repository.find(row.id)).state === "done") await dropFile(deps, row);
    } catch (error) {
      // An outage ends, and the import goes on.
      if (lost.aborted || (error instanceof AppError && error.kind === "unavailable")) throw error;
      const problem =
        error instanceof AppError ? error.message : "The server failed; its log has the details.";
      if (!(error instanceof AppError)) logger.error({ err: error, import: row.id }, "an import stopped");
      if (await end(deps, row, "stopped", problem)) throw error;
    }
  }
}

export function createWork(deps: WorkDeps) {
  const { repository, leases, logger } = deps;
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();

  /** Until nothing is left to do. False, without work, if another process does it. */
  async function work(id: number, how: Work = {}): Promise<boolean> {
    const signal =
      how.signal === undefined ? stopping.signal : AbortSignal.any([stopping.signal, how.signal]);
    const held = await leases.hold(`import:${id}`, LEASE_MS, async (lost) => {
      const ended = AbortSignal.any([lost, signal]);
      for (;;) {
        const row = await repository.find(id);
        if (!WORKING.includes(row.state)) return;
        await step(deps, row, how, ended);
      }
    });
    return held !== null;
  }

  /** Begins or continues the work in the background. */
  function begin(id: number): void {
    const task = retryUntilAvailable(() => work(id), stopping.signal)
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) logger.warn({ err: error, import: id }, "an import stopped");
      })
      .finally(() => running.delete(task));
    running.add(task);
  }

  return {
    work,
    begin,
    async close(): Promise<void> {
      stopping.abort();
      await Promise.allSettled(running);
    },
  };
}

const UTF_16 =
  "The file is in UTF-16. Save it as UTF-8, in PowerShell with: Get-Content FILE | Set-Content -Encoding utf8 NEW";
const KNOWN: readonly (readonly [begin: readonly number[], sentence: string])[] = [
  [[0x1f, 0x8b], "The file is compressed. Unpack it first: gunzip FILE"],
  [[0x28, 0xb5, 0x2f, 0xfd], "The file is compressed. Unpack it first: unzstd FILE"],
  [
    [0x50, 0x4b, 3, 4],
    "The file is a ZIP archive or an Excel workbook. Unpack it, or save the sheet as CSV (UTF-8).",
  ],
];
const UTF_16_MARKS = ["fffe", "feff"];
/** Their readers take UTF-16. */
const TABLES: readonly Product[] = ["csv", "shlink"];

/** @throws BadRequest that explains what to do */
async function refusePacked(path: string, product: Product): Promise<void> {
  const file = await open(path, "r").catch(() => null);
  if (file === null) return;
  try {
    if (!(await file.stat()).isFile()) return;
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4);
    for (const [begin, sentence] of KNOWN)
      if (begin.every((byte, at) => buffer[at] === byte)) throw appError("BadRequest", sentence);
    if (!TABLES.includes(product) && UTF_16_MARKS.includes(buffer.toString("hex", 0, 2)))
      throw appError("BadRequest", UTF_16);
  } finally {
    await file.close();
  }
}
