import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { type ReactNode, useRef } from "react";
import { nameOfCondition } from "../dimensions.ts";
import { type Condition, conditionsIn, DEFAULT_DOMAIN, valuesIn, withoutCondition } from "../filter.ts";
import type { Frame } from "../frame.ts";
import { filterNames } from "../names.ts";
import classes from "../clicks.module.css";
import type { OnReportChange, ReportSearch } from "../range.ts";
import { AddFilter } from "./add-filter.tsx";
import { ViewsButton } from "./views-button.tsx";

type Props = {
  frame: Frame;
  search: ReportSearch;
  onChange: OnReportChange;
  /** Its clicks alone are filtered. */
  isOfLink?: boolean;
  /** Behind the views. */
  children?: ReactNode;
};

/** The conditions of a report; pressing one removes it. More can be added, and all of them saved. Those of a link stand in the row around them. */
export function FilterBar({ frame, search, onChange, isOfLink = false, children }: Props) {
  const { t } = useLingui();
  const names = filterNames();
  const opener = useRef<HTMLButtonElement>(null);
  const remove = (rest: ReportSearch): void => {
    // The pressed button goes.
    opener.current?.focus({ preventScroll: true });
    onChange(rest);
  };
  const conditions = conditionsIn(isOfLink ? valuesIn(search) : search);
  // The domain of a chosen link shows only if it is another one.
  const isSaid = ({ name, value }: Condition) =>
    name !== "domain" || value !== DEFAULT_DOMAIN || search.code === undefined;
  /** What is not said goes with the link for which it is not. */
  const without = (condition: Condition): ReportSearch => {
    const rest = withoutCondition(search, condition);
    if (rest.code !== undefined) return rest;
    return conditions.filter((one) => !isSaid(one)).reduce(withoutCondition, rest);
  };
  return (
    <Group gap={6} {...(isOfLink && { style: { display: "contents" } })}>
      <AddFilter frame={frame} search={search} onChange={onChange} isOfLink={isOfLink} opener={opener} />
      {conditions.filter(isSaid).map((condition) => {
        const label = `${names[condition.name]}: ${nameOfCondition(condition)}`;
        return (
          <Button
            key={label}
            size="compact-sm"
            className={classes["control"]!}
            variant="light"
            maw="100%"
            rightSection={<IconX size={12} aria-hidden />}
            aria-label={t`Remove the filter ${label}`}
            onClick={() => remove(without(condition))}
          >
            {label}
          </Button>
        );
      })}
      {conditions.filter(isSaid).length > 1 && (
        <Button
          size="compact-sm"
          className={classes["control"]!}
          variant="subtle"
          color="gray"
          onClick={() => remove(conditions.reduce(withoutCondition, search))}
        >
          <Trans>Clear all</Trans>
        </Button>
      )}
      {!isOfLink && <ViewsButton search={search} onChange={onChange} />}
      {children}
    </Group>
  );
}
