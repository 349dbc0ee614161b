import type { Changes, ChangeTransaction } from "../../platform/cluster/changes.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { type Actor, mayChange, mayManage, mayRead } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import type { RecordEvents } from "../../lib/event.ts";
import { appError } from "../../lib/errors.ts";
import {
  checkHost,
  type CreateDomainInput,
  type OwnedDomain,
  parseDomainInput,
  parseWellKnown,
  refuseLoops,
  type UpdateDomainInput,
  viewDomain,
} from "./domain.ts";
import type { Owners } from "../link/owners.repository.ts";
import { type DomainRepository, MOST_DOMAINS } from "./repository.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";

type Deps = {
  repository: DomainRepository;
  owners: Pick<Owners, "reachedBy">;
  changes: Pick<Changes, "write">;
  record: RecordEvents<Db>;
  /** @throws Conflict if codes of the domain differ by case only */
  refuseAlike(domain: number): Promise<void>;
  /** @throws LinkInvalidUrl for a host, not among the known URLs, to which no link of the actor may lead */
  validateUrls(urls: readonly NamedUrl[], known: readonly NamedUrl[], actor: Actor): void;
  /** An origin, or empty. */
  publicUrl(): string;
  /** The same; nobody changes it until the transaction ends. */
  holdPublicUrl(tx: Db): Promise<string>;
  clock: Clock;
};

export type DomainService = ReturnType<typeof createDomainService>;

const BARE = {
  defaultUrl: null,
  notFoundUrl: null,
  expiredUrl: null,
  ignoreCase: false,
  ownerId: null,
  owner: null,
};

type NamedUrl = readonly [field: string, url: string];
type DomainUrls = Pick<OwnedDomain, "defaultUrl" | "notFoundUrl" | "expiredUrl">;

const urlsOf = ({ defaultUrl, notFoundUrl, expiredUrl }: DomainUrls): NamedUrl[] =>
  Object.entries({ default_url: defaultUrl, not_found_url: notFoundUrl, expired_url: expiredUrl }).flatMap(
    ([field, url]) => (url === null ? [] : [[field, url]]),
  );

export function createDomainService(deps: Deps) {
  const { repository, owners, changes, refuseAlike, validateUrls, publicUrl, holdPublicUrl, clock } = deps;

  async function locked(db: Db, id: number): Promise<OwnedDomain> {
    const domain = await repository.lock(db, id);
    if (domain === null) throw unknownDomain();
    return domain;
  }

  async function withTexts(domain: OwnedDomain): Promise<OwnedDomain> {
    return domain.wellKnown.length === 0
      ? domain
      : { ...domain, wellKnown: await repository.documents(domain.id) };
  }

  /** What a request gives. @throws BadRequest, Forbidden */
  async function ownerOf({ owner }: UpdateDomainInput, actor: Actor) {
    if (owner === undefined) return {};
    if (!owner) return { ownerId: null, owner: null };
    const reaches = (id: number) => mayChange(actor, id);
    const ownerId = await owners.reachedBy(actor, owner, { reaches, refusal: GIFTS });
    return { ownerId, owner: asciiLower(owner) };
  }

  return {
    /** Lists, by host, the domains on which the actor may make links or sees some. */
    async list(actor: Actor): Promise<OwnedDomain[]> {
      return (await repository.list()).filter((domain) => maySee(actor, domain));
    },

    /** With the texts of its documents. @throws NotFound */
    async get(id: number, actor: Actor): Promise<OwnedDomain> {
      const found = (await repository.list()).find((domain) => domain.id === id && maySee(actor, domain));
      if (found === undefined) throw unknownDomain();
      return withTexts(found);
    },

    /** @throws NotFound */
    async byHost(host: string): Promise<OwnedDomain> {
      const checked = checkHost(host);
      const found = (await repository.list()).find((domain) => domain.host === checked);
      if (found === undefined) throw unknownDomain();
      return found;
    },

    /** @throws BadRequest, LinkInvalidUrl, Conflict for a host that exists */
    async create(input: CreateDomainInput, actor: Actor): Promise<OwnedDomain> {
      const { host = "", ...urls } = parseDomainInput(input);
      const wellKnown = parseWellKnown(input) ?? [];
      const now = clock.now();
      const content = {
        ...BARE,
        ...urls,
        ...(await ownerOf(input, actor)),
        wellKnown,
        host,
        createdAt: now,
        updatedAt: now,
      };
      refuseLoops(content);
      validateUrls(urlsOf(content), [], actor);
      refuseDefault(content, publicUrl());
      return changes.write(async (tx) => {
        refuseDefault(content, await holdPublicUrl(tx.db));
        if ((await repository.count(tx.db)) >= MOST_DOMAINS) {
          throw appError("Conflict", `There are ${MOST_DOMAINS} domains already; remove one first.`);
        }
        const id = await repository.insert(tx.db, content);
        const domain = { id, ...content };
        await repository.replaceDocuments(tx.db, id, wellKnown);
        await recordChange(deps, tx, { actor, verb: "create", before: null, after: domain });
        return domain;
      });
    },

    /**
     * Its links follow a new host. @throws NotFound, BadRequest, LinkInvalidUrl, Forbidden, Conflict for a host that
     * exists, or if it is to ignore case and codes differ by case only
     */
    async update(id: number, input: UpdateDomainInput, actor: Actor): Promise<OwnedDomain> {
      const wellKnown = parseWellKnown(input);
      const patch = {
        ...parseDomainInput(input),
        ...(await ownerOf(input, actor)),
        ...(wellKnown && { wellKnown }),
      };
      const changed = await changes.write(async (tx) => {
        // First, in the same order as a change of the setting.
        const origin = await holdPublicUrl(tx.db);
        const before = await locked(tx.db, id);
        const domain = { ...before, ...patch, updatedAt: clock.now() };
        refuseChange(actor, before, domain);
        if (domain.ignoreCase && !before.ignoreCase) await refuseAlike(id);
        refuseLoops(domain);
        validateUrls(urlsOf(domain), urlsOf(before), actor);
        refuseDefault(domain, origin);
        await repository.update(tx.db, domain);
        if (wellKnown !== undefined) await repository.replaceDocuments(tx.db, id, wellKnown);
        await recordChange(deps, tx, { actor, verb: "update", before, after: domain });
        return domain;
      });
      return wellKnown === undefined ? withTexts(changed) : changed;
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
        await recordChange(deps, tx, { actor, verb: "delete", before, after: null });
      });
    },
  };
}

type DomainChange = {
  actor: Actor;
  verb: "create" | "update" | "delete";
  before: OwnedDomain | null;
  after: OwnedDomain | null;
};

async function recordChange(
  { record, clock }: Pick<Deps, "record" | "clock">,
  tx: ChangeTransaction,
  { actor, verb, before, after }: DomainChange,
): Promise<void> {
  const { id, host } = (after ?? before)!;
  tx.changed("domains", [String(id)]);
  const shown = (domain: OwnedDomain | null) => domain && viewDomain(withoutTexts(domain));
  const states = { before: shown(before), after: shown(after) };
  await record(tx.db, [{ at: clock.now(), actor, action: `domain.${verb}`, subject: host, ...states }]);
}

/** Events stay small. */
const withoutTexts = (domain: OwnedDomain): OwnedDomain => ({
  ...domain,
  wellKnown: domain.wellKnown.map(({ name, type, size, sha256 }) => ({ name, type, size, sha256 })),
});

const maySee = (actor: Actor, { ownerId }: OwnedDomain): boolean =>
  ownerId === null || mayRead(actor, ownerId);

const unknownDomain = () => appError("NotFound", "There is no such domain.");

/** @throws NotFound, Forbidden */
function refuseChange(actor: Actor, before: OwnedDomain, after: OwnedDomain): void {
  if (!maySee(actor, before)) throw unknownDomain();
  const isGiven = before.ownerId !== after.ownerId;
  if (!mayChange(actor, before.ownerId) || (isForAdministrators(before, after) && actor.ownOnly)) {
    throw appError(
      "Forbidden",
      "Editors of its team change what the domain leads to, administrators all of it.",
    );
  }
  if (isGiven && !(mayManage(actor, before.ownerId) && mayChange(actor, after.ownerId))) {
    throw appError("Forbidden", GIFTS, { field: "owner" });
  }
}

const isForAdministrators = (before: OwnedDomain, after: OwnedDomain): boolean =>
  before.host !== after.host || before.ignoreCase !== after.ignoreCase;

const GIFTS =
  "Only the owner, managers of the team and administrators give a domain away, to an owner whose links they may change.";

/** @throws Conflict for the host of the default domain */
function refuseDefault(domain: { host: string }, origin: string): void {
  if (URL.parse(origin)?.hostname !== domain.host) return;
  throw appError(
    "Conflict",
    `${domain.host} is the host of features.public_url, so it is the default domain.`,
  );
}
