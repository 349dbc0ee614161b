import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { formatNumber } from "../../base/i18n.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { Empty } from "../../ui/empty.tsx";
import { SideForm } from "../../ui/forms/side-form.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { PersonName } from "../../ui/person-name.tsx";
import { accountQuery } from "../account.ts";
import { TeamForm } from "./team-form.tsx";
import { managesTeam, teamFilesQuery, teamLinksQuery, teamsQuery, useTeamRoles } from "./team-queries.ts";

const CUT = { overflowWrap: "anywhere" } as const;

/** Who is in a team, and what it owns. */
export function TeamPage() {
  const { t } = useLingui();
  const roles = useTeamRoles();
  const [isEdited, setIsEdited] = useState(false);
  const { name } = useParams({ from: "/inside/teams/$name" });
  const { data: account } = useQuery(accountQuery);
  const { data: teams } = useQuery(teamsQuery);
  const team = teams?.find((one) => one.name === name);
  const hasLinks = account !== undefined && account.role !== "user";
  const links = useQuery({ ...teamLinksQuery(name), enabled: hasLinks });
  const files = useQuery(teamFilesQuery(name));
  if (teams !== undefined && team === undefined)
    return <Empty title={<Trans>There is no such team, or you are not in it.</Trans>} />;
  return (
    <Stack p="md" gap="lg">
      <PageHead title={name}>
        {team !== undefined && account !== undefined && managesTeam(account, team) && (
          <Button variant="default" onClick={() => setIsEdited(true)}>
            <Trans>Edit</Trans>
          </Button>
        )}
      </PageHead>
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="xl">
        <Part title={t`Members`}>
          {team?.members.map(({ account: username, role }) => (
            <Group key={username} justify="space-between" gap="xs" wrap="nowrap">
              <Text size="sm" style={CUT}>
                <PersonName of={username} />
              </Text>
              <Text size="sm" c="dimmed">
                {roles[role]}
              </Text>
            </Group>
          ))}
        </Part>
        {hasLinks && (
          <Part
            title={t`Links`}
            unit={t`human clicks`}
            more={
              <AnchorLink to="/links" search={{ owner: `team:${name}` }} size="sm">
                <Trans>All links of the team</Trans>
              </AnchorLink>
            }
          >
            {links.data?.map(({ code, title, human_clicks: clicks }) => (
              <Group key={code} justify="space-between" gap="xs" wrap="nowrap">
                <AnchorLink to="/link/$" params={{ _splat: code }} size="sm" style={CUT}>
                  {title ?? code}
                </AnchorLink>
                <Text size="sm" c="dimmed">
                  {formatNumber(clicks)}
                </Text>
              </Group>
            ))}
          </Part>
        )}
        <Part
          title={t`Files`}
          more={
            <AnchorLink to="/files" search={{ team: name }} size="sm">
              <Trans>All files of the team</Trans>
            </AnchorLink>
          }
        >
          {files.data?.map((file) => (
            <Text key={file} size="sm" style={CUT}>
              <bdi>{file}</bdi>
            </Text>
          ))}
        </Part>
      </SimpleGrid>
      <SideForm title={t`Edit ${name}`} isOpen={isEdited} onClose={() => setIsEdited(false)}>
        {team !== undefined && (
          <TeamForm team={team} maySetQuota={account?.role === "admin"} onClose={() => setIsEdited(false)} />
        )}
      </SideForm>
    </Stack>
  );
}

type PartProps = {
  title: string;
  /** Of the figures at the right. */
  unit?: string;
  more?: ReactNode;
  children: ReactNode;
};

function Part({ title, unit, more, children }: PartProps) {
  return (
    <Stack component="section" gap={6}>
      <Group justify="space-between" align="baseline">
        <Title order={2} size="h5">
          {title}
        </Title>
        {unit !== undefined && (
          <Text size="xs" c="dimmed">
            {unit}
          </Text>
        )}
      </Group>
      {children}
      {more}
    </Stack>
  );
}
