/** Names in filters of reports: stored with the ids of what they name, so that a new name changes nothing. */
import { type Actor, mayRead } from "../lib/actor.ts";
import { NOBODY, TEAM_MARK } from "../lib/owner.ts";
import { DEFAULT_DOMAIN } from "../links/link/key.ts";
import { DEFAULT_DOMAIN_NAME } from "../links/list/chosen.ts";
import type { Db } from "../platform/db/dialect.ts";
import type { LinkService } from "../links/links.service.ts";
import type { FilterIds, ReportFilter, StoredFilter } from "./report.ts";
import type { ReportsRepository } from "./reports.repository.ts";

export type FilterNames = ReturnType<typeof createFilterNames>;

export function createFilterNames({
  repository,
  links: { domains, owners },
}: {
  repository: Pick<ReportsRepository, "ownerNames">;
  links: Pick<LinkService, "domains" | "owners">;
}) {
  /** @throws BadRequest for an unknown host */
  const domainIn = ({ domain }: Pick<ReportFilter, "domain">): number | undefined =>
    !domain || domain === DEFAULT_DOMAIN_NAME ? undefined : domains.idOf(domain);

  /** Undefined: the domain is gone. */
  const nameOf = (id: number): string | undefined =>
    id === DEFAULT_DOMAIN ? DEFAULT_DOMAIN_NAME : domains.find(id)?.host;

  function isDomainKnown(filter: Pick<ReportFilter, "domain">): boolean {
    try {
      domainIn(filter);
      return true;
    } catch {
      return false;
    }
  }

  return {
    /** Those of owners who exist and whose links the reader may see. @throws BadRequest for an unknown host */
    async idsOf({ domain, owner, team }: ReportFilter, reader: Actor): Promise<FilterIds> {
      const found = await owners.resolved({ owner, team });
      const numbers = [found.owner, found.team].map((text) => (text ? Number(text) : NOBODY));
      const names = await repository.ownerNames(numbers.filter((id) => id !== NOBODY && mayRead(reader, id)));
      const [ownerId, teamId] = numbers.map((id) => (mayRead(reader, id) && names.has(id) ? id : undefined));
      return { domain: domainIn({ domain }), owner: ownerId, team: teamId };
    },

    /** The filter in the names of now; null if a domain, account or team that it names is gone. */
    async current(
      { filter, ids = {} }: Pick<StoredFilter, "filter" | "ids">,
      db?: Db,
    ): Promise<StoredFilter["filter"] | null> {
      const host = ids.domain === undefined ? filter.domain : nameOf(ids.domain);
      if (ids.domain === undefined ? !isDomainKnown(filter) : host === undefined) return null;
      const named = [ids.owner, ids.team].filter((id) => id !== undefined);
      const names = named.length === 0 ? new Map<number, string>() : await repository.ownerNames(named, db);
      if (named.some((id) => !names.has(id))) return null;
      return {
        ...filter,
        ...(host !== undefined && { domain: host }),
        ...(ids.owner !== undefined && { owner: names.get(ids.owner)! }),
        ...(ids.team !== undefined && { team: names.get(ids.team)!.slice(TEAM_MARK.length) }),
      };
    },
  };
}
