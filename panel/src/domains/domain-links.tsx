import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Text } from "@mantine/core";
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

/** Only without links; the sentence says what is in the way. */
export function RemoveDomain({ domain }: { domain: Domain }) {
  const { t } = useLingui();
  const { data } = useQuery(domainLinksQuery(domain.host));
  if (data === undefined) {
    // Keeps the room of what comes.
    return (
      <Button size="compact-sm" variant="subtle" style={{ visibility: "hidden" }}>
        <Trans>Delete</Trans>
      </Button>
    );
  }
  if (data > 0) {
    return (
      <Text size="xs" c="dimmed" maw={140} style={{ whiteSpace: "normal" }}>
        <Trans>Its links are in the way of deleting it.</Trans>
      </Text>
    );
  }
  return (
    <ConfirmButton
      label={t`Delete`}
      question={t`Requests for ${domain.host} then get the default links.`}
      list="domains"
      run={() => removeDomain(domain)}
    />
  );
}
