/** The next request sees every write. */
import type { Database } from "../db/database.ts";
import { AppError } from "../lib/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { createRegistry } from "../lib/metrics.ts";
import { timeMethods } from "../lib/timed-methods.ts";
import { createCodeRule, createShareCodeRule, isCodeText, linkNotFound } from "./code.ts";
import { parseLinkInput, parseLinkUpdate } from "./link-input.ts";
import type { CreateInput, Link, ShownLink, UpdateInput } from "./link.ts";
import type { LinkQuery } from "./link-page.ts";
import { createLinkBatch } from "./batch.ts";
import type { LinkChanges } from "./changes.ts";
import { createInternalLinks } from "./internal-links.ts";
import { createLinkList } from "./list.ts";
import { createLinkListRepository } from "./list.repository.ts";
import { createLinkRepository } from "./links.repository.ts";
import { createLinkOperations, type LinkOperations } from "./link-metrics.ts";
import { alreadyExists, createLinkWriter, type WriteOutcome, type WrittenLink } from "./writer.ts";
import type { RandomBytes } from "./random-code.ts";

export type LinkServiceDeps = {
  database: Pick<Database, "read" | "dialect">;
  changes: LinkChanges;
  /** With or without slash. */
  routePrefixes(): readonly string[];
  randomCodeLength(): number;
  shareCodeLength(): number;
  hashPassword(plain: string): Promise<string>;
  clock: Clock;
  randomBytes?: RandomBytes;
  operations?: LinkOperations;
};

export type LinkService = ReturnType<typeof createLinkService>;

export function createLinkService(deps: LinkServiceDeps) {
  const { database, changes, clock, hashPassword } = deps;
  const { operations = createLinkOperations(createRegistry()) } = deps;
  const repository = timeMethods(createLinkRepository(database), {
    find: operations.get,
    lock: operations.batchGet,
    stats: operations.getStats,
  });
  const rule = createCodeRule(deps.routePrefixes);
  const writer = createLinkWriter({ ...deps, repository, rule });
  const shareRule = createShareCodeRule(rule);
  const internal = createInternalLinks({
    writer: createLinkWriter({
      ...deps,
      repository,
      rule: shareRule,
      randomCodeLength: deps.shareCodeLength,
    }),
    repository,
    rule: shareRule,
    hashPassword,
    clock,
  });
  const list = createLinkList(
    timeMethods(createLinkListRepository(database), {
      count: operations.count,
      countWithin: operations.count,
      pageKeys: operations.paginatedQuery,
      load: operations.paginatedQuery,
    }),
  );
  const stop = changes.subscribe("links", list.forgetTotals);

  const find = async (code: string): Promise<Link | null> =>
    isCodeText(code) ? repository.find(code) : null;

  async function get(code: string): Promise<Link> {
    const link = await find(code);
    if (link === null) throw linkNotFound(code);
    return link;
  }

  /** As written, whatever others have changed since. */
  const counted = async (link: WrittenLink): Promise<ShownLink> => ({
    ...link,
    clickCount: (await repository.find(link.code))?.clickCount ?? 0,
  });

  return {
    /** @throws LinkNotFound */
    get,

    /**
     * Creates a link, or overwrites it with `force`. @throws LinkAlreadyExists, LinkInvalidCode, LinkReservedCode,
     * LinkInvalidUrl, LinkInvalidExpireTime, Conflict (it serves a share)
     */
    async create(input: CreateInput): Promise<ShownLink> {
      const now = clock.now();
      const { password, ...checked } = parseLinkInput(input, rule, now);
      // Saves a hash. The transaction decides.
      if (checked.code !== null && !checked.force && (await find(checked.code)) !== null) {
        throw alreadyExists(checked.code);
      }
      const passwordHash = password === null ? null : await hashPassword(password);
      return counted(only(await writer.create([{ ...checked, passwordHash }], now)));
    },

    /** @throws LinkNotFound, LinkInvalidUrl, LinkInvalidExpireTime, Conflict (it serves a share) */
    async update(code: string, input: UpdateInput): Promise<ShownLink> {
      const now = clock.now();
      const { password, ...patch } = parseLinkUpdate(input, now);
      await get(code);
      const passwordHash = typeof password === "string" ? await hashPassword(password) : password;
      return counted(only(await writer.update([{ code, ...patch, passwordHash }], now)));
    },

    /** @throws LinkNotFound */
    async remove(code: string): Promise<void> {
      if (!isCodeText(code)) throw linkNotFound(code);
      only(await writer.remove([code], clock.now()));
    },

    internal,

    list: (query: LinkQuery) => list.page(query),
    stats: () => repository.stats(clock.now()),
    batch: createLinkBatch({ writer, rule, hashPassword, clock }),
    close: () => stop(),
  };
}

function only<T>([outcome]: readonly WriteOutcome<T>[]): T {
  if (outcome instanceof AppError) throw outcome;
  return outcome!;
}
