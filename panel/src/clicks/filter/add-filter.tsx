import { useLingui } from "@lingui/react/macro";
import { Button, Popover, Skeleton } from "@mantine/core";
import { type RefObject, Suspense, useState } from "react";
import { lazyPart } from "../../base/lazy.ts";
import { FilterLabel } from "../../ui/filter-label.tsx";
import { useShortcuts } from "../../ui/keys/page-keys.ts";
import { hinted } from "../../ui/keys/shortcuts.ts";
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
  const { t } = useLingui();
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
          px="xs"
          className={classes["control"]!}
          variant="default"
          {...hinted(t`Filter`, "filter")}
          onClick={() => setIsOpen(!isOpen)}
        >
          <FilterLabel count={0} />
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
