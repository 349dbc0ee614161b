import { Trans, useLingui } from "@lingui/react/macro";
import { UnstyledButton } from "@mantine/core";
import { IconArrowUpRight } from "@tabler/icons-react";
import { Fragment, type ReactNode, useState } from "react";
import { formatNumber, formatPercent, formatShare } from "../../base/i18n.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { CodeName } from "../../ui/code-name.tsx";
import classes from "../clicks.module.css";
import type { Value } from "../dimensions.ts";

export type Counted = {
  key: string;
  /** Null: of no value, or of too many. */
  name: string | null;
  /** What a filter takes. */
  value?: Value;
  count: number;
  percentage: number;
  /** In the time before, if it is compared. */
  before?: number;
  /** Of a site. */
  hosts?: { name: string; count: number }[] | undefined;
};

const FIRST = 8;
const ROW = 34;
/** Of the first rows, for what stands in their place until they are known. */
export const SHARES_HEIGHT = ROW * FIRST;
/** Changes against fewer clicks mean little. */
const FEW = 30;

type Props = {
  items: readonly Counted[];
  /** Rows are links, which have pages. */
  isLinks: boolean;
  /** Name of what has none. */
  rest: ReactNode;
  onChoose(item: Counted): void;
  onHost?(host: string): void;
};

/** Names with their counts, the most frequent first. Each is a filter. */
export function SharesList({ items, isLinks, rest, onChoose, onHost }: Props) {
  const { t } = useLingui();
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? items : items.slice(0, FIRST);
  const more = items.length - FIRST;
  return (
    <>
      <ul className={classes["shares"]}>
        {shown.map((item) => (
          <Fragment key={item.key}>
            <li className={classes["share"]}>
              {item.value !== undefined && (
                <div className={classes["bar"]} style={{ width: `${Math.min(100, item.percentage)}%` }} />
              )}
              <Name item={item} isLink={isLinks} rest={rest} onChoose={onChoose} />
              <Numbers item={item} />
              {isLinks && item.value !== undefined && <ToLink {...item.value} />}
            </li>
            {item.hosts?.map(({ name, count }) => (
              <li key={name} className={`${classes["share"]} ${classes["host"]}`}>
                <UnstyledButton
                  className={`${classes["name"]} ${classes["choice"]}`}
                  title={t`Only ${name}`}
                  onClick={() => onHost?.(name)}
                >
                  {name}
                </UnstyledButton>
                <span className={classes["count"]}>{formatNumber(count)}</span>
              </li>
            ))}
          </Fragment>
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

type NameProps = { item: Counted; isLink: boolean; rest: ReactNode; onChoose(item: Counted): void };

function Name({ item, isLink, rest, onChoose }: NameProps) {
  const { t } = useLingui();
  const { name, value } = item;
  if (name === null || value === undefined) {
    return <span className={classes["name"]}>{rest}</span>;
  }
  return (
    <UnstyledButton
      className={`${classes["name"]} ${classes["choice"]}`}
      title={t`Only ${name}`}
      dir="auto"
      onClick={() => onChoose(item)}
    >
      {isLink ? <CodeName code={name} domain={value.domain} /> : name}
    </UnstyledButton>
  );
}

const Numbers = ({ item: { count, percentage, before } }: { item: Counted }) => (
  <span className={classes["count"]}>
    {before !== undefined && (
      <span className={classes["change"]} data-few={before < FEW || undefined} title={formatNumber(before)}>
        {before > 0 && formatPercent(count / before - 1)}
      </span>
    )}
    <span className={classes["counted"]}>{formatNumber(count)}</span>
    <span className={classes["percent"]}>{formatShare(percentage)}</span>
  </span>
);

function ToLink({ value, domain }: Value) {
  const { t } = useLingui();
  return (
    <AnchorLink
      to="/link/$"
      params={{ _splat: value }}
      search={domain ? { domain } : {}}
      aria-label={t`Open ${value}`}
      className={classes["toLink"]!}
    >
      <IconArrowUpRight size={16} />
    </AnchorLink>
  );
}
