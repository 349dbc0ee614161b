import { Trans, useLingui } from "@lingui/react/macro";
import { VisuallyHidden } from "@mantine/core";
import { IconArrowsSplit, IconCopy, IconDots, IconLock } from "@tabler/icons-react";
import { useRouter } from "@tanstack/react-router";
import { memo } from "react";
import type { Link } from "../../base/api.ts";
import { formatDate, formatNumber, formatTime } from "../../base/i18n.ts";
import { serverNow } from "../../base/server-clock.ts";
import { MiddleCut } from "../../ui/middle-cut.tsx";
import { useRuleText } from "../form/condition-texts.ts";
import { isAddress, TargetUse } from "../../ui/lists/target-use.tsx";
import { useSafetyNames } from "../safety-names.ts";
import type { ColumnName, LinkColumn } from "./columns.ts";
import classes from "./list.module.css";
import { PersonName } from "../../ui/person-name.tsx";
import type { Sort } from "../link-search.ts";

type Props = {
  row: number;
  /** Undefined while it is loading. */
  link: Link | undefined;
  columns: readonly LinkColumn[];
  height: number;
  isActive: boolean;
  isSelected: boolean;
  /** Whether visitors have to give the passwords of links. */
  asksPasswords: boolean;
  /** By which the reader has sorted the list. */
  sorted?: Sort | undefined;
};

/** The cells that name a row: an arrow key reads them, not every action. */
const NAMING: ReadonlySet<ColumnName> = new Set(["code", "target", "people", "clicks"]);

const nameOf = ({ code, domain }: Link): string => (domain === null ? code : `${domain}/${code}`);

export const rowId = (row: number): string => `link-row-${row}`;

/** One link. `data-action` names what is pressed in it; the grid listens. */
export const LinkRow = memo(function LinkRow(props: Props) {
  const { row, link, columns, height, isActive, isSelected, asksPasswords, sorted } = props;
  const { t } = useLingui();
  if (link === undefined) return <LoadingRow row={row} columns={columns} height={height} />;
  const tab = isActive ? 0 : -1;
  const id = rowId(row);
  const naming = columns.filter((column) => NAMING.has(column.name));
  const withTarget = !columns.some(({ name }) => name === "target");
  return (
    <div
      role="row"
      id={id}
      aria-labelledby={naming.map((column) => `${id}-${column.name}`).join(" ")}
      aria-rowindex={row + 2}
      aria-selected={isSelected}
      data-row={row}
      data-active={isActive || undefined}
      className={classes["row"]}
      style={{ height }}
    >
      <div role="gridcell" className={classes["check"]}>
        <input
          type="checkbox"
          data-action="toggle"
          aria-label={t`Select ${nameOf(link)}`}
          checked={isSelected}
          readOnly
          tabIndex={tab}
        />
      </div>
      {columns.map(({ name: column, label, hint, isNumber, sort }) => (
        <div
          key={column}
          id={`${id}-${column}`}
          role={column === "code" ? "rowheader" : "gridcell"}
          data-cell={column}
          data-label={label}
          title={hint}
          data-sorted={(sort !== undefined && sort === sorted) || undefined}
          className={isNumber ? `${classes["cell"]} ${classes["number"]}` : classes["cell"]}
        >
          <Cell name={column} {...{ link, tab, asksPasswords, withTarget }} />
        </div>
      ))}
      <div role="gridcell" className={classes["actions"]}>
        <button
          type="button"
          data-action="copy"
          tabIndex={tab}
          className={classes["button"]}
          aria-label={t`Copy ${link.short_url}`}
        >
          <IconCopy size={16} aria-hidden />
        </button>
        <button
          type="button"
          data-action="menu"
          tabIndex={tab}
          className={classes["button"]}
          aria-haspopup="menu"
          aria-label={t`Actions for ${nameOf(link)}`}
        >
          <IconDots size={16} aria-hidden />
        </button>
      </div>
    </div>
  );
});

type CellProps = {
  link: Link;
  tab: number;
  asksPasswords: boolean;
  /** The target has no column. */
  withTarget: boolean;
};

function Cell({ name, ...shown }: CellProps & { name: ColumnName }) {
  const { link } = shown;
  switch (name) {
    case "code":
      return <CodeCell {...shown} />;
    case "target":
      return (
        <>
          <span
            className={`${classes["cut"]} ${classes["soft"]}`}
            title={isAddress(link.target) ? link.target : undefined}
          >
            <Target link={link} />
          </span>
          <RulesSign link={link} />
        </>
      );
    case "tags":
      return <Tags tags={link.tags} tab={shown.tab} />;
    case "clicks":
      return formatNumber(link.click_count);
    case "people":
      return formatNumber(link.human_clicks);
    case "created":
      return <Day time={link.created_at} />;
    case "expires":
      return link.expires_at === null ? null : <Day time={link.expires_at} />;
    case "owner":
      return (
        <span className={`${classes["cut"]} ${classes["soft"]}`}>
          {link.owner !== null && <PersonName of={link.owner} />}
        </span>
      );
  }
}

const Target = ({ link: { target } }: { link: Link }) => (
  <TargetUse target={target.replace(/^https?:\/\//, "")} />
);

/** Characters of a code that may lack room, and of its end, which tells it from others. */
const LONG_CODE = 25;
const CODE_TAIL = 10;

function CodeCell({ link, tab, asksPasswords, withTarget }: CellProps) {
  const { t } = useLingui();
  const router = useRouter();
  const { publicHref } = router.buildLocation({
    to: "/link/$",
    params: { _splat: link.code },
    search: link.domain === null ? {} : { domain: link.domain },
  });
  const code = (
    <>
      {link.code.length > LONG_CODE ? (
        <bdi className={classes["long"]}>
          <MiddleCut text={link.code} tail={CODE_TAIL} />
        </bdi>
      ) : (
        <bdi>{link.code}</bdi>
      )}
      {link.title !== null && link.domain !== null && ` · ${link.domain}`}
    </>
  );
  const target = withTarget && <Target link={link} />;
  return (
    <>
      <a
        href={router.history.createHref(publicHref)}
        data-action="page"
        tabIndex={tab}
        className={`${classes["lines"]} ${classes["code"]}`}
        title={link.short_url}
      >
        {link.title !== null && (
          <span dir="auto" className={classes["title"]}>
            {link.title}
          </span>
        )}
        {link.title !== null && <VisuallyHidden>,</VisuallyHidden>}
        {link.title === null ? (
          code
        ) : (
          <small>
            {code}
            {target && <> · {target}</>}
          </small>
        )}{" "}
        {link.title === null && (link.domain !== null || withTarget) && (
          <small>
            {link.domain}
            {link.domain !== null && target && " · "}
            {target}
          </small>
        )}
      </a>
      {(asksPasswords || !isAddress(link.target)) && link.password !== null && (
        <IconLock size={14} role="img" aria-label={t`With a password`} className={classes["sign"]} />
      )}
      <StateSign link={link} />
    </>
  );
}

/** The target is not the only one: how many rules there are. Their sentences are its tooltip. */
function RulesSign({ link: { rules } }: { link: Link }) {
  const textOf = useRuleText();
  if (!rules?.length) return null;
  const sentences = rules.map(textOf);
  return (
    <span
      role="img"
      aria-label={sentences.join("; ")}
      title={sentences.join("\n")}
      className={`${classes["state"]} ${classes["rules"]}`}
    >
      <IconArrowsSplit size={14} aria-hidden />
      {formatNumber(rules.length)}
    </span>
  );
}

function StateSign({ link }: { link: Link }) {
  const names = useSafetyNames();
  const safety = link.held?.state ?? (link.dead_since === null ? null : "dead");
  if (safety !== null) {
    return (
      <span className={classes["state"]} title={names[safety]}>
        {safety === "waiting" ? (
          <Trans>Waiting</Trans>
        ) : safety === "dead" ? (
          <Trans>Dead</Trans>
        ) : (
          names[safety]
        )}
      </span>
    );
  }
  const now = serverNow();
  if (link.expires_at !== null && Date.parse(link.expires_at) <= now) {
    return (
      <span className={classes["state"]}>
        <Trans>Expired</Trans>
      </span>
    );
  }
  if (link.starts_at === null || Date.parse(link.starts_at) <= now) return null;
  return (
    <span className={classes["state"]}>
      <Trans>Not yet</Trans>
    </span>
  );
}

const SHOWN_TAGS = 2;

function Tags({ tags, tab }: { tags: readonly string[]; tab: number }) {
  const { t } = useLingui();
  return (
    <span className={classes["tags"]} title={tags.join(", ")}>
      {tags.slice(0, SHOWN_TAGS).map((tag) => (
        <button
          key={tag}
          type="button"
          data-action="tag"
          data-tag={tag}
          tabIndex={tab}
          aria-label={t`Links with the tag ${tag}`}
          className={classes["tag"]}
        >
          {tag}
        </button>
      ))}
      {tags.length > SHOWN_TAGS && (
        <span className={classes["more"]}>+{formatNumber(tags.length - SHOWN_TAGS)}</span>
      )}
    </span>
  );
}

/** Its time is written when the pointer comes: the first format of a browser takes a while. */
const Day = ({ time }: { time: string }) => (
  <time
    dateTime={time}
    onPointerEnter={({ currentTarget }) => (currentTarget.title = formatTime(time))}
    className={classes["soft"]}
  >
    {formatDate(time)}
  </time>
);

function LoadingRow({ row, columns, height }: Pick<Props, "row" | "columns" | "height">) {
  return (
    <div role="row" aria-rowindex={row + 2} aria-busy className={classes["row"]} style={{ height }}>
      <div role="gridcell" className={classes["check"]} />
      {columns.map(({ name }) => (
        <div key={name} role="gridcell" data-cell={name} className={classes["cell"]}>
          <span className={classes["bone"]} />
        </div>
      ))}
      <div role="gridcell" className={classes["actions"]} />
    </div>
  );
}
