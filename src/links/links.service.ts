import type { Database } from "../platform/db/database.ts";
import type { Db } from "../platform/db/dialect.ts";
import type { Role, Teams } from "../lib/access.ts";
import type { Actor } from "../lib/actor.ts";
import type { Clock } from "../lib/clock.ts";
import { isForeignHash } from "../lib/password-hash.ts";
import { timeMethods } from "../lib/timed-methods.ts";
import { type ActorLinks, createActorLinks } from "./actor-links.ts";
import { createCodeRule, createShareCodeRule } from "./link/code.ts";
import type { LinkChanges } from "./write/changes.ts";
import { createFallbackLoops } from "./fallback/loops.ts";
import type { RecordLinkEvents } from "./link/events.ts";
import { type BulkChanges, createBulkChanges } from "./bulk-changes/bulk-changes.ts";
import { recordBulkChanges } from "./bulk-changes/recording.ts";
import { createBulkChangeRepository } from "./bulk-changes/repository.ts";
import { type CaseDeps, createAlikeRefusal, createCaseJob, createCaseWait } from "./case/case.ts";
import { createCaseRepository } from "./case/repository.ts";
import { createDomainRegistry } from "./domains/registry.ts";
import { createDomainRepository } from "./domains/repository.ts";
import { createDomainService } from "./domains/service.ts";
import { createDeletedLinks } from "./deleted/deleted.ts";
import { createDeletedRepository } from "./deleted/repository.ts";
import type { LinkEvents } from "./history/history.ts";
import type { BulkEvents } from "./query-batch/undo.ts";
import { ownersByAnyCase } from "./write/refusals.ts";
import { createInternalLinks } from "./write/internal-links.ts";
import { createLinkList } from "./list/list.ts";
import { createLinkSets } from "./list/link-set.repository.ts";
import { createLinkListRepository } from "./list/repository.ts";
import { createPresets } from "./presets/presets.ts";
import { createPresetRepository } from "./presets/repository.ts";
import { createOwners } from "./link/owners.repository.ts";
import { readTotal } from "./link/query.repository.ts";
import { createLinkRepository } from "./write/repository.ts";
import type { LinkOperations } from "./link/metrics.ts";
import { createLinkSafety } from "./safety/service.ts";
import { createChecksRepository } from "./safety/repository.ts";
import { createTargetChecks } from "./safety/target-checks.ts";
import { createTitleRepository } from "./titles/repository.ts";
import { createTitles } from "./titles/titles.ts";
import { createOutbound } from "../lib/outbound.ts";
import { createUsesRepository } from "./uses/repository.ts";
import { createLinkUses } from "./uses/uses.ts";
import { createTagRepository } from "./tags/repository.ts";
import { createTargetValidation, createUrlValidation, type TargetLists } from "./write/allowed-targets.ts";
import { createReuseRepository } from "./write/reuse.repository.ts";
import { createLinkWriter } from "./write/writer.ts";
import type { RandomBytes } from "../lib/random-code.ts";

export type LinkServiceDeps = {
  database: Database;
  changes: LinkChanges;
  record: RecordLinkEvents;
  /** With or without slash. */
  routePrefixes(): readonly string[];
  randomCodeLength(): number;
  shareCodeLength(): number;
  /** Codes of the default domain are compared without case. */
  ignoresCase?(): boolean;
  /** An origin, or empty. */
  publicUrl(): string;
  /** See domains/service.ts. */
  holdPublicUrl(tx: Db): Promise<string>;
  hashPassword(plain: string): Promise<string>;
  /** How long deleted links can be put back. */
  restoreDays(): number;
  /** Events in the history of links. */
  events: LinkEvents & BulkEvents & { named(state: object | null | undefined): object | null };
  /** How long bulk changes are listed. */
  retentionDays(): number;
  /** Null when deleted or disabled. */
  findAccount(id: number): Promise<{ role: Role; teams?: Teams | undefined } | null>;
  /** See fallback/loops.ts. @param requestOrigin the origin of a request, where no public one is set */
  ownCode(url: string, requestOrigin?: string): string | null;
  /** Of targets besides http and https. */
  targetSchemes?: () => readonly string[];
  /** Whether new links get the titles of their targets' pages. */
  fetchesTitles?: () => boolean;
  /** Where links may lead. */
  targetLists(): TargetLists;
  clock: Clock;
  randomBytes?: RandomBytes;
  /** The number of links that one transaction of a change by filter, or of its undo, holds. */
  portion?: number;
  operations: LinkOperations;
};

const storedOrNull = (stored: (key: string) => string, key: string | null): string | null =>
  key === null ? null : stored(key);

function createCase(database: Database, deps: Omit<CaseDeps, "repository" | "logger">) {
  const repository = createCaseRepository(database);
  return {
    refuseAlike: createAlikeRefusal(repository, deps.rule),
    caseSettled: createCaseWait({ ...deps, repository }),
    caseJob: (logger: CaseDeps["logger"], sizes: Pick<CaseDeps, "portion" | "waitMs"> = {}) =>
      createCaseJob({ ...deps, ...sizes, repository, logger }),
  };
}

type ListOperations = Pick<LinkOperations, "count" | "paginatedQuery">;

const createList = (database: Database, { count, paginatedQuery }: ListOperations) =>
  timeMethods(createLinkListRepository(database), { count, pageKeys: paginatedQuery, load: paginatedQuery });

type InternalDeps = Parameters<typeof createLinkWriter>[0] & Parameters<typeof createInternalLinks>[0];

/** Links that serve files. */
function createInternal(deps: Omit<InternalDeps, "writer"> & Pick<LinkServiceDeps, "shareCodeLength">) {
  const rule = createShareCodeRule(deps.rule);
  const writer = createLinkWriter({ ...deps, rule, randomCodeLength: deps.shareCodeLength });
  return createInternalLinks({ ...deps, writer, rule });
}

type AskingDeps = Omit<Parameters<typeof createTargetChecks>[0], "repository" | "isEnabled"> &
  Omit<Parameters<typeof createTitles>[0], "repository" | "isEnabled"> &
  Pick<LinkServiceDeps, "database" | "fetchesTitles">;

/** What requests the pages to which links lead. */
const createAsking = (deps: AskingDeps) => ({
  /** Checks targets where `isEnabled`. */
  targetChecks: (isEnabled: () => boolean) =>
    createTargetChecks({ ...deps, repository: createChecksRepository(deps.database), isEnabled }),
  /** Fetches titles where `fetchesTitles`. */
  titles: createTitles({
    ...deps,
    repository: createTitleRepository(deps.database),
    isEnabled: deps.fetchesTitles ?? (() => false),
  }),
});

const servesFilesIn =
  ({ filesOwners }: Pick<ReturnType<typeof createLinkRepository>, "filesOwners">) =>
  async (linkId: number): Promise<boolean> =>
    (await filesOwners([linkId])).has(linkId);

type HashedPassword = { linkId: number; password: string; passwordHash: string };

export type LinkService = ReturnType<typeof createLinkService>;

export function createLinkService(given: LinkServiceDeps) {
  const { database, changes, operations } = given;
  const bulkRepository = createBulkChangeRepository(database);
  const record = recordBulkChanges(bulkRepository, given.record, given.events.named);
  const deps = { ...given, record };
  const { get: find, batchGet: lock, getStats: stats } = operations;
  const bare = timeMethods(createLinkRepository(database), { find, lock, stats });
  const rule = createCodeRule(deps.routePrefixes, deps.targetSchemes, () => domains.withoutCase().length > 0);
  const domainRepository = createDomainRepository(database);
  const { ignoresCase, publicUrl } = deps;
  const domains = createDomainRegistry({ list: domainRepository.list, ignoresCase, publicUrl });
  const { stored } = domains;
  const ownCode = (url: string, requestOrigin?: string) =>
    domains.keyBelow(url) ?? storedOrNull(stored, deps.ownCode(url, requestOrigin));
  const repository = { ...bare, shareOwners: ownersByAnyCase(bare, stored) };
  const isOwn = (url: string): boolean => ownCode(url) !== null;
  const listed = { targetLists: deps.targetLists, isOwn };
  const validateTargets = createTargetValidation(listed);
  const reuse = createReuseRepository(database);
  const shared = { ...deps, repository, reuse, domains: domainRepository, stored, validateTargets };
  const asking = { ...shared, outbound: createOutbound(), isOwn, validateUrls: createUrlValidation(listed) };
  const writer = createLinkWriter({ ...shared, rule });
  const listRepository = createList(database, operations);
  const list = createLinkList(listRepository);
  const deleted = createDeletedLinks({
    ...shared,
    repository: createDeletedRepository(database),
    links: repository,
    rule,
  });
  const { refuseAlike, caseSettled, caseJob } = createCase(database, {
    ...shared,
    links: repository,
    rule,
    ...domains,
  });
  const usesRepository = createUsesRepository(database);
  const uses = createLinkUses({ repository: usesRepository, changes });
  const stops = [
    ...(["links", "tags"] as const).map((topic) => changes.subscribe(topic, list.clear)),
    changes.subscribe("domains", domains.reload),
  ];

  const loops = createFallbackLoops({ find: repository.findByAnyCode, ownCode });
  const sets = createLinkSets(database);
  const owners = createOwners(database);
  const parts = {
    ...deps,
    sets,
    owners,
    writer,
    repository,
    list,
    listRepository,
    rule,
    domains,
    loops,
    deleted,
    tags: createTagRepository(database),
    bulkRepository,
  };
  const by = (actor: Actor): ActorLinks => createActorLinks(parts, actor);
  const bulkChanges: BulkChanges = createBulkChanges({
    ...deps,
    repository: bulkRepository,
    undoPortion: async (actor, change, after) =>
      (await by(actor).undoBatch(change, after, change.actor)).next,
  });
  return {
    /** The links as this actor may reach them. */
    by,
    bulkChanges,
    presets: createPresets({ ...deps, owners, repository: createPresetRepository(database) }),
    internal: createInternal({ ...shared, rule }),
    owners,
    validateTargets,
    /** Load it at the start. */
    domains,
    /** A document of a domain; null without one. */
    document: domainRepository.document,
    domainService: createDomainService({ ...asking, repository: domainRepository, owners, refuseAlike }),
    /** @throws Conflict if codes of the domain differ by case only */
    refuseAlike,
    caseSettled,
    /** Stores codes of domains that ignore case in lower case. */
    caseJob,
    deleted,
    uses: { take: uses.take, of: usesRepository.of },
    /** The key of the link whose short URL this is; null for other URLs. */
    ownCode,
    lockOf: repository.lockOf,
    /** Argon2 in place of a hash of another product. */
    async renewHash({ linkId, password, passwordHash }: HashedPassword): Promise<string> {
      if (!isForeignHash(passwordHash)) return passwordHash;
      const hash = await deps.hashPassword(password);
      await repository.replaceHash(linkId, passwordHash, hash);
      return hash;
    },
    /** Locks links by their keys until the transaction ends. */
    lock: repository.lock,
    findByAnyCode: repository.findByAnyCode,
    ...createAsking({ ...asking, links: repository }),
    safety: createLinkSafety({ ...shared, links: repository, writer }),
    stats: () => repository.stats(deps.clock.now()),
    /** Whether a link serves files. One that was taken down keeps its code when they go. */
    servesFiles: servesFilesIn(repository),
    /** The number of all links. */
    total: () => readTotal(database.read),
    close() {
      for (const stop of stops) stop();
      domains.close();
      uses.close();
    },
  };
}
