import { Plural, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { Domain } from "../app/api.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { domainLinksQuery, removeDomain } from "./domain-queries.ts";

/** How many links a host has, as a link to them. Empty: the default domain. */
export function DomainLinks({ host }: { host: string }) {
  const { data } = useQuery(domainLinksQuery(host));
  if (data === undefined) return "…";
  return (
    <AnchorLink to="/links" search={{ domain: host }} size="sm">
      <Plural value={data} _0="No links" one="# link" other="# links" />
    </AnchorLink>
  );
}

/** Works only without links. */
export function RemoveDomain({ domain }: { domain: Domain }) {
  const { t } = useLingui();
  const { data = 0 } = useQuery(domainLinksQuery(domain.host));
  return (
    <ConfirmButton
      label={t`Delete`}
      question={t`Requests for ${domain.host} then get the default links.`}
      obstacle={data > 0 ? t`It can't be deleted while it has links.` : undefined}
      list="domains"
      run={() => removeDomain(domain)}
    />
  );
}
