/** Short links: how they are written, listed and found. */
import type { Command } from "commander";
import type { LinkOperations } from "./link/metrics.ts";
import type { LinkEditing } from "./links.routes.ts";
import type { LinkCsv } from "./csv/service.ts";
import type { Growth } from "./list/jobs.ts";
import type { LinkService, LinkServiceDeps } from "./links.service.ts";
import type { Core } from "../platform/core.ts";
import type { Events } from "../platform/events/events.service.ts";
import type { Leases } from "../platform/cluster/leases.ts";
import type { Platform, Room, RoomContext } from "../platform/room-shape.ts";

type Needs = Platform & {
  hashPassword(plain: string): Promise<string>;
  auth: Pick<LinkServiceDeps, "findAccount">;
  /** Paths that links can't use now, beside the route prefixes. */
  reservedPaths?(): readonly string[];
};

export const linksRoom = {
  name: "links",
  commands: {
    links: "create, find, change and remove links",
    tags: "list, rename and remove tags of links",
    events: "list who did what, newest first",
  },
  setUpCommands: ["links add", "links import"],
  async loadCommands() {
    const { addLinkCommands } = await import("./links.commands.ts");
    const { addDeletedCommands } = await import("./deleted/commands.ts");
    const { addSafetyCommands } = await import("./safety/commands.ts");
    const { addEventCommands } = await import("../platform/events/events.commands.ts");
    type Services = {
      links: LinkService;
      csv: LinkCsv;
      origins: { ofServer(): string };
      events: Events;
      linkId(code: string, domain: string | undefined): Promise<number>;
      leases: Pick<Leases, "hold">;
    };
    return async (program: Command, context: RoomContext<Services>) => {
      const links = addLinkCommands(program, context);
      await context.extend("links", links);
      addDeletedCommands(links, context);
      addSafetyCommands(links, context);
      addEventCommands(program, links, context);
    };
  },
  async start(core: Core, needs: Needs) {
    const { env, registry, events, step, hashPassword, auth, reservedPaths } = needs;
    const { createLinkService } = await import("./links.service.ts");
    const { createLinkOperations } = await import("./link/metrics.ts");
    const { createLinkCsv } = await import("./csv/service.ts");
    const { codeBelow } = await import("./fallback/loops.ts");
    const { fileDatabasePath } = await import("../platform/settings/env.ts");
    const { routePrefixesIn, waitingPrefixesIn } = await import("../platform/config/route-prefixes.ts");
    const { COMMAND } = await import("../lib/actor.ts");
    const { DEFAULT_DOMAIN } = await import("./link/key.ts");
    const { config } = core;
    const operations = createLinkOperations(registry);
    const targetSchemes = () => config.get("links.targets.schemes");
    const [ownPrefixes, waitingPrefixes] = [routePrefixesIn(config), waitingPrefixesIn(config)];
    const routePrefixes = () => [...ownPrefixes(), ...waitingPrefixes(), ...(reservedPaths?.() ?? [])];
    const fetchesTitles = () => config.get("features.fetch_titles");
    const shared = { ...core, events, hashPassword, routePrefixes, targetSchemes, fetchesTitles };
    const links = createLinkService({
      ...shared,
      operations,
      randomCodeLength: () => config.get("features.random_code_length"),
      shareCodeLength: () => config.get("features.share_code_length"),
      restoreDays: () => config.get("links.restore_days"),
      retentionDays: () => config.get("events.retention_days"),
      findAccount: auth.findAccount,
      ignoresCase: () => config.get("links.ignore_case"),
      publicUrl: () => config.get("features.public_url"),
      holdPublicUrl: (tx) => config.hold("features.public_url", tx),
      ownCode: (url, origin = "") => codeBelow(config.get("features.public_url") || origin, url),
      targetLists: () => ({
        allow: config.get("links.targets.allow"),
        deny: config.get("links.targets.deny"),
        bound: config.get("links.targets.roles"),
        waiting: config.get("links.targets.approval"),
      }),
    });
    await step(links.domains.load);
    events.nameDomains(links.domains.hostOf);
    config.refuse("features.public_url", links.domains.refusalOfPublicUrl);
    config.refuse("links.ignore_case", async (text) => {
      if (text === "true") await links.refuseAlike(DEFAULT_DOMAIN, "value");
      return null;
    });
    config.followUp("links.ignore_case", () => links.caseSettled(DEFAULT_DOMAIN));
    // No other process answers requests then.
    const isAlone = fileDatabasePath(env.database) !== null && env.server.workers === 1;
    return {
      offers: {
        links,
        routePrefixes,
        operations,
        csv: createLinkCsv({ ...shared, domains: links.domains, validateTargets: links.validateTargets }),
        linkId: async (code: string, domain: string | undefined) =>
          (await links.by(COMMAND).get(links.domains.key(code, domain))).id,
      },
      jobs: [
        links.deleted.retentionJob(),
        links.bulkChanges.job,
        links.caseJob(core.logger, isAlone ? { waitMs: 0 } : {}),
        links.titles,
        links.targetChecks(() => config.get("links.check_targets")),
      ],
      close: links.close,
    };
  },
} satisfies Room;

export const linkCsvRoom = {
  name: "csv",
  async start({ clock, logger }: Core, { csv }: { csv: LinkCsv }) {
    const { csvEndpoints } = await import("./csv/routes.ts");
    return { offers: {}, endpoints: { api: csvEndpoints({ csv, now: clock.now, logger }) } };
  },
} satisfies Room;

/** Hosts besides the default one. */
export const domainsRoom = {
  name: "domains",
  commands: { domains: "hosts besides the default one" },
  setUpCommands: ["domains add"],
  loadCommands: async () => (await import("./domains/commands.ts")).addDomainCommands,
  async start(_: Core, { links }: { links: LinkService }) {
    const { domainEndpoints } = await import("./domains/routes.ts");
    const { domainService: domains, caseSettled } = links;
    return { offers: { domains }, endpoints: { api: domainEndpoints({ domains, caseSettled }) } };
  },
} satisfies Room;

/** The record of who did what, with the histories of links. */
export const eventsRoom = {
  name: "events",
  async start(_: Core, { events, links }: Platform & { links: LinkService }) {
    const { eventEndpoints } = await import("../platform/events/events.routes.ts");
    const { historyLinks } = await import("./links.routes.ts");
    return { offers: {}, endpoints: { api: eventEndpoints({ events, links: historyLinks(links) }) } };
  },
} satisfies Room;

/** The API of links, which changes what else a code serves, too. */
export const linkApiRoom = {
  name: "link-api",
  async start({ clock }: Core, { links, editing }: { links: LinkService; editing: LinkEditing }) {
    const { linkEndpoints } = await import("./links.routes.ts");
    const endpoints = linkEndpoints({ links, editing, now: clock.now });
    return { offers: {}, endpoints: { api: endpoints } };
  },
} satisfies Room;

type TableNeeds = Platform & {
  operations: LinkOperations;
  notices?: { counted(links: readonly Growth[]): Promise<void> };
};

/** The links in memory, and the jobs that keep lists of links fast. */
export const linkTableRoom = {
  name: "link-table",
  isServerOnly: true,
  async start(core: Core, { env, redis, registry, operations, notices }: TableNeeds) {
    const { ANY_CODE, createLinkCache } = await import("./cache/cache.ts");
    const { measureLinkCache } = await import("./cache/metrics.ts");
    const { createLinkScan } = await import("./cache/scan.repository.ts");
    const { createSharedLinks } = await import("./cache/shared.ts");
    const { createLinkFinder } = await import("./cache/cached-link.ts");
    const { createRankingJob, createSearchIndexJob, createTotalJob } = await import("./list/jobs.ts");
    const { timeFunction, timeMethods } = await import("../lib/timed-methods.ts");
    const { database, changes, config, clock, logger } = core;
    const enforcesPasswords = () => config.get("features.enforce_link_passwords");
    const bare = createLinkCache({
      maxLinks: env.cache.maxLinks,
      ttlSeconds: env.cache.ttl,
      rebuildSeconds: () => config.get("cache.bloom_rebuild_interval"),
      findLink: timeFunction(createLinkFinder(database, enforcesPasswords), operations.get),
      refreshLookups: database.refreshLookups,
      scan: timeMethods(createLinkScan(database, enforcesPasswords), {
        links: operations.loadAll,
        codes: operations.loadAllCodes,
        some: operations.batchGet,
      }),
      ...(redis && { shared: createSharedLinks({ redis, ttlSeconds: env.cache.ttl, enforcesPasswords }) }),
      isInformed: changes.isCurrent,
      clock,
      logger,
    });
    const cache = measureLinkCache(registry, bare);
    changes.subscribe("links", cache.invalidate);
    config.onChange("cache.bloom_rebuild_interval", cache.reschedule);
    config.onChange("features.enforce_link_passwords", () => cache.invalidate([ANY_CODE]));
    cache.start();
    const searchIndex = createSearchIndexJob(database);
    return {
      offers: { cache },
      jobs: [
        createRankingJob(database, notices?.counted),
        createTotalJob(database, logger),
        ...(searchIndex === null ? [] : [searchIndex]),
      ],
      close: cache.close,
    };
  },
} satisfies Room;
