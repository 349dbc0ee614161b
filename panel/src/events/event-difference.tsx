import { Trans, useLingui } from "@lingui/react/macro";
import { Text } from "@mantine/core";
import type { Event } from "../base/api.ts";
import { formatBytes, formatList, formatTime } from "../base/i18n.ts";
import { useTargetUse } from "../links/target-use.tsx";
import { useFieldNames } from "./event-texts.ts";
import classes from "./events.module.css";

type Row = { field: string; before: unknown; after: unknown };

/** Fields that differ; for something made or deleted, all that have a value. */
function rowsOf({ before, after }: Event): Row[] {
  return Object.keys({ ...before, ...after })
    .map((field) => ({ field, before: before?.[field], after: after?.[field] }))
    .filter((row) => JSON.stringify(row.before ?? null) !== JSON.stringify(row.after ?? null));
}

/** What an event changed, field by field. */
export function EventDifference({ event }: { event: Event }) {
  const rows = rowsOf(event);
  const names = useFieldNames();
  const isChange = event.before !== undefined && event.after !== undefined;
  if (rows.length === 0) return null;
  const list = (
    <dl className={classes["difference"]} data-short={isShort(event, rows) || undefined}>
      {rows.map(({ field, before, after }) => (
        <div key={field}>
          <dt title={field}>{names[field] ?? field}</dt>
          <dd>
            {event.before !== undefined && <Value field={field} value={before} isGone />}
            {isChange && " → "}
            {event.after !== undefined && <Value field={field} value={after} />}
          </dd>
        </div>
      ))}
    </dl>
  );
  if (isShort(event, rows)) return list;
  return (
    <details className={classes["details"]}>
      <summary title={rows.map(({ field }) => field).join(", ")}>
        {formatList(rows.map(({ field }) => names[field] ?? field))}
      </summary>
      {list}
    </details>
  );
}

/** A change of a few fields is told at once, a line each. */
const MOST_AT_ONCE = 3;
const isShort = ({ before, after }: Event, rows: readonly Row[]): boolean =>
  before !== undefined && after !== undefined && rows.length <= MOST_AT_ONCE;

type ValueProps = { field: string; value: unknown; isGone?: boolean };

function Value({ field, value, isGone = false }: ValueProps) {
  const { t } = useLingui();
  const useOf = useTargetUse();
  const text =
    (field === "target" && typeof value === "string" ? useOf(value) : null) ??
    (value === 0 && BYTES.has(field) ? t`Unlimited` : shownText(field, value)) ??
    textOf(value, { yes: t`yes`, no: t`no` });
  if (text === "") {
    return (
      <Text span size="sm" c="dimmed">
        <Trans>nothing</Trans>
      </Text>
    );
  }
  return isGone ? <del>{text}</del> : <ins>{text}</ins>;
}

/** Times and sizes in the panel's formats. */
function shownText(field: string, value: unknown): string | undefined {
  if (typeof value === "string" && field.endsWith("_at")) return formatTime(value);
  return typeof value === "number" && BYTES.has(field) ? formatBytes(value) : undefined;
}

const BYTES = new Set(["max_bytes", "max_file_size", "quota_bytes"]);

function textOf(value: unknown, words: { yes: string; no: string }): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? words.yes : words.no;
  if (Array.isArray(value)) return formatList(value.map((item) => textOf(item, words)));
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
