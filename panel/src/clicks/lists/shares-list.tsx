import { Trans } from "@lingui/react/macro";
import { UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { formatNumber, formatShare } from "../../base/i18n.ts";
import classes from "../clicks.module.css";

export type Counted = { key: string; name: string; count: number; percentage: number };

const FIRST = 8;
const ROW = 34;
/** Of the first rows, for what stands in their place until they are known. */
export const SHARES_HEIGHT = ROW * FIRST;

/** Names with their counts, the most frequent first. */
export function SharesList({ items }: { items: readonly Counted[] }) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? items : items.slice(0, FIRST);
  const more = items.length - FIRST;
  return (
    <>
      <ul className={classes["shares"]}>
        {shown.map(({ key, name, count, percentage }) => (
          <li key={key} className={classes["share"]}>
            <div className={classes["bar"]} style={{ width: `${Math.min(100, percentage)}%` }} />
            <span className={classes["name"]} title={name} dir="auto">
              {name}
            </span>
            <span className={classes["count"]}>
              {formatNumber(count)}
              <span className={classes["percent"]}>{formatShare(percentage)}</span>
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <UnstyledButton
          className={classes["more"]!}
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
        >
          {isWhole ? <Trans>Show fewer</Trans> : <Trans>Show {formatNumber(more)} more</Trans>}
        </UnstyledButton>
      )}
    </>
  );
}
