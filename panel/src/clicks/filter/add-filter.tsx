import { Trans } from "@lingui/react/macro";
import { Button, Popover, Skeleton } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { type RefObject, Suspense, useState } from "react";
import { lazyPart } from "../../base/lazy.ts";
import { shownKeys } from "../../ui/keys/keys.tsx";
import { useShortcuts } from "../../ui/keys/page-keys.ts";
import type { Frame } from "../frame.ts";
import classes from "../clicks.module.css";
import type { OnReportChange, ReportSearch } from "../range.ts";

const FilterOptions = lazyPart(async () => (await import("./filter-options.tsx")).FilterOptions);

type Props = {
  frame: Frame;
  search: ReportSearch;
  onChange: OnReportChange;
  isOfLink: boolean;
  /** Takes the focus when the options close. */
  opener: RefObject<HTMLButtonElement | null>;
};

/** Finds what a report can be filtered by. */
export function AddFilter({ opener, ...props }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const open = (): void => {
    // The popover returns the focus to what had it.
    opener.current?.focus({ preventScroll: true });
    setIsOpen(true);
  };
  const close = (): void => {
    setIsOpen(false);
    opener.current?.focus({ preventScroll: true });
  };
  useShortcuts({ filter: open });
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" width={340} trapFocus returnFocus>
      <Popover.Target>
        <Button
          ref={opener}
          size="compact-sm"
          className={classes["control"]!}
          variant="default"
          leftSection={<IconFilter size={14} aria-hidden />}
          {...shownKeys("filter")}
          onClick={() => setIsOpen(!isOpen)}
        >
          <Trans>Filter</Trans>
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs" maw="calc(100vw - 2rem)">
        <Suspense fallback={<Skeleton height={240} />}>
          <FilterOptions {...props} onClose={close} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
