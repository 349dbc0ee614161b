/** All domains in memory, current on every process before the response to a change. */
import type { Db } from "../../platform/db/dialect.ts";
import { appError } from "../../lib/errors.ts";
import { remembered } from "../../lib/remembered.ts";
import { codeBelow } from "../fallback/loops.ts";
import { codeOf, DEFAULT_DOMAIN, domainOf, foldKey, keyOf, prefixOf } from "../link/key.ts";
import { checkHost, type Domain, type DomainUrls, type OwnedDomain } from "./domain.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";

/** A request has the host in this field. */
const DOMAIN = { field: "domain" };

/** Stands for every domain in a filter. */
const ANY_DOMAIN = "*";
const RETRY_MS = 1000;
/** Longer texts are no hosts, also with a dot at the end and before Punycode. */
const MOST_OF_HOST = 1_000;
/** Spellings of hosts. A client may invent more. */
const SPELLINGS = { most: 1_000, longest: 300 };
const PORT = /:\d*$/;

export type Domains = ReturnType<typeof createDomainRegistry>;

export type RoutedDomain = DomainUrls &
  Pick<Domain, "id" | "ignoreCase"> & {
    /** Names of its documents. */
    documents: ReadonlySet<string>;
    /** Prefix of its keys. */
    prefix: string;
  };

/** How responses name a link. */
export type LinkName = {
  code: string;
  /** Host; null: the default domain. */
  domain: string | null;
};

type ListedDomain = Domain &
  Partial<Pick<OwnedDomain, "ownerId">> & { wellKnown?: readonly { name: string }[] };

/** With the dot that clients may write at the end. */
function routedHosts({ host, wellKnown = [], ...domain }: ListedDomain): [string, RoutedDomain][] {
  const documents = new Set(wellKnown.map(({ name }) => name));
  const routed = { ...domain, documents, prefix: prefixOf(domain.id) };
  return [
    [host, routed],
    [`${host}.`, routed],
  ];
}

type RegistryDeps = {
  list(db?: Db): Promise<ListedDomain[]>;
  /** Whether codes of the default domain are compared without case. */
  ignoresCase?: (() => boolean) | undefined;
  /** An origin, or empty. Its host is the default domain, too. */
  publicUrl?(): string;
};

export function createDomainRegistry({
  list,
  ignoresCase = () => false,
  publicUrl = () => "",
}: RegistryDeps) {
  let byId: ReadonlyMap<number, ListedDomain> = new Map();
  let byHost: ReadonlyMap<string, RoutedDomain> = new Map();
  /** The domain of a Host as requests spell it, with any port; null: the default domain. */
  const rememberSpellings = () =>
    remembered((host) => byHost.get(asciiLower(host.replace(PORT, ""))) ?? null, SPELLINGS);
  let bySpelling = rememberSpellings();
  let begun = 0;
  let applied = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;

  async function load(): Promise<void> {
    clearTimeout(retry);
    const turn = ++begun;
    const domains = await list();
    // A read that began later is newer.
    if (turn < applied) return;
    applied = turn;
    byId = new Map(domains.map((domain) => [domain.id, domain]));
    bySpelling = rememberSpellings();
    byHost = new Map(domains.flatMap(routedHosts));
  }

  /** After a change. A failed read is repeated. */
  async function reload(): Promise<void> {
    try {
      await load();
    } catch (error) {
      retry = setTimeout(() => void reload().catch(() => undefined), RETRY_MS);
      retry.unref();
      throw error;
    }
  }

  const hostOf = (id: number): string | null =>
    id === DEFAULT_DOMAIN ? null : (byId.get(id)?.host ?? `removed-${id}.invalid`);

  /** @param host absent, empty or that of the public URL: the default domain. @throws BadRequest for an unknown host */
  function idOf(host: string | null | undefined): number {
    if (!host) return DEFAULT_DOMAIN;
    const checked = checkHost(host);
    if (typeof checked !== "string") throw appError("BadRequest", `domain: ${checked.error}`, DOMAIN);
    const domain = byHost.get(checked);
    if (domain !== undefined) return domain.id;
    if (URL.parse(publicUrl())?.hostname === checked) return DEFAULT_DOMAIN;
    throw unknownDomain(checked);
  }

  /** @param host of a request, with any port; null without one. undefined: the default domain */
  function of(host: string | null): RoutedDomain | undefined {
    return host === null || byHost.size === 0 ? undefined : (bySpelling(host) ?? undefined);
  }

  const cases = createCases({ ignoresCase, domains: () => byId });

  return {
    load,
    reload,
    close: () => clearTimeout(retry),

    list: (): readonly Domain[] => [...byId.values()],
    find: (id: number): ListedDomain | undefined => byId.get(id),

    of,
    ...cases,

    idOf,
    hostOf,
    /** @throws BadRequest for an unknown host */
    key: (code: string, host: string | null | undefined): string => cases.stored(keyOf(idOf(host), code)),
    /** Gives what names a code its key. @throws BadRequest for an unknown host */
    place<T extends { code: string | null }>(
      input: T,
      host: string | null | undefined,
    ): T & { domain: number } {
      const domain = idOf(host);
      return { ...input, domain, code: input.code === null ? null : cases.stored(keyOf(domain, input.code)) };
    },
    /** @throws BadRequest if a link would move. @param host absent: it stays */
    refuseMove(key: string, host: string | null | undefined): void {
      if (host === null || host === undefined || idOf(host) === domainOf(key)) return;
      throw appError("BadRequest", "PUT and batches can't move a link to another domain; use PATCH.", DOMAIN);
    },
    nameOf: (key: string): LinkName => ({ code: codeOf(key), domain: hostOf(domainOf(key)) }),

    /** The key of a URL on one of the domains; else null. */
    keyBelow(url: string): string | null {
      const { origin = "", host = null } = URL.parse(url) ?? {};
      const domain = of(host);
      const code = domain === undefined ? null : codeBelow(origin, url);
      return code === null ? null : cases.stored(domain!.prefix + code);
    },

    /** Whether a text is a host of ours. @param ownOrigin of the default domain, or empty */
    isOurs(text: string, ownOrigin: string): boolean {
      const host = text.length > MOST_OF_HOST ? "" : checkHost(text);
      if (typeof host !== "string" || host === "") return false;
      return byHost.has(host) || URL.parse(ownOrigin)?.hostname === host;
    },

    /** The host of the default domain can't be that of another one. @param origin or empty */
    async refusalOfPublicUrl(origin: string, tx?: Db): Promise<string | null> {
      const host = URL.parse(origin)?.hostname ?? "";
      const isTaken =
        tx === undefined ? byHost.has(host) : (await list(tx)).some((domain) => domain.host === host);
      if (!isTaken) return null;
      return `features.public_url: ${host} is the host of a domain; remove that domain, or take another host.`;
    },

    /** The id for a filter; null: every domain. @throws BadRequest for an unknown host */
    filterOf(host: string | undefined): number | null {
      if (host === ANY_DOMAIN || (!host && byId.size === 0)) return null;
      return idOf(host);
    },
  };
}

const unknownDomain = (host: string) =>
  appError(
    "BadRequest",
    `There is no domain ${host}; add it, or leave domain out for the default one.`,
    DOMAIN,
  );

type CaseSource = { ignoresCase(): boolean; domains(): ReadonlyMap<number, Domain> };

/** Which domains compare codes without case. */
function createCases({ ignoresCase, domains }: CaseSource) {
  const ignoresCaseOf = (id: number): boolean =>
    id === DEFAULT_DOMAIN ? ignoresCase() : (domains().get(id)?.ignoreCase ?? false);
  return {
    ignoresCaseOf,
    /** undefined: the default domain */
    ignoresCase: (domain: RoutedDomain | undefined): boolean =>
      domain === undefined ? ignoresCase() : domain.ignoreCase,
    /** The ids of those that do. */
    withoutCase: (): number[] => [DEFAULT_DOMAIN, ...domains().keys()].filter(ignoresCaseOf),
    /** The key under which a link with this key is stored. */
    stored: (key: string): string => (ignoresCaseOf(domainOf(key)) ? foldKey(key) : key),
  };
}
