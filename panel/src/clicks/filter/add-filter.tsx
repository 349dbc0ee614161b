import { Trans } from "@lingui/react/macro";
import { Button, Popover, Skeleton } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { Suspense, useState } from "react";
import { lazyPart } from "../../base/lazy.ts";
import { shownKeys } from "../../ui/keys/keys.tsx";
import { useShortcuts } from "../../ui/keys/page-keys.ts";
import type { Frame } from "../frame.ts";
import classes from "../clicks.module.css";
import type { OnReportChange, ReportSearch } from "../range.ts";

const FilterOptions = lazyPart(async () => (await import("./filter-options.tsx")).FilterOptions);

type Props = { frame: Frame; search: ReportSearch; onChange: OnReportChange; isOfLink: boolean };

/** Finds what a report can be filtered by. */
export function AddFilter(props: Props) {
  const [isOpen, setIsOpen] = useState(false);
  useShortcuts({ filter: () => setIsOpen(true) });
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" width={340} trapFocus returnFocus>
      <Popover.Target>
        <Button
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
          <FilterOptions {...props} onClose={() => setIsOpen(false)} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
