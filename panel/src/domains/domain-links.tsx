import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Domain } from "../base/api.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { ConfirmButton } from "../ui/forms/confirm-button.tsx";
import { domainLinksQuery, removeDomain } from "./domain-queries.ts";

const USUAL = 100;

/** How many links a host has, as a link to them. Empty: the default domain. */
export function DomainLinks({ host }: { host: string }) {
  const { data: known } = useQuery(domainLinksQuery(host));
  const data = known ?? USUAL;
  // As wide before it is known as a usual number.
  const room = known === undefined ? { visibility: "hidden" as const } : {};
  return (
    <AnchorLink to="/links" search={{ domain: host }} size="sm" lh="24px" style={room}>
      <Plural value={data} _0="No links" one="# link" other="# links" />
      {host !== "" && (
        <VisuallyHidden>
          {" "}
          <Trans>of {host}</Trans>
        </VisuallyHidden>
      )}
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
      of={domain.host}
      question={t`Requests for ${domain.host} then get the default links.`}
      obstacle={data > 0 ? t`It can't be deleted while it has links.` : undefined}
      list="domains"
      run={() => removeDomain(domain)}
    />
  );
}
