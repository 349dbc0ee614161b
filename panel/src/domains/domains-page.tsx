import { Trans, useLingui } from "@lingui/react/macro";
import { Box, Button, Group, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { accountQuery } from "../auth/account.ts";
import { teamsQuery } from "../auth/teams/team-queries.ts";
import type { Domain } from "../base/api.ts";
import { SERVER_URL } from "../base/place.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { usePageRequest } from "../ui/dialogs/page-request.ts";
import { DataList } from "../ui/lists/data-list.tsx";
import { Empty } from "../ui/empty.tsx";
import { LongRows } from "../ui/long/long-rows.tsx";
import { useShortcuts } from "../ui/keys/page-keys.ts";
import { hinted } from "../ui/keys/shortcuts.ts";
import { PageHead } from "../ui/page-head.tsx";
import { SideForm } from "../ui/forms/side-form.tsx";
import { DomainForm } from "./domain-form.tsx";
import { DomainLinks, RemoveDomain } from "./domain-links.tsx";
import { domainsQuery, publicUrlQuery } from "./domain-queries.ts";
import { usePersonName } from "../ui/person-name.tsx";

export function DomainsPage() {
  const { t } = useLingui();
  const [edited, setEdited] = useState<Domain | "new" | null>(null);
  const { data, error, refetch } = useQuery(domainsQuery);
  const { isAdmin, mayEdit } = useRights();
  usePageRequest("new-domain", () => isAdmin && setEdited("new"));
  useShortcuts(isAdmin ? { new: () => setEdited("new") } : {});
  return (
    <Stack p="md" gap="md">
      <PageHead
        title={t`Domains`}
        sentence={t`Each domain has links of its own. All other hosts use the links of the default domain.`}
      >
        {isAdmin && (
          <Button
            leftSection={<IconPlus size={16} />}
            {...hinted(t`New domain`, "new")}
            onClick={() => setEdited("new")}
          >
            <Trans>New domain</Trans>
          </Button>
        )}
      </PageHead>
      {isAdmin && <DefaultDomain />}
      <DataList<Domain>
        // Rows count their links: only those in sight are there.
        long={{ Rows: LongRows, isMore: false }}
        label={t`Domains`}
        items={data}
        error={error}
        onRetry={() => void refetch()}
        keyOf={({ id }) => id}
        onOpen={(domain) => mayEdit(domain) && setEdited(domain)}
        empty={
          <Empty
            title={<Trans>There is only the default domain.</Trans>}
            sentence={
              <Trans>Point another host at this server and add it here. It gets links of its own.</Trans>
            }
          />
        }
        columns={[
          {
            title: t`Host`,
            cell: ({ host, owner, ignore_case: ignoresCase }) => (
              <>
                <Text size="sm" fw={600}>
                  {host}
                </Text>
                <About owner={owner} ignoresCase={ignoresCase} />
                <Box hiddenFrom="sm">
                  <DomainLinks host={host} />
                </Box>
              </>
            ),
          },
          {
            title: t({ message: "Links", context: "how many" }),
            isHidden: "narrow",
            fit: "value",
            width: "7rem",
            cell: ({ host }) => <DomainLinks host={host} />,
          },
          {
            title: t({ message: "Root", context: "of a domain" }),
            isHidden: "narrow",
            fit: "value",
            cell: ({ default_url: url }) => target(url),
          },
          {
            title: t`Unknown codes`,
            isHidden: "medium",
            fit: "value",
            cell: ({ not_found_url: url }) => target(url),
          },
          {
            title: t`Expired links`,
            isHidden: "medium",
            fit: "value",
            cell: ({ expired_url: url, not_found_url: other }) => target(url ?? other),
          },
          {
            title: t`Actions`,
            fit: "actions",
            cell: (domain) => (
              <Actions
                domain={domain}
                {...(mayEdit(domain) && { onEdit: () => setEdited(domain) })}
                isAdmin={isAdmin}
              />
            ),
          },
        ]}
      />
      <SideForm
        title={edited === "new" || edited === null ? t`New domain` : t`Edit ${edited.host}`}
        isOpen={edited !== null}
        onClose={() => setEdited(null)}
      >
        {edited !== null && (
          <DomainForm domain={edited === "new" ? null : edited} onClose={() => setEdited(null)} />
        )}
      </SideForm>
    </Stack>
  );
}

function About({ owner: username, ignoresCase }: { owner: string | null; ignoresCase: boolean }) {
  const owner = usePersonName(username ?? "");
  return (
    <>
      {owner !== "" && (
        <Text size="xs" c="dimmed">
          <Trans>Owner: {owner}</Trans>
        </Text>
      )}
      {ignoresCase && (
        <Text size="xs" c="dimmed">
          <Trans>Case is ignored in codes.</Trans>
        </Text>
      )}
    </>
  );
}

/** It has no row: it answers every host that no domain has. */
function DefaultDomain() {
  const { data } = useQuery(publicUrlQuery);
  const host = new URL(data || SERVER_URL).host;
  return (
    <Group gap="4px 16px" mih={24}>
      <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
        <Trans>
          The default domain is <b>{host}</b>.
        </Trans>
      </Text>
      <DomainLinks host="" />
      <AnchorLink to="/settings" search={{ q: "features url" }} size="sm">
        <Trans>Change its URLs</Trans>
      </AnchorLink>
      <AnchorLink to="/settings" search={{ q: "links.ignore_case" }} size="sm">
        <Trans>Change case sensitivity</Trans>
      </AnchorLink>
    </Group>
  );
}

/** Administrators may do everything; editors change where the domains of their teams lead. */
function useRights() {
  const { data: account } = useQuery(accountQuery);
  const { data: teams = [] } = useQuery(teamsQuery);
  const isAdmin = account?.role === "admin";
  const mayEdit = ({ owner }: Domain) =>
    isAdmin ||
    (owner !== null && owner === account?.username) ||
    teams.some(
      ({ name, members }) =>
        owner === `team:${name}` &&
        members.some((member) => member.account === account?.username && member.role !== "viewer"),
    );
  return { isAdmin, mayEdit };
}

function Actions({ domain, onEdit, isAdmin }: { domain: Domain; onEdit?: () => void; isAdmin: boolean }) {
  const { t } = useLingui();
  return (
    <Group gap={4} justify="end">
      {onEdit !== undefined && (
        <Button size="compact-sm" variant="subtle" aria-label={t`Edit ${domain.host}`} onClick={onEdit}>
          <Trans>Edit</Trans>
        </Button>
      )}
      {isAdmin && <RemoveDomain domain={domain} />}
    </Group>
  );
}

const target = (url: string | null) => (
  <Text size="sm" c="dimmed" truncate maw="min(220px, 12vw)" title={url ?? ""}>
    {url?.replace(/^https?:\/\//, "") ?? "–"}
  </Text>
);
