import { Trans, useLingui } from "@lingui/react/macro";
import { Box, Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Token } from "../../base/api.ts";
import { formatDate } from "../../base/i18n.ts";
import { usePageRequest } from "../../ui/dialogs/page-request.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { ConfirmButton } from "../../ui/forms/confirm-button.tsx";
import { DataList } from "../../ui/lists/data-list.tsx";
import { Empty } from "../../ui/empty.tsx";
import { useShortcuts } from "../../ui/keys/page-keys.ts";
import { hinted } from "../../ui/keys/shortcuts.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { Pages } from "../../ui/pages.tsx";
import { SideForm } from "../../ui/forms/side-form.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { accountQuery } from "../account.ts";
import { useScopeTexts } from "./scopes.ts";
import { Secret } from "./secret.tsx";
import { TokenFields } from "./token-fields.tsx";
import { folderPathQuery, readTokenSearch, revokeToken, tokensQuery } from "./token-queries.ts";

export function TokensPage() {
  const { t } = useLingui();
  const search = useSearch({ from: "/inside/tokens" });
  const navigate = useNavigate({ from: "/tokens" });
  const { data: account } = useSuspenseQuery(accountQuery);
  const [isMaking, setIsMaking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const { data, error, refetch } = useQuery(tokensQuery(search));
  usePageRequest("new-token", () => setIsMaking(true));
  const show = (next: Record<string, unknown>): void => void navigate({ search: readTokenSearch(next) });
  useShortcuts({ new: () => setIsMaking(true) });
  return (
    <Stack p="md" gap="md">
      <PageHead title={t`API tokens`} sentence={t`Programs use a token instead of a password.`}>
        <Button
          leftSection={<IconPlus size={16} />}
          {...hinted(t`New token`, "new")}
          onClick={() => setIsMaking(true)}
        >
          <Trans>New token</Trans>
        </Button>
      </PageHead>
      {secret !== null && <Secret secret={secret} onClose={() => setSecret(null)} />}
      {account.role === "admin" && (
        <SegmentedControl
          style={{ alignSelf: "start" }}
          aria-label={t`Whose tokens`}
          value={search.all ? "all" : "own"}
          onChange={(whose) => show({ all: whose === "all" })}
          data={[
            { value: "own", label: t`My tokens` },
            { value: "all", label: t`All tokens` },
          ]}
        />
      )}
      <DataList<Token>
        label={t`API tokens`}
        items={data?.data}
        error={error}
        onRetry={() => void refetch()}
        keyOf={({ id }) => id}
        empty={
          <Empty
            title={<Trans>There are no tokens yet.</Trans>}
            sentence={<Trans>With a token, a program may do what its scopes allow, and nothing else.</Trans>}
          />
        }
        columns={[
          {
            title: t`Name`,
            cell: ({ name, scopes, expired, folder_id: folder, account: owner }) => (
              <>
                <Group gap={6}>
                  <Text size="sm" fw={600}>
                    {name}
                  </Text>
                  {expired && (
                    <StateBadge tone="quiet">
                      <Trans>Expired</Trans>
                    </StateBadge>
                  )}
                </Group>
                <Box hiddenFrom="sm">
                  <Scopes scopes={scopes} />
                </Box>
                {folder !== null && <OnlyFolder folder={folder} />}
                {owner !== undefined && (
                  <Text size="xs" c="dimmed">
                    {owner}
                  </Text>
                )}
              </>
            ),
          },
          {
            title: t`Scopes`,
            isHidden: "narrow",
            cell: ({ scopes }) => <Scopes scopes={scopes} />,
          },
          {
            title: t`Last used`,
            isHidden: "medium",
            fit: "value",
            cell: ({ last_used_at: used }) =>
              used === null ? t({ message: "Never", context: "used" }) : formatDate(used),
          },
          {
            title: t`Expires`,
            isHidden: "narrow",
            fit: "value",
            cell: ({ expires_at: expires }) => (expires === null ? t`Never` : formatDate(expires)),
          },
          { title: t`Actions`, fit: "actions", cell: (token) => <Revoke token={token} /> },
        ]}
      />
      <Pages of={data?.pagination} onPage={(page) => show({ ...search, page })} />
      <SideForm title={t`New token`} isOpen={isMaking} onClose={() => setIsMaking(false)}>
        <TokenFields onClose={() => setIsMaking(false)} onMade={setSecret} />
      </SideForm>
    </Stack>
  );
}

/** The only folder that a token reaches, by its path where the account sees it. */
function OnlyFolder({ folder }: { folder: number }) {
  const { data: path } = useQuery(folderPathQuery(folder));
  return (
    <AnchorLink to="/files" search={{ folder }} size="xs">
      {path === undefined ? (
        <Trans>One folder only</Trans>
      ) : (
        <Trans>
          Only <bdi>{path}</bdi>
        </Trans>
      )}
    </AnchorLink>
  );
}

function Scopes({ scopes }: Pick<Token, "scopes">) {
  const texts = useScopeTexts();
  return (
    <Text size="sm" c="dimmed">
      {scopes.map((scope, at) => (
        <span key={scope} title={texts[scope]}>
          {at > 0 && ", "}
          {scope}
        </span>
      ))}
    </Text>
  );
}

function Revoke({ token }: { token: Token }) {
  const { t } = useLingui();
  return (
    <ConfirmButton
      label={t`Revoke`}
      of={token.name}
      question={t`Programs that use ${token.name} lose access at once.`}
      list="tokens"
      run={() => revokeToken(token)}
    />
  );
}
