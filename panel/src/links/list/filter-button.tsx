import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Popover, Skeleton, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFilter } from "@tabler/icons-react";
import { Suspense, useRef } from "react";
import { formatNumber } from "../../base/i18n.ts";
import { lazyPart } from "../../base/lazy.ts";
import { useShortcuts } from "../../ui/keys/page-keys.ts";
import { hinted } from "../../ui/keys/shortcuts.ts";
import { Sheet, useIsPhone } from "../../ui/sheet.tsx";
import type { FindingChange, LinkFinding } from "../link-search.ts";
import classes from "./list.module.css";

const FilterFields = lazyPart(async () => (await import("./filter-fields.tsx")).FilterFields);

type Props = { finding: LinkFinding; onChange(change: FindingChange): void };

export function FilterButton({ finding, onChange }: Props) {
  const { t } = useLingui();
  const { state, tag = [], domain, owner, from, to } = finding;
  const count = [state, ...tag, domain, owner, from, to].filter((set) => set !== undefined).length;
  const [isOpen, { toggle, open, close }] = useDisclosure();
  const opener = useRef<HTMLButtonElement>(null);
  useShortcuts({
    filter() {
      // The popover returns the focus to what had it.
      opener.current?.focus({ preventScroll: true });
      open();
    },
  });
  const isPhone = useIsPhone();
  const fields = (
    <Suspense fallback={<Skeleton height={196} />}>
      <FilterFields finding={finding} onChange={onChange} />
    </Suspense>
  );
  const button = (
    <Button
      ref={opener}
      variant="default"
      px="xs"
      {...hinted(t`Filter`, "filter")}
      onClick={toggle}
      {...(isPhone && { "aria-haspopup": "dialog" })}
    >
      <IconFilter size={16} aria-hidden />
      <Text span size="sm" ml={6} className={classes["wide"] ?? ""}>
        <Trans>Filter</Trans>
      </Text>
      {count > 0 && (
        <Text span size="sm" ml={6} c="dimmed">
          {formatNumber(count)}
        </Text>
      )}
    </Button>
  );
  if (isPhone)
    return (
      <>
        {button}
        <Sheet title={t`Filter`} isOpen={isOpen} onClose={close}>
          {fields}
        </Sheet>
      </>
    );
  return (
    <Popover
      opened={isOpen}
      onChange={(opened) => !opened && close()}
      position="bottom-end"
      withArrow
      shadow="md"
      trapFocus
      returnFocus
      width={320}
    >
      <Popover.Target>{button}</Popover.Target>
      <Popover.Dropdown aria-label={t`Filter`}>{fields}</Popover.Dropdown>
    </Popover>
  );
}
