import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, CloseButton, Group, Progress, Stack, Text } from "@mantine/core";
import { IconArrowsDiff, IconDots, IconPencil, IconQrcode, IconTrash } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { formatNumber } from "../../base/i18n.ts";
import { lazyPart, soonPart } from "../../base/lazy.ts";
import { MOST_COMPARED, comparedKey } from "../../clicks/compare/compared-links.ts";
import { ButtonLink } from "../../ui/button-link.tsx";
import { LazyDialog } from "../../ui/dialogs/lazy-dialog.tsx";
import { useIsPhone } from "../../ui/is-phone.ts";
import { MenuButton } from "../../ui/menus/menu-button.tsx";
import type { OfferedForSelection } from "./bulk-items.tsx";
import type { Bulk } from "./bulk.tsx";
import type { Runs } from "./runs.tsx";
import { countOfSelected, type LinkSelection } from "../list/selection.ts";
import classes from "../list/list.module.css";

const QrSheetDialog = lazyPart(async () => (await import("../qr/qr-sheet.tsx")).QrSheetDialog);
const BulkItems = soonPart(async () => (await import("./bulk-items.tsx")).BulkItems);
/** Each is a request. */
const MOST_QR_CODES = 200;

type Props = {
  selection: LinkSelection;
  bulk: Bulk;
  /** Of all that the list finds. */
  total: number;
  onAll(): void;
  onEdit(): void;
  onDelete(): void;
};

/** At the end of the list, while links are selected. On a phone it is one line, with no deletion where rows are ticked. */
export function BulkBar({ selection, bulk, total, onAll, onEdit, onDelete }: Props) {
  const { t } = useLingui();
  const isPhone = useIsPhone();
  const { selected, clear } = selection;
  const [isSheet, setSheet] = useState(false);
  const count = countOfSelected(selected);
  if (bulk.task !== null) return <TaskBar runs={bulk} label={t`Selection`} />;
  if (count === 0) return null;
  const links = selected.kind === "some" ? [...selected.links.values()] : null;
  const offered: OfferedForSelection = {
    total,
    onAll: links !== null && count < total ? onAll : null,
    compared: links !== null && count >= 2 && count <= MOST_COMPARED ? links.map(comparedKey) : null,
    onQr: links !== null && count <= MOST_QR_CODES ? () => setSheet(true) : null,
    onDelete,
  };
  const edit = (
    <Button size="xs" variant="default" leftSection={<IconPencil size={14} aria-hidden />} onClick={onEdit}>
      <Trans>Edit</Trans>
    </Button>
  );
  return (
    <div className={classes["bulk"]} role="region" aria-label={t`Selection`}>
      <Text size="sm" fw={600} aria-live="polite" mr="auto">
        <Plural value={count} one="# selected" other="# selected" />
      </Text>
      {isPhone ? (
        <>
          {edit}
          <MenuButton
            label={t`More`}
            button={
              <ActionIcon variant="default" size={36} aria-label={t`More`}>
                <IconDots size={16} />
              </ActionIcon>
            }
          >
            <BulkItems {...offered} />
          </MenuButton>
        </>
      ) : (
        <WideActions {...offered}>{edit}</WideActions>
      )}
      <CloseButton size="lg" aria-label={t`Select none`} onClick={clear} />
      {isSheet && links !== null && (
        <LazyDialog onClose={() => setSheet(false)}>
          <QrSheetDialog links={links} onClose={() => setSheet(false)} />
        </LazyDialog>
      )}
    </div>
  );
}

type WideProps = OfferedForSelection & { children: ReactNode };

/** Each action as a button. What is not always offered stands first, so that the others keep their place. */
const WideActions = ({ total, onAll, compared, onQr, onDelete, children }: WideProps) => (
  <>
    {onAll !== null && (
      <Button size="compact-sm" variant="subtle" onClick={onAll}>
        <Trans>Select all {formatNumber(total)}</Trans>
      </Button>
    )}
    {compared !== null && (
      <ButtonLink
        to="/analytics/compare"
        search={{ link: compared }}
        size="xs"
        variant="default"
        leftSection={<IconArrowsDiff size={14} aria-hidden />}
      >
        <Trans>Compare</Trans>
      </ButtonLink>
    )}
    {onQr !== null && (
      <Button size="xs" variant="default" leftSection={<IconQrcode size={14} aria-hidden />} onClick={onQr}>
        <Trans>QR codes</Trans>
      </Button>
    )}
    {children}
    <Button
      size="xs"
      variant="default"
      c="var(--mantine-color-error)"
      leftSection={<IconTrash size={14} aria-hidden />}
      onClick={onDelete}
    >
      <Trans>Delete</Trans>
    </Button>
  </>
);

/** The progress of bulk work. */
export function TaskBar({
  runs: { task, stop },
  label: name,
}: {
  runs: Pick<Runs, "task" | "stop">;
  label: string;
}) {
  if (task === null) return null;
  const { label, done, total, isKept } = task;
  return (
    <div className={classes["bulk"]} role="region" aria-label={name}>
      <Stack gap={4} flex={1} miw={180}>
        <Group justify="space-between" gap="xs">
          <Text size="sm" fw={600} role="status">
            {label}
          </Text>
          <Text size="sm" c="dimmed">
            {formatNumber(done)} / {formatNumber(total)}
          </Text>
        </Group>
        <Progress size="sm" aria-label={label} value={(done / Math.max(1, total)) * 100} />
        {isKept && (
          <Text size="xs" c="dimmed">
            <Trans>You can leave this page; the server continues.</Trans>
          </Text>
        )}
      </Stack>
      {!isKept && (
        <Button size="xs" variant="default" onClick={stop}>
          <Trans>Stop</Trans>
        </Button>
      )}
    </div>
  );
}
