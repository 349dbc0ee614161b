import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Group, NativeSelect, Paper, Stack, Text, TextInput } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import type { Link, LinkRule } from "../../base/api.ts";
import { useSentence } from "../../ui/failure.tsx";
import { ChangedNotice } from "../form/changed-elsewhere.tsx";
import { ChangedElsewhere } from "../link-queries.ts";
import { CONDITIONS, type DraftRule, draftOf, EXAMPLES, newRule, rulesOf } from "../form/rule-text.ts";
import { useConditionTexts } from "../form/condition-texts.ts";
import type { ConditionName } from "../form/condition-value.ts";
import { Explain } from "./explain.tsx";

const MOST_RULES = 32;

type Props = {
  link: Link;
  /** Why the rules were not saved. */
  error: Error | null;
  isSaving: boolean;
  /** @param over what somebody else has made of the link meanwhile */
  onSave(rules: LinkRule[] | null, over?: Link): void;
  onClose(): void;
};

/** The rules of a link in their order, and where it leads somebody. */
export function RulesEditor({ link, error, isSaving, onSave, onClose }: Props) {
  const { t } = useLingui();
  const [rules, setRules] = useState<DraftRule[]>(() => draftOf(link.rules ?? []));
  const sentenceOf = useSentence();
  const save = (over?: Link) => onSave(rules.length === 0 ? null : rulesOf(rules), over);
  const form = useRef<HTMLFormElement>(null);
  /** Where the focus goes when the form has changed. */
  const focus = useRef<string | null>("select, [data-add]");
  useEffect(() => {
    if (focus.current !== null) form.current?.querySelector<HTMLElement>(focus.current)?.focus();
    focus.current = null;
  });
  function change(at: number, next: Partial<DraftRule>, condition?: number): void {
    if (condition !== undefined) focus.current = `${sectionOf(at)} [data-condition="${condition}"] select`;
    setRules(rules.map((rule, index) => (index === at ? { ...rule, ...next } : rule)));
  }
  function move(at: number, to: number): void {
    const [way, back] = to < at ? ["up", "down"] : ["down", "up"];
    focus.current = `${sectionOf(to)} [data-${to === 0 || to === rules.length - 1 ? back : way}]`;
    setRules(moved(rules, at, to));
  }
  function remove(at: number): void {
    focus.current = `${sectionOf(at)} [data-remove], [data-add]`;
    setRules(rules.filter((_, index) => index !== at));
  }
  function add(): void {
    focus.current = `${sectionOf(rules.length)} select`;
    setRules([...rules, newRule()]);
  }
  return (
    <Stack gap="sm">
      <form
        ref={form}
        aria-label={t`Rules`}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Stack gap="sm">
          {rules.map((rule, at) => (
            <RuleFields
              key={rule.id}
              rule={rule}
              number={at + 1}
              onChange={(next, condition) => change(at, next, condition)}
              onUp={at > 0 ? () => move(at, at - 1) : null}
              onDown={at < rules.length - 1 ? () => move(at, at + 1) : null}
              onRemove={() => remove(at)}
            />
          ))}
          <ChangedNotice error={error} label={t`Rules`} onMine={save} onTheirs={onClose} />
          {error !== null && !(error instanceof ChangedElsewhere) && (
            <Text size="sm" c="red" role="alert">
              {sentenceOf(error)}
            </Text>
          )}
          <Group gap="xs">
            <Button
              data-add
              variant="default"
              size="xs"
              leftSection={<IconPlus size={14} />}
              disabled={rules.length >= MOST_RULES}
              onClick={add}
            >
              <Trans>Add a rule</Trans>
            </Button>
            <Button type="submit" size="xs" loading={isSaving}>
              <Trans>Save</Trans>
            </Button>
            <Button variant="subtle" color="gray" size="xs" onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
      <Explain link={link} />
    </Stack>
  );
}

/** By the index of its rule. The form is within a section of the page. */
const sectionOf = (at: number): string => `:scope section:nth-of-type(${at + 1})`;

function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, at) => at !== from);
  return [...rest.slice(0, to), list[from]!, ...rest.slice(to)];
}

type RuleProps = {
  rule: DraftRule;
  number: number;
  /** @param condition index of the one that gets the focus */
  onChange(next: Partial<DraftRule>, condition?: number): void;
  /** Null at the end of the list. */
  onUp: (() => void) | null;
  onDown: (() => void) | null;
  onRemove(): void;
};

function RuleFields({ rule, number, onChange, onUp, onDown, onRemove }: RuleProps) {
  const { t } = useLingui();
  const texts = useConditionTexts();
  const { conditions } = rule;
  const removalOf = (condition: string): string => t`Remove the condition ${condition}`;
  const unused = CONDITIONS.filter((name) => conditions.every((one) => one.name !== name));
  const set = (at: number, next: Partial<DraftRule["conditions"][number]>) =>
    onChange({ conditions: conditions.map((one, index) => (index === at ? { ...one, ...next } : one)) });
  return (
    <Paper withBorder p="sm" component="section" aria-label={t`Rule ${number}`}>
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" fw={500}>
          <Trans>Rule {number}</Trans>
        </Text>
        <Group gap={4} wrap="nowrap">
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
          <ActionIcon
            data-remove
            variant="subtle"
            color="red"
            aria-label={t`Remove rule ${number}`}
            onClick={onRemove}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      </Group>
      <Stack gap="xs" pt="xs">
        {conditions.map(({ name, text }, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a choice keeps the focus when its condition changes
          <Group key={at} data-condition={at} gap="xs">
            <NativeSelect
              size="xs"
              flex="0 0 11rem"
              aria-label={t`Condition`}
              value={name}
              data={[name, ...unused].map((value) => ({ value, label: texts[value] }))}
              onChange={(event) => set(at, { name: event.currentTarget.value as ConditionName, text: "" })}
            />
            <Group gap="xs" wrap="nowrap" flex="1 1 14rem">
              <TextInput
                size="xs"
                flex={1}
                aria-label={texts[name]}
                placeholder={EXAMPLES[name]}
                value={text}
                onChange={(event) => set(at, { text: event.currentTarget.value })}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={removalOf(texts[name])}
                disabled={conditions.length === 1}
                onClick={() =>
                  onChange(
                    { conditions: conditions.filter((_, index) => index !== at) },
                    Math.min(at, conditions.length - 2),
                  )
                }
              >
                <IconX size={16} />
              </ActionIcon>
            </Group>
          </Group>
        ))}
        <Button
          variant="subtle"
          size="compact-xs"
          style={{ alignSelf: "start" }}
          disabled={unused.length === 0}
          onClick={() =>
            onChange({ conditions: [...conditions, { name: unused[0]!, text: "" }] }, conditions.length)
          }
        >
          <Trans>Add a condition</Trans>
        </Button>
        <TextInput
          size="xs"
          label={t`Target`}
          description={number === 1 && t`A URL, or share:code for a share of the same account.`}
          value={rule.target}
          onChange={(event) => onChange({ target: event.currentTarget.value })}
        />
      </Stack>
    </Paper>
  );
}
