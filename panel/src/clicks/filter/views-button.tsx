import { Trans } from "@lingui/react/macro";
import { Button, Popover, Skeleton } from "@mantine/core";
import { IconBookmark } from "@tabler/icons-react";
import { Suspense, useState } from "react";
import { lazyPart } from "../../base/lazy.ts";
import classes from "../clicks.module.css";
import type { OnReportChange, ReportSearch } from "../range.ts";

const SavedViews = lazyPart(async () => (await import("./saved-views.tsx")).SavedViews);

type Props = { search: ReportSearch; onChange: OnReportChange };

/** Views of a report that were given names. */
export function ViewsButton(props: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" width={320} trapFocus returnFocus>
      <Popover.Target>
        <Button
          size="compact-sm"
          className={classes["control"]!}
          variant="subtle"
          color="gray"
          leftSection={<IconBookmark size={14} aria-hidden />}
          onClick={() => setIsOpen(!isOpen)}
        >
          <Trans>Views</Trans>
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs" maw="calc(100vw - 2rem)">
        <Suspense fallback={<Skeleton height={80} />}>
          <SavedViews {...props} onClose={() => setIsOpen(false)} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
