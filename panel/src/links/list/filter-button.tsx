import { useLingui } from "@lingui/react/macro";
import { Box, Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Suspense, useRef } from "react";
import { soonPart } from "../../base/lazy.ts";
import { FilterLabel } from "../../ui/filter-label.tsx";
import { useShortcuts } from "../../ui/keys/page-keys.ts";
import { hinted } from "../../ui/keys/shortcuts.ts";
import { useIsPhone } from "../../ui/is-phone.ts";
import { FINDING_CONDITIONS, type FindingChange, type LinkFinding } from "../link-search.ts";
import classes from "./list.module.css";

const FilterPanel = soonPart(async () => (await import("./filter-panel.tsx")).FilterPanel);

type Props = { finding: LinkFinding; onChange(change: FindingChange): void };

export function FilterButton({ finding, onChange }: Props) {
  const { t } = useLingui();
  const count = FINDING_CONDITIONS.flatMap((name) => (name === "q" ? [] : (finding[name] ?? []))).length;
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
  function closePanel(): void {
    close();
    opener.current?.focus({ preventScroll: true });
  }
  // A sheet leaves by moving.
  const isOpened = useRef(false);
  isOpened.current ||= isOpen;
  const button = (
    <Button
      ref={opener}
      variant="default"
      px="xs"
      {...hinted(t`Filter`, "filter")}
      onClick={toggle}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
    >
      <FilterLabel count={count} className={classes["wide"]} />
    </Button>
  );
  return (
    <Box component="span" pos="relative">
      {button}
      {isOpened.current && (
        <Suspense fallback={null}>
          <FilterPanel
            isOpen={isOpen}
            isPhone={isPhone}
            finding={finding}
            onChange={onChange}
            onClose={closePanel}
          />
        </Suspense>
      )}
    </Box>
  );
}
