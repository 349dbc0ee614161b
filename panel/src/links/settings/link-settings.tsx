import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Skeleton, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Link } from "../../base/api.ts";
import { formatTime } from "../../base/i18n.ts";
import { Disclosure } from "../../ui/disclosure.tsx";
import { useUndoable } from "../../ui/notices/undo.tsx";
import { useOwners } from "../../auth/teams/owners.ts";
import { useHasDomains } from "../form/domains.ts";
import { deleteLink, type OnLinkSaved, refreshLinks, restoreLink } from "../link-queries.ts";
import { TakeDown } from "../review.tsx";
import { groupOf, type LinkSettingName, settingsOf, shownOf } from "../form/link-values.ts";
import { isAddress } from "../../ui/lists/target-use.tsx";
import { usePersonName } from "../../ui/person-name.tsx";
import { LeadsTo, SPOKEN } from "./leads-to.tsx";
import { LinkSettingRow } from "./setting-row.tsx";

type Props = {
  link: Link;
  /** Where it leads is to be edited: at once, or when this is shown. */
  wantsEdit: boolean;
  onEdit(): void;
  onSaved: OnLinkSaved;
  /** Leaves what shows the link, before it is asked for again. */
  onDeleted(deleted: Link): Promise<void>;
};

/** Whether fields are set that no sentence says. */
const isUsed = (link: Link, names: readonly LinkSettingName[]): boolean =>
  names
    .filter((name) => !SPOKEN.some((one) => one === name))
    .some((name) => !["", "false", "307"].includes(String(shownOf(link, name) ?? "")));

/** Where a link leads, and its other settings, folded until they are used. All are edited in place. */
export function LinkSettings({ link, wantsEdit, onEdit, onSaved, onDeleted }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const author = usePersonName(link.created_by ?? "");
  const section = useRef<HTMLDivElement>(null);
  const mayMove = useHasDomains();
  // A row that came later would move the others under the pointer.
  const isReady = mayMove !== undefined;
  useEffect(() => {
    if (!wantsEdit || !isReady) return;
    const first = isAddress(link.target) ? "target" : "title";
    section.current?.querySelector<HTMLElement>(`[data-setting=${first}]`)?.click();
    onEdit();
  }, [wantsEdit, isReady]);
  const hasDomains = mayMove || link.domain !== null;
  const hasOwners = useOwners("change").length > 1;
  const names = settingsOf(!isAddress(link.target)).filter(
    (name) => (name !== "domain" || hasDomains) && (name !== "owner" || hasOwners) && name !== "target",
  );
  const groups = [
    { group: "about", title: t`About` },
    { group: "when", title: t`Schedule and limits` },
    { group: "leads", title: t`Redirect` },
    { group: "protection", title: t`Protection` },
    { group: "preview", title: t`Link preview` },
  ] as const;
  const remove = useUndoable({
    async run() {
      await deleteLink(link);
      await onDeleted(link);
    },
    undo: () => restoreLink(link),
    refresh: () => refreshLinks(queries),
    message: <Trans>{link.code} is deleted.</Trans>,
  });
  return (
    <Stack ref={section} component="section" aria-label={t`Settings of the link`} gap="xs">
      <VisuallyHidden component="h2">
        <Trans>Settings of the link</Trans>
      </VisuallyHidden>
      <LeadsTo link={link} onSaved={onSaved} />
      {!isReady && <Skeleton height={240} />}
      {isReady &&
        groups.map(({ group, title }) => {
          const rows = names.filter((name) => groupOf(name) === group);
          return (
            rows.length > 0 && (
              <Fold key={group} title={title} isUsed={isUsed(link, rows)}>
                {rows.map((name) => (
                  <LinkSettingRow key={name} name={name} link={link} onSaved={onSaved} />
                ))}
              </Fold>
            )
          );
        })}
      <Text size="sm" c="dimmed">
        {link.created_by === null ? (
          <Trans>Created on {formatTime(link.created_at)}</Trans>
        ) : (
          <Trans>
            Created on {formatTime(link.created_at)} by {author}
          </Trans>
        )}
      </Text>
      <Group gap="xs" ms={-9}>
        <TakeDown link={link} />
        <Button
          variant="subtle"
          color="red"
          size="compact-sm"
          leftSection={<IconTrash size={16} />}
          loading={remove.isPending}
          onClick={() => remove.mutate()}
        >
          <Trans>Delete the link</Trans>
        </Button>
      </Group>
    </Stack>
  );
}

function Fold({
  title,
  isUsed: isOpenAtFirst,
  children,
}: {
  title: string;
  isUsed: boolean;
  children: ReactNode;
}) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  return (
    <Disclosure label={title} isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)}>
      {children}
    </Disclosure>
  );
}
