import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Select, Stack } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { ListedAccount } from "../../base/api.ts";
import { lazyOrFailure } from "../../base/lazy.ts";
import { useShortcuts } from "../../ui/keys/page-keys.ts";
import { hinted } from "../../ui/keys/shortcuts.ts";
import { usePageRequest } from "../../ui/dialogs/page-request.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { Pages } from "../../ui/pages.tsx";
import { SearchField } from "../../ui/lists/search-field.tsx";
import { SideForm } from "../../ui/forms/side-form.tsx";
import { RemoveAccount } from "./remove-account.tsx";
import { useRoleNames } from "./role-names.ts";
import { readUserSearch, usersQuery } from "./user-queries.ts";
import { UsersList } from "./users-list.tsx";
import { FilterSheet } from "../../ui/dialogs/filter-sheet.tsx";
import { useIsPhone } from "../../ui/is-phone.ts";
import { notifications } from "@mantine/notifications";

const AccountForm = lazyOrFailure(async () => (await import("./account-form.tsx")).AccountForm);

const TYPING_MS = 200;

export function UsersPage() {
  const { t } = useLingui();
  const roles = useRoleNames();
  const isPhone = useIsPhone();
  const search = useSearch({ from: "/inside/users" });
  const navigate = useNavigate({ from: "/users" });
  const [edited, setEdited] = useState<ListedAccount | "new" | null>(null);
  const [removed, setRemoved] = useState<ListedAccount | null>(null);
  const { data, error, refetch } = useQuery(usersQuery(search));
  const find = (next: Record<string, unknown>): void =>
    void navigate({
      search: (now) => readUserSearch({ ...now, page: undefined, ...next }),
      // Back undoes a choice.
      replace: "q" in next,
      resetScroll: false,
    });
  usePageRequest("new-account", () => setEdited("new"));
  usePageRequest("hand-over", () =>
    notifications.show({ message: t`Choose “Hand over links” in the menu of the account.` }),
  );
  useShortcuts({ new: () => setEdited("new") });
  return (
    <Stack p="md" gap="md">
      <PageHead title={t`Accounts`} sentence={t`The built-in administrator is not listed.`}>
        <Button
          leftSection={<IconPlus size={16} />}
          {...hinted(t`New account`, "new")}
          onClick={() => setEdited("new")}
        >
          <Trans>New account</Trans>
        </Button>
      </PageHead>
      <Group gap="xs">
        <SearchField
          label={t`Search accounts`}
          flex="1 1 8rem"
          maw={{ sm: 360 }}
          type="search"
          maxLength={64}
          q={search.q}
          delayMs={TYPING_MS}
          onSearch={(q) => find({ q: q?.trim() })}
        />
        <FilterSheet count={[search.role, search.state].filter(Boolean).length}>
          <Select
            w={isPhone ? "100%" : 170}
            aria-label={t`Role`}
            placeholder={t`Any role`}
            clearable
            clearButtonProps={{ "aria-label": t`Any role` }}
            value={search.role ?? null}
            data={Object.entries(roles).map(([value, label]) => ({ value, label }))}
            onChange={(role) => find({ role })}
          />
          <Select
            w={isPhone ? "100%" : 170}
            aria-label={t`State`}
            placeholder={t`Any state`}
            clearable
            clearButtonProps={{ "aria-label": t`Any state` }}
            value={search.state ?? null}
            data={[
              { value: "active", label: t`May sign in` },
              { value: "disabled", label: t`Disabled` },
            ]}
            onChange={(state) => find({ state })}
          />
        </FilterSheet>
      </Group>
      <UsersList
        accounts={data?.data}
        error={error}
        isFiltered={search.q !== undefined || search.role !== undefined || search.state !== undefined}
        onRetry={() => void refetch()}
        onEdit={setEdited}
        onRemove={setRemoved}
      />
      <Pages of={data?.pagination} onPage={(page) => find({ page })} />
      <SideForm
        title={edited === "new" || edited === null ? t`New account` : t`Edit ${edited.username}`}
        isOpen={edited !== null}
        onClose={() => setEdited(null)}
      >
        {edited !== null && (
          <AccountForm account={edited === "new" ? null : edited} onClose={() => setEdited(null)} />
        )}
      </SideForm>
      {removed !== null && <RemoveAccount account={removed} onClose={() => setRemoved(null)} />}
    </Stack>
  );
}
