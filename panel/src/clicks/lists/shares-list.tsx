import { Trans, useLingui } from "@lingui/react/macro";
import { Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconArrowUpRight } from "@tabler/icons-react";
import { Fragment, type ReactNode, useState } from "react";
import { decimalsOf, formatNumber, formatShare } from "../../base/i18n.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import type { Unit } from "../buckets.ts";
import { Change } from "../change.tsx";
import classes from "../clicks.module.css";
import type { Dimension, Value } from "../dimensions.ts";
import { LinkName } from "./link-name.tsx";
import type { Counted } from "../list-items.ts";
import { ValueIcon } from "./value-icon.tsx";

const FIRST = 8;
const ROW = 34;
/** Of the first rows, for what stands in their place until they are known. */
export const SHARES_HEIGHT = ROW * FIRST;

type Props = {
  /** What the names are. */
  label: string;
  /** What is counted. */
  counts: string;
  /** Whether there is a column of changes. */
  isCompared: boolean;
  items: readonly Counted[];
  dimension: Dimension;
  /** The unit of what is not over and so is not compared. */
  open?: Unit | undefined;
  onChoose(item: Counted): void;
  onHost?(host: string): void;
  /** Below the rows. */
  foot?: ReactNode;
};

/** Names with their counts, the most frequent first. Each is a filter. Bars are as long as their count is to the largest. */
export function SharesList({
  label,
  counts,
  isCompared,
  items,
  dimension,
  open,
  onChoose,
  onHost,
  foot,
}: Props) {
  const { t } = useLingui();
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? items : items.slice(0, FIRST);
  const more = items.length - FIRST;
  const most = Math.max(1, ...items.map(({ isRest, count }) => (isRest ? 0 : count)));
  const decimals = decimalsOf(shown.map(({ percentage }) => percentage));
  const isLinks = dimension === "link";
  return (
    <>
      <div role="table" aria-label={label}>
        <Text
          component="div"
          role="row"
          size="xs"
          c="dimmed"
          className={`${classes["figures"]} ${classes["captions"]}`}
          data-links={isLinks || undefined}
        >
          <VisuallyHidden role="columnheader">{label}</VisuallyHidden>
          {isCompared && (
            <span role="columnheader" className={classes["changed"]}>
              <Trans context="against the time before">Change</Trans>
            </span>
          )}
          <span role="columnheader" className={classes["counted"]}>
            {counts}
          </span>
          <span role="columnheader" className={classes["percent"]}>
            <Trans context="of all clicks">Share</Trans>
          </span>
        </Text>
        {shown.map((item) => (
          <Fragment key={item.key}>
            <div role="row" className={classes["share"]}>
              {!item.isRest && (
                <div
                  className={classes["bar"]}
                  style={{ width: `calc(${item.count / most} * (100% - var(--from)))` }}
                />
              )}
              <ValueIcon dimension={dimension} value={item.value} isRest={item.isRest} />
              <div role="rowheader">
                <Name item={item} isLink={isLinks} onChoose={onChoose} />
              </div>
              <Numbers item={item} isCompared={isCompared} open={open} decimals={decimals} />
              {isLinks && item.value !== undefined && <ToLink {...item.value} />}
            </div>
            {item.hosts?.map(({ name, count }) => (
              <div key={name} role="row" className={`${classes["share"]} ${classes["host"]}`}>
                <div role="rowheader">
                  <UnstyledButton
                    className={`${classes["name"]} ${classes["choice"]}`}
                    title={t`Only ${name}`}
                    onClick={() => onHost?.(name)}
                  >
                    {name}
                  </UnstyledButton>
                </div>
                {isCompared && <VisuallyHidden role="cell" />}
                <span role="cell" className={classes["count"]}>
                  {formatNumber(count)}
                </span>
              </div>
            ))}
          </Fragment>
        ))}
      </div>
      <div className={classes["foot"]}>
        {more > 0 && (
          <UnstyledButton
            className={classes["more"]!}
            aria-expanded={isWhole}
            onClick={() => setIsWhole(!isWhole)}
          >
            {isWhole ? <Trans>Show fewer</Trans> : <Trans>Show {formatNumber(more)} more</Trans>}
          </UnstyledButton>
        )}
        {foot}
      </div>
    </>
  );
}

type NameProps = { item: Counted; isLink: boolean; onChoose(item: Counted): void };

function Name({ item, isLink, onChoose }: NameProps) {
  const { t } = useLingui();
  const { name, value } = item;
  if (value === undefined) return <span className={classes["name"]}>{name}</span>;
  return (
    <UnstyledButton
      className={`${classes["name"]} ${classes["choice"]}`}
      title={t`Only ${name}`}
      dir="auto"
      onClick={() => onChoose(item)}
    >
      {isLink ? <LinkName code={name} {...value} /> : name}
    </UnstyledButton>
  );
}

type NumbersProps = { item: Counted; decimals: 0 | 1 } & Pick<Props, "isCompared" | "open">;

const Numbers = ({ item: { count, percentage, compared }, decimals, isCompared, open }: NumbersProps) => (
  <span className={classes["figures"]}>
    {compared !== undefined ? (
      <span role="cell" className={classes["changed"]}>
        <Change now={compared[0]} before={compared[1]} open={open} isShort />
      </span>
    ) : (
      isCompared && <VisuallyHidden role="cell" />
    )}
    <span role="cell" className={classes["counted"]}>
      {formatNumber(count)}
    </span>
    <span role="cell" className={classes["percent"]}>
      {formatShare(percentage, decimals)}
    </span>
  </span>
);

function ToLink({ value, domain }: Value) {
  const { t } = useLingui();
  return (
    <span role="cell">
      <AnchorLink
        to="/link/$"
        params={{ _splat: value }}
        search={domain ? { domain } : {}}
        aria-label={t`Open ${value}`}
        className={classes["toLink"]!}
      >
        <IconArrowUpRight size={16} aria-hidden />
      </AnchorLink>
    </span>
  );
}
