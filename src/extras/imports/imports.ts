/**
 * Moves from other products: a preview, the import, and its undo or confirmation. Each is work of one process at a
 * time, which a lease guards, and every process goes on with what a dead one left, if it has the file.
 */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { DetailsParser } from "../../clicks/details/details.ts";
import type { Database } from "../../platform/db/database.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { createCodeRule } from "../../links/link/code.ts";
import { checkHost } from "../../links/domains/domain.ts";
import type { Domains } from "../../links/domains/registry.ts";
import type { DomainService } from "../../links/domains/service.ts";
import { DEFAULT_DOMAIN } from "../../links/link/key.ts";
import { createOwners } from "../../links/link/owners.repository.ts";
import { createLinkRepository } from "../../links/write/repository.ts";
import { createImportRepository, type StoredImport } from "./move/repository.ts";
import type { MoveDomains } from "./move/new-domains.ts";
import { createRuns } from "./move/run.ts";
import type { OnNotes, OnProgress, RunDeps } from "./move/portions.ts";
import {
  emptyReport,
  type ImportReport,
  type ImportState,
  type MoveOptions,
  type Note,
} from "./move/state.ts";
import { createUndo } from "./move/undo.ts";
import { createVisitWriting } from "./move/write-visits.ts";
import {
  moverOf,
  KEY_PURPOSE,
  openMoved,
  WORKING,
  createWork,
  type WorkDeps,
  dropFile,
} from "./move/work.ts";
import type { Product } from "./readers/products.ts";
import type { LinkWriting } from "./move/write-links.ts";
import { pagesAfter } from "../../lib/pages.ts";

export type Imports = ReturnType<typeof createImports>;

export type ImportsDeps = Pick<RunDeps, "changes" | "keepEvent" | "settings"> &
  Pick<WorkDeps, "leases" | "box" | "folder" | "outbound" | "clock" | "logger"> &
  Pick<LinkWriting, "fetchesTitles"> &
  Required<Pick<LinkWriting, "validateTargets" | "files" | "randomCodeLength" | "hashPassword">> & {
    database: Database;
    parser: DetailsParser;
    routePrefixes(): readonly string[];
    /** Of targets besides http and https. */
    targetSchemes?: () => readonly string[];
    domains: Pick<Domains, "key" | "find" | "of" | "withoutCase">;
    domainService: Pick<DomainService, "create" | "remove">;
    /** The host of the default domain, if it is set. */
    ownHost(): string | null;
    settle(): Promise<unknown>;
  };

export type NewImport = {
  product: Product;
  /** Name of the file, or an address. */
  source: string;
  /** An uploaded one, in the folder. */
  file: string | null;
  key: string | null;
  options: MoveOptions;
};

const RECOVER_MS = 60_000;

export function createImports(deps: ImportsDeps) {
  const { database, clock } = deps;
  const repository = createImportRepository(database);
  const links = createLinkRepository(database);
  const rule = createCodeRule(
    deps.routePrefixes,
    deps.targetSchemes,
    () => deps.domains.withoutCase().length > 0,
  );
  const domains = moveDomains(deps);
  const { knownSourceKeys } = repository;
  const writing = { ...deps, repository: links, owners: createOwners(database), rule, knownSourceKeys };
  const runs = createRuns({
    ...deps,
    repository,
    domains,
    rule,
    links: writing,
    visits: createVisitWriting({ ...deps, keyOf: domains.keyOf }),
  });
  const undo = createUndo({ ...deps, repository, links });
  const pathOf = (file: string) => join(deps.folder, file);
  const doing = { ...deps, repository, runs, undo, domains };
  const { work, begin, close } = createWork(doing);

  const rowOf = ({ product, source, file, options }: NewImport, createdBy: string, state: ImportState) => {
    const made = { createdAt: clock.now(), createdBy, report: emptyReport() };
    return { product, source, file, options, state, secret: null, ...made };
  };

  /** It can be continued by this process. Sources of a command are for commands. */
  const isHere = ({ file, state, createdBy }: StoredImport): boolean =>
    state === "undoing" ||
    state === "confirming" ||
    (file === null ? createdBy !== COMMAND.name : existsSync(pathOf(file)));

  return {
    ...repository,
    outbound: deps.outbound,
    work,
    begin,
    actions: createMoveActions(doing),
    pathOf,

    async create(
      made: NewImport,
      actor: Pick<Actor, "name">,
      state: "previewing" | "running",
    ): Promise<StoredImport> {
      const id = await repository.add({
        ...rowOf(made, actor.name, state),
        source: withoutSecrets(made.source),
        secret: made.key === null ? null : await deps.box.seal(made.key, KEY_PURPOSE),
      });
      return repository.find(id);
    },

    /** Without a row. @throws the errors of the reader */
    async preview(made: NewImport, onProgress: OnProgress, onNotes: OnNotes): Promise<ImportReport> {
      const places = { linkPlace: 0, visitPlace: 0, filePlace: 0 };
      const own = rowOf(made, COMMAND.name, "previewing");
      const row: StoredImport = { ...own, ...places, id: 0, updatedAt: 0, eventId: null };
      const lost = new AbortController().signal;
      const source = await openMoved(doing, row, { key: made.key, signal: lost });
      const run = { row, source, actor: moverOf(row), lost, onProgress };
      return runs.preview(run, onNotes).finally(() => source.close?.());
    },

    makeFolder: (): Promise<unknown> => mkdir(deps.folder, { recursive: true, mode: 0o750 }),

    /** Goes on with what dead processes left. */
    job: {
      name: "imports",
      everyMs: () => RECOVER_MS,
      async run(): Promise<void> {
        for (const row of await repository.inStates(WORKING)) if (isHere(row)) begin(row.id);
      },
    },

    close,
  };
}

function moveDomains({ domains, domainService, ownHost }: ImportsDeps): MoveDomains {
  const find = (host: string) => domains.find(domains.of(host)?.id ?? DEFAULT_DOMAIN);
  const actor = (name: string) => ({ ...COMMAND, name, via: "import" }) as const;
  return {
    hostOf(text) {
      const host = checkHost(text ?? "");
      return typeof host === "string" && host !== ownHost() ? host : null;
    },
    addedAt: (host) => find(host)?.createdAt ?? null,
    add: async (host, by) => void (await domainService.create({ host }, actor(by))),
    removeUnused: (host, by) =>
      domainService.remove(find(host)?.id ?? DEFAULT_DOMAIN, actor(by)).catch((error: unknown) => {
        if (!(error instanceof AppError && (error.kind === "conflict" || error.kind === "not_found")))
          throw error;
      }),
    keyOf: domains.key,
  };
}

/** The source as people may see it. */
function withoutSecrets(source: string): string {
  const url = URL.parse(source);
  if (url === null || !source.includes("://")) return source;
  return `${url.protocol}//${url.host}${url.pathname}`;
}

type Deps = Pick<WorkDeps, "database" | "repository" | "folder" | "clock">;

const NOTES_AT_ONCE = 1_000;

/** What people ask of an import. The work follows from its state (work.ts). */
function createMoveActions(deps: Deps) {
  const { database, repository, clock } = deps;

  /** Changes the state, if it may follow the present one. @throws Conflict */
  async function move(
    id: number,
    from: readonly ImportState[],
    to: ImportState,
    set: (row: StoredImport) => Partial<StoredImport> = () => ({}),
  ): Promise<StoredImport> {
    return database.transaction(async (tx) => {
      const row = await repository.lock(tx, id);
      if (!from.includes(row.state)) throw appError("Conflict", refusal(row.state, to));
      const report = { ...row.report, problem: null };
      await repository.update(tx, id, { report, ...set(row), state: to }, clock.now());
      return repository.find(id, tx);
    });
  }

  return {
    /** Before it imported something, or again where it stopped. */
    start: (id: number) =>
      move(id, ["previewed", "previewing", "stopped"], "running", ({ linkPlace, report: { columns } }) =>
        // What the preview counted is counted again.
        linkPlace === 0 ? { report: { ...emptyReport(), columns } } : {},
      ),
    undo: (id: number) => move(id, ["done", "stopped", "running"], "undoing"),
    confirm: (id: number) => move(id, ["done"], "confirming"),

    /** Previews again. @throws Conflict once it was started */
    async change(id: number, options: Partial<MoveOptions>): Promise<StoredImport> {
      const { options: before, linkPlace } = await repository.find(id);
      if (linkPlace > 0) throw appError("Conflict", "The import has begun; its options stay.");
      const set = { options: { ...before, ...options }, report: emptyReport() };
      return move(id, ["previewing", "previewed", "stopped"], "previewing", () => set);
    },

    /** @throws Conflict while it may be undone, or is worked on */
    async drop(id: number): Promise<void> {
      const row = await repository.find(id);
      const isUnused = row.state === "previewed" || (row.state === "stopped" && row.linkPlace === 0);
      if (!isUnused && row.state !== "undone" && row.state !== "confirmed") {
        throw appError("Conflict", "Undo or confirm the import first.");
      }
      while (await database.transaction((tx) => repository.forget(tx, id, "import_notes")));
      await repository.remove(id);
      await dropFile(deps, row);
    },

    allNotes(id: number): AsyncGenerator<readonly Note[], void> {
      const find = (after: number, limit: number) => repository.notes(id, null, after, limit);
      return pagesAfter(0, NOTES_AT_ONCE, find, (last) => last.id);
    },
  };
}

function refusal(state: ImportState, to: ImportState): string {
  if (WORKING.includes(state)) return "The import is being worked on. Wait until that is done.";
  if (state === "confirmed") return "The import is confirmed; delete its links like others.";
  if (state === "undone") return "The import is undone.";
  if (to === "undoing" || to === "confirming") return "Nothing has been imported yet.";
  return "The import is done.";
}
