import type { Db } from "../../db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import type { RecordEvents } from "../../lib/event.ts";
import { appError } from "../../lib/errors.ts";
import {
  type CreateDomainInput,
  type Domain,
  type DomainUrls,
  parseDomainInput,
  refuseLoops,
  type UpdateDomainInput,
  viewDomain,
} from "./domain.ts";
import type { Domains } from "./registry.ts";
import { type DomainRepository, MOST_DOMAINS } from "./repository.ts";

export type DomainTransaction = {
  readonly db: Db;
  changed(topic: "domains", ids: readonly string[]): void;
};

export type DomainChanges = {
  write<T>(run: (tx: DomainTransaction) => Promise<T>): Promise<T>;
  subscribe(topic: "domains", listener: () => Promise<void>): () => void;
};

type Deps = {
  repository: DomainRepository;
  registry: Domains;
  changes: DomainChanges;
  record: RecordEvents<Db>;
  /** An origin, or empty. */
  publicUrl(): string;
  /** The same; nobody changes it until the transaction ends. */
  holdPublicUrl(tx: Db): Promise<string>;
  clock: Clock;
};

export type DomainService = ReturnType<typeof createDomainService>;

const NO_URLS: DomainUrls = { defaultUrl: null, notFoundUrl: null, expiredUrl: null };

export function createDomainService(deps: Deps) {
  const { repository, registry, changes, record, publicUrl, holdPublicUrl, clock } = deps;

  async function locked(db: Db, id: number): Promise<Domain> {
    const domain = await repository.lock(db, id);
    if (domain === null) throw appError("NotFound", "There is no such domain.");
    return domain;
  }

  /** @throws Conflict for the host of the default domain */
  function refuseDefault(domain: { host: string }, origin: string): void {
    if (URL.parse(origin)?.hostname !== domain.host) return;
    throw appError(
      "Conflict",
      `${domain.host} is the host of features.public_url, so it is the default domain.`,
    );
  }

  async function tell(
    tx: DomainTransaction,
    actor: Actor,
    verb: "create" | "update" | "delete",
    { before, after }: { before: Domain | null; after: Domain | null },
  ): Promise<void> {
    const { id, host } = (after ?? before)!;
    tx.changed("domains", [String(id)]);
    await record(tx.db, [
      {
        at: clock.now(),
        actor,
        action: `domain.${verb}`,
        subject: host,
        before: before && viewDomain(before),
        after: after && viewDomain(after),
      },
    ]);
  }

  return {
    /** By host. */
    list: () => repository.list(),

    /** @throws NotFound */
    async byHost(host: string): Promise<Domain> {
      const found = (await repository.list()).find((domain) => domain.id === registry.idOf(host));
      if (found === undefined) throw appError("NotFound", "There is no such domain.");
      return found;
    },

    /** @throws BadRequest, Conflict for a host that exists */
    async create(input: CreateDomainInput, actor: Actor): Promise<Domain> {
      const { host = "", ...urls } = parseDomainInput(input);
      const now = clock.now();
      const content = { ...NO_URLS, ...urls, host, createdAt: now, updatedAt: now };
      refuseLoops(content);
      refuseDefault(content, publicUrl());
      return changes.write(async (tx) => {
        refuseDefault(content, await holdPublicUrl(tx.db));
        if ((await repository.count(tx.db)) >= MOST_DOMAINS) {
          throw appError("Conflict", `There are ${MOST_DOMAINS} domains already; remove one first.`);
        }
        const id = await repository.insert(tx.db, content);
        const domain = { id, ...content };
        await tell(tx, actor, "create", { before: null, after: domain });
        return domain;
      });
    },

    /** Its links follow a new host. @throws NotFound, BadRequest, Conflict for a host that exists */
    async update(id: number, input: UpdateDomainInput, actor: Actor): Promise<Domain> {
      const patch = parseDomainInput(input);
      return changes.write(async (tx) => {
        // First, in the same order as a change of the setting.
        const origin = await holdPublicUrl(tx.db);
        const before = await locked(tx.db, id);
        const domain = { ...before, ...patch, updatedAt: clock.now() };
        refuseLoops(domain);
        refuseDefault(domain, origin);
        await repository.update(tx.db, domain);
        await tell(tx, actor, "update", { before, after: domain });
        return domain;
      });
    },

    /** @throws NotFound, Conflict while it has links */
    remove(id: number, actor: Actor): Promise<void> {
      return changes.write(async (tx) => {
        const before = await locked(tx.db, id);
        if (await repository.hasLinks(tx.db, id)) {
          throw appError(
            "Conflict",
            `The domain ${before.host} has links or aliases of links; delete or move them first.`,
          );
        }
        await repository.remove(tx.db, id);
        await tell(tx, actor, "delete", { before, after: null });
      });
    },
  };
}
