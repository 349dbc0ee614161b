import { Trans } from "@lingui/react/macro";
import { Text, VisuallyHidden } from "@mantine/core";
import type { Event } from "../base/api.ts";
import { listComma } from "../base/i18n.ts";
import { useShownValue } from "../links/form/shown-value.ts";
import { changedFields, isNewSecret } from "../ui/forms/changed-fields.ts";
import { useFieldNames } from "./event-texts.ts";
import classes from "./events.module.css";

/** The event itself says when, and of what. */
const LEFT_OUT = new Set(["id", "created_at", "updated_at"]);

/** Fields that differ; for something made or deleted, all that have a value. */
function fieldsOf(event: Event): string[] {
  const { before, after } = event;
  const one = before ?? after ?? {};
  const fields =
    before !== undefined && after !== undefined
      ? changedFields(event)
      : Object.keys(one).filter((field) => one[field] !== null);
  return fields.filter((field) => !LEFT_OUT.has(field));
}

/** What an event changed, field by field. */
export function EventDifference({ event }: { event: Event }) {
  const fields = fieldsOf(event);
  const names = useFieldNames();
  const { before, after } = event;
  const isChange = before !== undefined && after !== undefined;
  if (fields.length === 0) return null;
  const list = (
    <dl className={classes["difference"]} data-short={isShort(event, fields) || undefined}>
      {fields.map((field) => (
        <div key={field}>
          <dt title={field}>{names[field] ?? field}</dt>
          <dd>
            {isNewSecret(event, field) ? (
              <Trans>Changed</Trans>
            ) : (
              <>
                {before !== undefined && (
                  <Value field={field} value={before[field]} as={isChange ? "del" : "span"} />
                )}
                {isChange && (
                  <>
                    <span aria-hidden> → </span>
                    <VisuallyHidden>
                      <Trans context="from one value to another">to</Trans>{" "}
                    </VisuallyHidden>
                  </>
                )}
                {after !== undefined && (
                  <Value field={field} value={after[field]} as={isChange ? "ins" : "span"} />
                )}
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
  if (isShort(event, fields)) return list;
  return (
    <details>
      <summary title={fields.join(", ")}>
        {fields.map((field) => names[field] ?? field).join(listComma())}
      </summary>
      {list}
    </details>
  );
}

/** A single field, or a change of a few, is told at once, a line each. */
const MOST_AT_ONCE = 3;
const isShort = ({ before, after }: Event, { length }: readonly string[]): boolean =>
  length <= (before !== undefined && after !== undefined ? MOST_AT_ONCE : 1);

type ValueProps = { field: string; value: unknown; as: "del" | "ins" | "span" };

function Value({ field, value, as: Kind }: ValueProps) {
  const text = useShownValue()(field, value);
  if (text === null) {
    return (
      <Text span size="sm" c="dimmed">
        <Trans>Not set</Trans>
      </Text>
    );
  }
  return <Kind>{text}</Kind>;
}
