import { useLingui } from "@lingui/react/macro";
import { Popover } from "@mantine/core";
import { Sheet } from "../../ui/dialogs/sheet.tsx";
import classes from "../../ui/menus/menu-button.module.css";
import type { FindingChange, LinkFinding } from "../link-search.ts";
import { FilterFields } from "./filter-fields.tsx";

type Props = {
  isOpen: boolean;
  isPhone: boolean;
  finding: LinkFinding;
  onChange(change: FindingChange): void;
  onClose(): void;
};

/** Over its button. */
export function FilterPanel({ isOpen, isPhone, finding, onChange, onClose }: Props) {
  const { t } = useLingui();
  const fields = <FilterFields finding={finding} onChange={onChange} />;
  if (isPhone)
    return (
      <Sheet title={t`Filter`} isOpen={isOpen} onClose={onClose}>
        {fields}
      </Sheet>
    );
  return (
    <Popover
      opened={isOpen}
      onChange={(opened) => !opened && onClose()}
      position="bottom-end"
      withArrow
      shadow="md"
      trapFocus
      width={320}
    >
      <Popover.Target>
        <span className={classes["over"]} hidden={!isOpen} onClick={onClose} aria-hidden />
      </Popover.Target>
      <Popover.Dropdown aria-label={t`Filter`} aria-labelledby={undefined}>
        {fields}
      </Popover.Dropdown>
    </Popover>
  );
}
