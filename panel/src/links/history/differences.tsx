import { useLingui } from "@lingui/react/macro";
import { Text } from "@mantine/core";
import type { Event } from "../../base/api.ts";
import { changedFields, isNewSecret } from "../../ui/forms/changed-fields.ts";
import { useFieldTexts, useLimitNames } from "../form/field-texts.ts";
import { useShownValue } from "../form/shown-value.ts";

/** Characters; a target may have thousands. */
const MOST_SHOWN = 160;

/** Each field that a change changed, before and after. */
export function Differences({ event }: { event: Pick<Event, "before" | "after"> }) {
  const { t } = useLingui();
  const texts: Record<string, { label: string }> = useFieldTexts();
  const limits = useLimitNames();
  const shownOf = useShownValue();
  const { before = {}, after = {} } = event;
  return changedFields(event).map((name) => {
    const [was, now] = [before, after].map((state) => shownOf(name, state[name]) ?? t`Not set`);
    const is = isNewSecret(event, name) ? t`Changed` : now!;
    return (
      <Text key={name} size="sm" style={{ overflowWrap: "anywhere" }}>
        <Text span c="dimmed">
          {Object.hasOwn(texts, name) ? texts[name]!.label : (limits[name] ?? name)}:
        </Text>{" "}
        {!isNewSecret(event, name) && (
          <>
            <del style={{ color: "var(--mantine-color-dimmed)" }} title={was}>
              {cut(was!)}
            </del>
            {" → "}
          </>
        )}
        <ins style={{ textDecoration: "none" }} title={is}>
          {cut(is)}
        </ins>
      </Text>
    );
  });
}

const cut = (text: string): string => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);
