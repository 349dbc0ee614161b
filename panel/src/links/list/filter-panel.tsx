import { useLingui } from "@lingui/react/macro";
import { PopoverOver } from "../../ui/dialogs/popover-over.tsx";
import { Sheet } from "../../ui/dialogs/sheet.tsx";
import type { FindingChange, LinkFinding } from "../link-search.ts";
import { FilterFields } from "./filter-fields.tsx";
import classes from "./list.module.css";

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
    <PopoverOver
      isOpen={isOpen}
      width={520}
      onClose={onClose}
      aria-label={t`Filter`}
      aria-labelledby={undefined}
    >
      <div className={classes["filters"]}>{fields}</div>
    </PopoverOver>
  );
}
