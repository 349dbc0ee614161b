import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text, type TextProps } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Team } from "../../base/api.ts";
import { joinNodes } from "../../base/i18n.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { DataList } from "../../ui/lists/data-list.tsx";
import { Empty } from "../../ui/empty.tsx";
import { useShortcuts } from "../../ui/keys/page-keys.ts";
import { hinted } from "../../ui/keys/shortcuts.ts";
import { PersonName } from "../../ui/person-name.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { SideForm } from "../../ui/forms/side-form.tsx";
import { RemoveTeam } from "./remove-team.tsx";
import { TeamForm } from "./team-form.tsx";
import { accountQuery } from "../account.ts";
import { managesTeam, teamsQuery } from "./team-queries.ts";

export function TeamsPage() {
  const { t } = useLingui();
  const [edited, setEdited] = useState<Team | "new" | null>(null);
  const [removed, setRemoved] = useState<Team | null>(null);
  const { data, error, refetch } = useQuery(teamsQuery);
  const { data: account } = useQuery(accountQuery);
  const isAdmin = account?.role === "admin";
  const manages = (team: Team) => account !== undefined && managesTeam(account, team);
  const navigate = useNavigate();
  useShortcuts(isAdmin ? { new: () => setEdited("new") } : {});
  return (
    <Stack p="md" gap="md">
      <PageHead title={t`Teams`} sentence={t`The links and files of a team belong to all of its members.`}>
        {isAdmin && (
          <Button
            leftSection={<IconPlus size={16} />}
            {...hinted(t`New team`, "new")}
            onClick={() => setEdited("new")}
          >
            <Trans>New team</Trans>
          </Button>
        )}
      </PageHead>
      <DataList<Team>
        label={t`Teams`}
        items={data}
        error={error}
        onRetry={() => void refetch()}
        keyOf={({ id }) => id}
        onOpen={({ name }) => void navigate({ to: "/teams/$name", params: { name } })}
        empty={
          <Empty
            title={isAdmin ? <Trans>There are no teams yet.</Trans> : <Trans>You are in no team.</Trans>}
            sentence={
              isAdmin ? (
                <Trans>
                  Viewers see links and analytics, editors also change them, managers also change members.
                </Trans>
              ) : (
                <Trans>Administrators make teams, and their managers choose the members.</Trans>
              )
            }
          />
        }
        columns={[
          {
            title: t`Name`,
            cell: ({ name, members }) => (
              <>
                <AnchorLink to="/teams/$name" params={{ name }} size="sm" fw={600} c="inherit">
                  {name}
                </AnchorLink>
                <Names of={members} hiddenFrom="sm" />
              </>
            ),
          },
          {
            title: t`Members`,
            isHidden: "narrow",
            cell: ({ members }) => <Names of={members} />,
          },
          {
            title: t`Actions`,
            fit: "actions",
            cell: (team) => (
              <Group gap={4} justify="end">
                {manages(team) && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    aria-label={t`Edit ${team.name}`}
                    onClick={() => setEdited(team)}
                  >
                    <Trans>Edit</Trans>
                  </Button>
                )}
                {isAdmin && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    color="red"
                    aria-label={t`Delete ${team.name}`}
                    onClick={() => setRemoved(team)}
                  >
                    <Trans>Delete</Trans>
                  </Button>
                )}
              </Group>
            ),
          },
        ]}
      />
      <SideForm
        title={edited === "new" || edited === null ? t`New team` : t`Edit ${edited.name}`}
        isOpen={edited !== null}
        onClose={() => setEdited(null)}
      >
        {edited !== null && (
          <TeamForm
            team={edited === "new" ? null : edited}
            maySetQuota={isAdmin}
            onClose={() => setEdited(null)}
          />
        )}
      </SideForm>
      {removed !== null && <RemoveTeam team={removed} onClose={() => setRemoved(null)} />}
    </Stack>
  );
}

const Names = ({ of: members, ...props }: TextProps & { of: Team["members"] }) => (
  <Text size={props.hiddenFrom === undefined ? "sm" : "xs"} c="dimmed" lineClamp={1} {...props}>
    {joinNodes(members.map(({ account }) => <PersonName key={account} of={account} />))}
  </Text>
);
