/** Rows of links, files and shares, with what can be done to them. */
import { useLingui } from "@lingui/react/macro";
import {
  IconBox,
  IconChartLine,
  IconCopy,
  IconExternalLink,
  IconFile,
  IconFolder,
  IconLink,
  IconPencil,
  IconQrcode,
  IconShare,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { inTree } from "../ui/tree-names.ts";
import type { Link, Share } from "../base/api.ts";
import { useTargetUse } from "../ui/lists/target-use.tsx";
import type { PageRequest } from "../ui/dialogs/page-request.ts";
import { CodeName } from "../ui/code-name.tsx";
import { copyAndTell } from "../ui/copy/copy-notice.ts";
import { noteRecent, type RecentThing } from "../ui/recent.ts";
import type { CommandRow, RowAction } from "./command-row.ts";
import type { Findings } from "./findings.ts";

const openTab = (address: string) => window.open(address, "_blank", "noopener,noreferrer");

/** Of a file or folder. */
type Place = { folder: number | null; path: string; team?: string | undefined };

export function useThingRows() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const useOf = useTargetUse();
  const teamNamed = (name: string): string => t`Team ${name}`;

  const addressActions = (url: string): RowAction[] => [
    { id: "copy", label: t`Copy the short URL`, icon: IconCopy, act: () => copyAndTell(url) },
    { id: "visit", label: t`Open the short URL`, icon: IconExternalLink, act: () => openTab(url) },
  ];

  function link(
    { code, domain, short_url: url }: Pick<Link, "code" | "domain" | "short_url">,
    titleOrTarget: string,
  ): CommandRow {
    const more = useOf(titleOrTarget) ?? titleOrTarget;
    const go = (requested?: PageRequest) =>
      navigate({
        to: "/link/$",
        params: { _splat: code },
        search: domain === null ? {} : { domain },
        ...(requested && { state: { requested } }),
      });
    const short = `${domain ?? ""}/${code}`;
    return {
      id: `link ${short}`,
      icon: IconLink,
      title: <CodeName code={code} domain={domain} />,
      more,
      names: [code, short, url, url.replace(/^https?:\/\//, ""), more],
      act: () => go(),
      actions: [
        { id: "open", label: t`Clicks and history`, icon: IconChartLine, act: () => go() },
        { id: "edit", label: t`Edit`, icon: IconPencil, act: () => go("edit") },
        ...addressActions(url),
        { id: "qr", label: t`QR code`, icon: IconQrcode, act: () => go("qr") },
      ],
    };
  }

  function entry(kind: "file" | "folder", id: number, name: string, place: Place): CommandRow {
    const folder = kind === "folder" ? id : place.folder;
    const search = {
      ...inTree(place.team),
      ...(folder !== null && { folder }),
      ...(kind === "file" && { file: id }),
    };
    const open = () => {
      noteRecent({ kind, id: String(id), domain: null, title: name, url: "" });
      return navigate({ to: "/files", search });
    };
    return {
      id: `${kind} ${id}`,
      icon: kind === "folder" ? IconFolder : IconFile,
      title: name,
      more: place.path,
      names: [name],
      act: open,
      actions: [
        { id: "open", label: t`Open`, icon: kind === "folder" ? IconFolder : IconFile, act: open },
        {
          id: "share",
          label: t`Share`,
          icon: IconShare,
          act: () => navigate({ to: "/shares/new", search: { items: [{ kind, id, name }] } }),
        },
      ],
    };
  }

  function share(
    { code, domain, short_url: url }: Pick<Share, "code" | "domain" | "short_url">,
    title: string,
    isDrop: boolean,
  ): CommandRow {
    const open = () => {
      noteRecent({ kind: "share", id: code, domain, title, url });
      return navigate({ to: "/share/$", params: { _splat: code }, search: {} });
    };
    return {
      id: `share ${domain} ${code}`,
      icon: isDrop ? IconBox : IconShare,
      title,
      more: code,
      names: [title, code, url],
      act: open,
      actions: [{ id: "open", label: t`Open`, icon: IconShare, act: open }, ...addressActions(url)],
    };
  }

  return {
    links: ({ links }: Findings) => links.map((one) => link(one, one.title ?? one.target)),
    files: ({ files }: Findings) =>
      files.map(({ kind, id, name, folder_id: folder, path, team }) => {
        const above = [...(team === undefined ? [] : [teamNamed(team)]), ...path.map((step) => step.name)];
        return entry(kind, id, name, { folder, path: above.join(" / "), team });
      }),
    shares: ({ shares }: Findings) =>
      shares.map((one) => share(one, one.title ?? one.entry?.name ?? one.code, one.kind === "drop")),
    recent: (things: readonly RecentThing[]) =>
      things.map(({ kind, id, domain, title, url }) =>
        kind === "link"
          ? link({ code: id, domain, short_url: url }, title)
          : kind === "share"
            ? share({ code: id, domain, short_url: url }, title, false)
            : entry(kind, Number(id), title, { folder: null, path: "" }),
      ),
  };
}
