import { useLingui } from "@lingui/react/macro";
import {
  IconArrowsDiff,
  IconDownload,
  IconFileImport,
  IconFolderPlus,
  IconHistory,
  IconInbox,
  IconKey,
  IconLinkPlus,
  IconReplace,
  IconReportAnalytics,
  IconShare,
  IconTags,
  IconTransfer,
  IconTrash,
  IconTruck,
  IconUpload,
  IconUserPlus,
  IconWorldPlus,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import type { Account } from "../base/api.ts";
import type { Action, CommandRow } from "./command-row.ts";
import { useOwnActions } from "./own-actions.ts";
import { hasRoom } from "../base/place.ts";
import { foundByWords } from "./place-rows.tsx";

/** Lists that no page of the menu is about. */
function useListActions(): Action[] {
  const { t } = useLingui();
  const navigate = useNavigate();
  return [
    {
      id: "deleted",
      label: t`Deleted links`,
      words: t`restore undo`,
      icon: IconTrash,
      act: () => navigate({ to: "/links/deleted" }),
    },
    {
      id: "bulk-changes",
      label: t`Bulk changes`,
      words: t`restore undo`,
      icon: IconHistory,
      act: () => navigate({ to: "/links/changes" }),
    },
    {
      id: "replace",
      label: t`Replace in the targets of links`,
      words: t`change many bulk search host`,
      icon: IconReplace,
      act: () => navigate({ to: "/links", search: {}, state: { requested: "replace" } }),
    },
    {
      id: "tags",
      label: t`Tags`,
      words: t`rename merge`,
      icon: IconTags,
      act: () => navigate({ to: "/links/tags" }),
    },
    {
      id: "report-pages",
      label: t`Report pages`,
      words: t`share figures analytics mail customer`,
      icon: IconReportAnalytics,
      act: () => navigate({ to: "/analytics/pages", search: {} }),
    },
  ];
}

/** What administrators do with accounts. */
function useAccountActions(): Action[] {
  const { t } = useLingui();
  const navigate = useNavigate();
  return [
    {
      id: "new-account",
      label: t`New account`,
      words: t`create add invite`,
      icon: IconUserPlus,
      act: () => navigate({ to: "/users", state: { requested: "new-account" } }),
    },
    {
      id: "hand-over",
      label: t`Hand over the links of an account`,
      words: t`transfer owner leaves`,
      icon: IconTransfer,
      act: () => navigate({ to: "/users", state: { requested: "hand-over" } }),
    },
  ];
}

/** Actions that the account may start from anywhere, as far as the text finds them. */
export function useActions({ role }: Account): (text: string) => CommandRow[] {
  const { t } = useLingui();
  const navigate = useNavigate();
  const ownActions = useOwnActions();
  const listActions = useListActions();
  const accountActions = useAccountActions();
  const forLinks: Action[] = [
    {
      id: "new-link",
      label: t`New link`,
      words: t`create add shorten`,
      icon: IconLinkPlus,
      act: () => navigate({ to: "/links/new" }),
    },
    {
      id: "compare",
      label: t`Compare links`,
      words: t`analytics versus against`,
      icon: IconArrowsDiff,
      act: () => navigate({ to: "/analytics/compare", search: {} }),
    },
    {
      id: "export",
      label: t`Export all links (CSV)`,
      words: t`download backup`,
      icon: IconDownload,
      act: () => navigate({ to: "/links", search: {}, state: { requested: "export" } }),
    },
    ...listActions,
  ];
  const forAdmins: Action[] = [
    {
      id: "import",
      label: t`Import links`,
      words: t`csv add`,
      icon: IconFileImport,
      act: () => navigate({ to: "/links/import" }),
    },
    ...(hasRoom("imports")
      ? [
          {
            id: "move",
            label: t`Move from another service`,
            words: t`import migrate yourls shlink kutt bitly`,
            icon: IconTruck,
            act: () => navigate({ to: "/links/moves" }),
          },
        ]
      : []),
    ...accountActions,
    {
      id: "new-domain",
      label: t`New domain`,
      words: t`create add host`,
      icon: IconWorldPlus,
      act: () => navigate({ to: "/domains", state: { requested: "new-domain" } }),
    },
  ];
  const forAll: Action[] = [
    {
      id: "new-share",
      label: t`New share`,
      words: t`create add send files`,
      icon: IconShare,
      act: () => navigate({ to: "/shares/new", search: {} }),
    },
    {
      id: "new-drop-box",
      label: t`New drop box`,
      words: t`create add collect receive files`,
      icon: IconInbox,
      act: () => navigate({ to: "/shares/new", search: { drop: true } }),
    },
    {
      id: "upload",
      label: t`Upload files`,
      icon: IconUpload,
      act: () => navigate({ to: "/files" }),
    },
    {
      id: "new-folder",
      label: t`New folder`,
      words: t`create add`,
      icon: IconFolderPlus,
      act: () => navigate({ to: "/files", state: { requested: "new-folder" } }),
    },
    {
      id: "new-token",
      label: t`New token`,
      words: t`create add api`,
      icon: IconKey,
      act: () => navigate({ to: "/tokens", state: { requested: "new-token" } }),
    },
    {
      id: "trash",
      label: t`Trash`,
      words: t`files restore deleted`,
      icon: IconTrash,
      act: () => navigate({ to: "/files/trash" }),
    },
  ];
  const actions = [
    ...(role === "user" ? [] : forLinks),
    ...(role === "admin" ? forAdmins : []),
    ...forAll,
    ...ownActions,
  ].map(({ id, label, words = "", icon, act }) => ({
    id,
    icon,
    title: label,
    names: [label],
    words,
    act,
    actions: [],
  }));
  return (text) => foundByWords(text, actions);
}
