import { useLingui } from "@lingui/react/macro";
import { ActionIcon } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { accountQuery } from "../auth/account.ts";
import { loaded, soonPart } from "../base/lazy.ts";
import { usePageRequest } from "../ui/dialogs/page-request.ts";
import { MenuButton } from "../ui/menus/menu-button.tsx";
import { useFailureNotice } from "../ui/notices/undo.tsx";
import type { LinkSearch } from "./link-search.ts";

const LinksItems = soonPart(async () => (await import("./links-items.tsx")).LinksItems);

/** Actions for many links, and deleted links. */
export function LinksMenu({ search }: { search: LinkSearch }) {
  const { t } = useLingui();
  const { data: account } = useSuspenseQuery(accountQuery);
  const navigate = useNavigate();
  const exporting = useMutation({
    mutationFn: async () => (await loaded(() => import("./csv/export.ts"))).exportLinks(search),
    onError: useFailureNotice(),
  });
  usePageRequest("export", () => exporting.mutate());
  return (
    <MenuButton
      label={t`More for links`}
      button={
        <ActionIcon variant="default" size={36} aria-label={t`More for links`} loading={exporting.isPending}>
          <IconDots size={16} />
        </ActionIcon>
      }
    >
      <LinksItems
        isFiltered={Object.keys(search).length > 0}
        isAdmin={account.role === "admin"}
        onExport={() => exporting.mutate()}
        onWaiting={() => void navigate({ to: "/links", search: { safety: "waiting" } })}
      />
    </MenuButton>
  );
}
