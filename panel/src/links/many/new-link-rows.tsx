import { useLingui } from "@lingui/react/macro";
import { ActionIcon, Text, TextInput, VisuallyHidden } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useSentence } from "../../ui/failure.tsx";
import type { NewRow } from "./make-links.ts";
import classes from "./many.module.css";
import type { PastedLink } from "./pasted-links.ts";

type RowsProps = {
  rows: readonly NewRow[];
  onChange(key: number, next: Partial<PastedLink>): void;
  onRemove(key: number): void;
};

/** The fields of new links, a row each. */
export function NewLinkRows({ rows, onChange, onRemove }: RowsProps) {
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const columns = [
    { name: "target", label: t`Target`, hint: "https://", most: 8192 },
    { name: "code", label: t`Code`, hint: t`Random`, most: 128 },
    { name: "title", label: t`Title`, hint: t`Title`, most: 200 },
    { name: "tags", label: t`Tags`, hint: t`spring, mail`, most: 1100 },
  ] as const;
  return (
    <div role="table" aria-label={t`New links`} className={classes["table"]}>
      <div role="row" className={classes["head"]}>
        {columns.map(({ name, label }) => (
          <span key={name} role="columnheader">
            {label}
          </span>
        ))}
        <span role="columnheader">
          <VisuallyHidden>{t`Remove`}</VisuallyHidden>
        </span>
      </div>
      {rows.map((row, at) => (
        <div key={row.key} role="row" className={classes["row"]}>
          {columns.map(({ name, label, hint, most }) => (
            <div key={name} role="cell" data-column={name}>
              <TextInput
                size="xs"
                aria-label={t`${label}, link ${at + 1}`}
                placeholder={hint}
                value={row[name]}
                error={row.errors[name]}
                maxLength={most}
                spellCheck={name === "title"}
                autoCapitalize={name === "title" ? "sentences" : "none"}
                onChange={(event) => onChange(row.key, { [name]: event.currentTarget.value })}
              />
            </div>
          ))}
          <div role="cell" data-column="remove">
            <ActionIcon
              variant="subtle"
              color="gray"
              size={30}
              aria-label={t`Remove link ${at + 1}`}
              onClick={() => onRemove(row.key)}
            >
              <IconX size={16} />
            </ActionIcon>
          </div>
          {row.errors.other !== undefined && (
            <Text role="cell" size="xs" c="var(--mantine-color-error)" className={classes["failure"]!}>
              {sentenceOf(row.errors.other)}
            </Text>
          )}
        </div>
      ))}
    </div>
  );
}
