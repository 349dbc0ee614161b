import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Group, Stack, TextInput } from "@mantine/core";
import { useEffect, useRef } from "react";
import { IconArrowDown, IconArrowUp, IconTrash, IconX } from "@tabler/icons-react";
import { useConditionTexts } from "../form/condition-texts.ts";
import { type ConditionName, CONDITIONS } from "../form/condition-value.ts";
import { useOpenEditor } from "../../ui/keys/page-keys.ts";
import { MOST_TYPED } from "../form/target-bound.ts";
import { withScheme } from "../form/with-scheme.ts";
import { ConditionMenu } from "./condition-menu.tsx";
import { type DraftRule, namesIn, type RuleErrors, withEmpty } from "./draft.ts";
import { ConditionPicker } from "./pickers.tsx";

type Props = {
  rule: DraftRule;
  /** From 0. */
  at: number;
  errors: RuleErrors;
  onChange(next: DraftRule, field: ConditionName | "target"): void;
  /** Null at the end of the list. */
  onUp: (() => void) | null;
  onDown: (() => void) | null;
  onRemove(): void;
  onClose(): void;
  /** The field that has the focus at first. The choices of a condition are then open. */
  newest: ConditionName | "target" | null;
};

/** The fields of one rule: whom it means, and where it leads them. */
export function RuleFields({ rule, at, errors, onChange, onUp, onDown, onRemove, onClose, newest }: Props) {
  const { t } = useLingui();
  const texts = useConditionTexts();
  const number = at + 1;
  const names = namesIn(rule.if);
  const fields = useRef<HTMLDivElement>(null);
  const focus = (field: string): void =>
    fields.current?.querySelector<HTMLElement>(`[data-rule-field=${field}] input`)?.focus();
  useOpenEditor(onClose);
  useEffect(() => {
    if (newest !== null) focus(newest);
  }, [newest]);
  const removalOf = (condition: string): string => t`Remove the condition ${condition}`;
  return (
    <Stack
      ref={fields}
      gap="xs"
      p="sm"
      role="group"
      aria-label={t`Rule ${number}`}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || event.nativeEvent.isComposing) return;
        event.preventDefault();
        // An open list or menu closes first.
        if (event.currentTarget.querySelector("[aria-expanded=true]") === null) onClose();
      }}
    >
      {names.map((name) => (
        <Group key={name} data-rule-field={name} gap={4} wrap="nowrap" align="start">
          <div style={{ flex: 1, minWidth: 0 }}>
            <ConditionPicker
              name={name}
              value={rule.if[name]}
              error={errors[`${at}.${name}`]}
              isNew={name === newest}
              onFirst={() => rule.target === "" && focus("target")}
              onChange={(value) => onChange({ ...rule, if: { ...rule.if, [name]: value } }, name)}
            />
          </div>
          {names.length > 1 && (
            <ActionIcon
              mt={27}
              variant="subtle"
              color="gray"
              aria-label={removalOf(texts[name])}
              onClick={() => {
                const { [name]: _, ...others } = rule.if;
                onChange({ ...rule, if: others }, name);
              }}
            >
              <IconX size={16} />
            </ActionIcon>
          )}
        </Group>
      ))}
      <ConditionMenu
        label={<Trans>Add a condition</Trans>}
        names={CONDITIONS.filter((name) => !names.includes(name))}
        onChoose={(name) => onChange({ ...rule, if: withEmpty(rule.if, name) }, name)}
      />
      <TextInput
        wrapperProps={{ "data-rule-field": "target" }}
        label={t`Leads to`}
        description={t`A URL. For a share, type share: and its code.`}
        error={errors[`${at}.target`]}
        placeholder="https://"
        inputMode="url"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={MOST_TYPED}
        value={rule.target}
        onChange={({ currentTarget }) => onChange({ ...rule, target: currentTarget.value }, "target")}
        onBlur={() => {
          const whole = withScheme(rule.target);
          if (whole !== rule.target) onChange({ ...rule, target: whole }, "target");
        }}
      />
      <Group gap={4}>
        <ActionIcon
          data-up
          variant="subtle"
          color="gray"
          aria-label={t`Move rule ${number} up`}
          disabled={!onUp}
          onClick={onUp ?? undefined}
        >
          <IconArrowUp size={16} />
        </ActionIcon>
        <ActionIcon
          data-down
          variant="subtle"
          color="gray"
          aria-label={t`Move rule ${number} down`}
          disabled={!onDown}
          onClick={onDown ?? undefined}
        >
          <IconArrowDown size={16} />
        </ActionIcon>
        <ActionIcon variant="subtle" color="red" aria-label={t`Remove rule ${number}`} onClick={onRemove}>
          <IconTrash size={16} />
        </ActionIcon>
      </Group>
    </Stack>
  );
}
