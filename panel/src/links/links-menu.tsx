import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Menu } from "@mantine/core";
import { IconDots, IconDownload, IconTag, IconTrash, IconUpload } from "@tabler/icons-react";
import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { accountQuery } from "../auth/account.ts";
import { useAsked } from "../ui/asked.ts";
import { useFailureNotice } from "../ui/undo.tsx";
import { exportLinks } from "./csv/export.ts";
import type { LinkSearch } from "./link-search.ts";

/** Actions for many links, and deleted links. */
export function LinksMenu({ search }: { search: LinkSearch }) {
  const { t } = useLingui();
  const { data: account } = useSuspenseQuery(accountQuery);
  const exporting = useMutation({ mutationFn: () => exportLinks(search), onError: useFailureNotice() });
  useAsked("export", () => exporting.mutate());
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={t`More for links`} loading={exporting.isPending}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconDownload size={16} />} onClick={() => exporting.mutate()}>
          {Object.keys(search).length > 0 ? (
            <Trans>Export what the filter finds (CSV)</Trans>
          ) : (
            <Trans>Export all links (CSV)</Trans>
          )}
        </Menu.Item>
        {account.role === "admin" && (
          <Menu.Item component={Link} to="/links/import" leftSection={<IconUpload size={16} />}>
            <Trans>Import links (CSV)</Trans>
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item component={Link} to="/links/tags" leftSection={<IconTag size={16} />}>
          <Trans>Tags</Trans>
        </Menu.Item>
        <Menu.Item component={Link} to="/links/deleted" leftSection={<IconTrash size={16} />}>
          <Trans>Deleted links</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
