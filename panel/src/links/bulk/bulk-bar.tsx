import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, CloseButton, Group, Progress, Stack, Text } from "@mantine/core";
import { IconArrowsDiff, IconPencil, IconQrcode, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { formatNumber } from "../../base/i18n.ts";
import { lazyPart } from "../../base/lazy.ts";
import { MOST_COMPARED, comparedKey } from "../../clicks/compare/compared-links.ts";
import { ButtonLink } from "../../ui/button-link.tsx";
import { LazyDialog } from "../../ui/dialogs/lazy-dialog.tsx";
import type { Bulk } from "./bulk.tsx";
import type { Runs } from "./runs.tsx";
import { countOfSelected, type LinkSelection } from "../list/selection.ts";
import classes from "../list/list.module.css";

const QrSheetDialog = lazyPart(async () => (await import("../qr/qr-sheet.tsx")).QrSheetDialog);
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

/** At the end of the list, while links are selected. */
export function BulkBar({ selection, bulk, total, onAll, onEdit, onDelete }: Props) {
  const { t } = useLingui();
  const { selected, clear } = selection;
  const [isSheet, setSheet] = useState(false);
  const count = countOfSelected(selected);
  if (bulk.task !== null) return <TaskBar runs={bulk} label={t`Selection`} />;
  if (count === 0) return null;
  return (
    <div className={classes["bulk"]} role="region" aria-label={t`Selection`}>
      <Text size="sm" fw={600} aria-live="polite" mr="auto">
        <Plural value={count} one="# selected" other="# selected" />
      </Text>
      {selected.kind === "some" && count < total && (
        <Button size="compact-sm" variant="subtle" onClick={onAll}>
          <Trans>Select all {formatNumber(total)}</Trans>
        </Button>
      )}
      {selected.kind === "some" && count >= 2 && count <= MOST_COMPARED && (
        <ButtonLink
          to="/analytics/compare"
          search={{ link: [...selected.links.values()].map(comparedKey) }}
          size="xs"
          variant="default"
          className={classes["action"]}
          leftSection={<IconArrowsDiff size={14} aria-hidden />}
        >
          <Trans>Compare</Trans>
        </ButtonLink>
      )}
      {selected.kind === "some" && count <= MOST_QR_CODES && (
        <Button
          size="xs"
          variant="default"
          className={classes["action"]}
          leftSection={<IconQrcode size={14} aria-hidden />}
          onClick={() => setSheet(true)}
        >
          <Trans>QR codes</Trans>
        </Button>
      )}
      <Button
        size="xs"
        variant="default"
        className={classes["action"]}
        leftSection={<IconPencil size={14} aria-hidden />}
        onClick={onEdit}
      >
        <Trans>Edit</Trans>
      </Button>
      <Button
        size="xs"
        variant="default"
        className={classes["action"]}
        leftSection={<IconTrash size={14} aria-hidden />}
        onClick={onDelete}
      >
        <Trans>Delete</Trans>
      </Button>
      <CloseButton size="lg" aria-label={t`Select none`} onClick={clear} />
      {isSheet && selected.kind === "some" && (
        <LazyDialog onClose={() => setSheet(false)}>
          <QrSheetDialog links={[...selected.links.values()]} onClose={() => setSheet(false)} />
        </LazyDialog>
      )}
    </div>
  );
}

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
