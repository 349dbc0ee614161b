import { Trans, useLingui } from "@lingui/react/macro";
import { VisuallyHidden } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import type { LinkFinding, Order, Sort } from "../link-search.ts";
import { FIRST_ORDER, type LinkColumn } from "./columns.ts";
import type { LinkRows } from "./rows.ts";
import { type LinkSelection, selectedPart, withLinks } from "./selection.ts";
import classes from "./list.module.css";

type Props = {
  columns: readonly LinkColumn[];
  finding: LinkFinding;
  onSort(sort: Sort, order: Order): void;
  selection: LinkSelection;
  rows: LinkRows;
};

export const orderOf = (finding: LinkFinding): { sort: Sort; order: Order } => {
  const sort = finding.sort ?? "created_at";
  return { sort, order: finding.order ?? FIRST_ORDER[sort] };
};

const turned = (order: Order): Order => (order === "asc" ? "desc" : "asc");

export function HeadRow({ columns, finding, onSort, selection, rows }: Props) {
  const { t } = useLingui();
  const part = selectedPart(selection.selected, rows.known());
  const now = orderOf(finding);
  return (
    <div role="row" aria-rowindex={1} className={classes["head"]}>
      <div role="columnheader" className={classes["check"]}>
        <input
          type="checkbox"
          aria-label={part === "none" ? t`Select these rows` : t`Select none`}
          ref={(box) => {
            if (box !== null) box.indeterminate = part === "some";
          }}
          checked={part === "all"}
          onChange={() =>
            part === "none" ? selection.set(withLinks(selection.selected, rows.known())) : selection.clear()
          }
        />
      </div>
      {columns.map(({ name, label, hint, sort, isNumber }) => {
        const isSorted = sort === now.sort;
        const className = isNumber ? classes["number"] : "";
        if (sort === undefined) {
          return (
            <div key={name} role="columnheader" className={className}>
              {label}
            </div>
          );
        }
        const Arrow = now.order === "asc" ? IconArrowUp : IconArrowDown;
        return (
          <div
            key={name}
            role="columnheader"
            className={className}
            aria-sort={isSorted ? (now.order === "asc" ? "ascending" : "descending") : "none"}
          >
            <button
              type="button"
              className={classes["sort"]}
              title={hint}
              onClick={() => onSort(sort, isSorted ? turned(now.order) : FIRST_ORDER[sort])}
            >
              {label} {isSorted && <Arrow size={12} aria-hidden />}
            </button>
          </div>
        );
      })}
      <div role="columnheader">
        <VisuallyHidden>
          <Trans>Actions</Trans>
        </VisuallyHidden>
      </div>
    </div>
  );
}
