/**
 * Moves from other products: a preview, the import, and its undo or confirmation. Each is work of one process at a time,
 * which a lease guards, and every process goes on with what a dead one left, if it has the file.
 */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { DetailsParser } from "../../clicks/details/details.ts";
import type { Database } from "../../platform/db/database.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import { createCodeRule } from "../../links/link/code.ts";
import { checkHost } from "../../links/domains/domain.ts";
import type { Domains } from "../../links/domains/registry.ts";
import type { DomainService } from "../../links/domains/service.ts";
import { DEFAULT_DOMAIN, keyOf } from "../../links/link/key.ts";
import { createOwners } from "../../links/link/owners.repository.ts";
import { createLinkRepository } from "../../links/write/repository.ts";
import { createMoveActions } from "./move/actions.ts";
import { createImportRepository, type StoredImport } from "./move/repository.ts";
import type { MoveDomains } from "./move/new-domains.ts";
import { createRuns } from "./move/run.ts";
import type { OnNotes, OnProgress, RunDeps } from "./move/portions.ts";
import { emptyReport, type ImportReport, type ImportState, type MoveOptions } from "./move/state.ts";
import { createUndo } from "./move/undo.ts";
import { createVisitWriting } from "./move/write-visits.ts";
import { moverOf, KEY_PURPOSE, openMoved, WORKING, createWork, type WorkDeps } from "./move/work.ts";
import type { Product } from "./readers/products.ts";
import type { LinkWriting } from "./move/write-links.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";

export type Imports = ReturnType<typeof createImports>;

export type ImportsDeps = Pick<RunDeps, "changes" | "keepEvent" | "settings"> &
  Pick<WorkDeps, "leases" | "box" | "folder" | "outbound" | "clock" | "logger"> &
  Required<Pick<LinkWriting, "validateTargets" | "files" | "randomCodeLength" | "hashPassword">> & {
    database: Database;
    parser: DetailsParser;
    routePrefixes(): readonly string[];
    domains: Pick<Domains, "key" | "find" | "of">;
    domainService: Pick<DomainService, "create" | "remove">;
    /** Of the default domain; null if it is not set. */
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
  const rule = createCodeRule(deps.routePrefixes);
  const domains = moveDomains(deps);
  const writing = { ...deps, repository: links, owners: createOwners(database), rule };
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

    /** Without a row. @throws what the reader says */
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
    keyOf: (code, host) =>
      host && asciiLower(host) === ownHost() ? keyOf(DEFAULT_DOMAIN, code) : domains.key(code, host),
  };
}

/** For people. */
function withoutSecrets(source: string): string {
  const url = URL.parse(source);
  if (url === null || !source.includes("://")) return source;
  return `${url.protocol}//${url.host}${url.pathname}`;
}
