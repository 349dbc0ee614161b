import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Group, NativeSelect, Paper, Stack, Text, TextInput } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash, IconX } from "@tabler/icons-react";
import { useState } from "react";
import type { Link, LinkRule } from "../../base/api.ts";
import { useSentence } from "../../ui/failure.tsx";
import { ChangedNotice } from "../form/changed-elsewhere.tsx";
import { ChangedElsewhere } from "../link-queries.ts";
import {
  CONDITIONS,
  type ConditionName,
  type DraftRule,
  draftOf,
  EXAMPLES,
  newRule,
  rulesOf,
} from "./rule-text.ts";
import { useConditionTexts } from "./condition-texts.ts";
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
  const change = (at: number, next: Partial<DraftRule>) =>
    setRules(rules.map((rule, index) => (index === at ? { ...rule, ...next } : rule)));
  const move = (at: number, to: number) => setRules(moved(rules, at, to));
  return (
    <Stack gap="sm">
      <form
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
              onChange={(next) => change(at, next)}
              onUp={at > 0 ? () => move(at, at - 1) : null}
              onDown={at < rules.length - 1 ? () => move(at, at + 1) : null}
              onRemove={() => setRules(rules.filter((_, index) => index !== at))}
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
              variant="default"
              size="xs"
              leftSection={<IconPlus size={14} />}
              disabled={rules.length >= MOST_RULES}
              onClick={() => setRules([...rules, newRule()])}
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

function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, at) => at !== from);
  return [...rest.slice(0, to), list[from]!, ...rest.slice(to)];
}

type RuleProps = {
  rule: DraftRule;
  number: number;
  onChange(next: Partial<DraftRule>): void;
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
            variant="subtle"
            color="gray"
            aria-label={t`Move rule ${number} up`}
            disabled={!onUp}
            onClick={onUp ?? undefined}
          >
            <IconArrowUp size={16} />
          </ActionIcon>
          <ActionIcon
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
      </Group>
      <Stack gap="xs" pt="xs">
        {conditions.map(({ name, text }, at) => (
          <Group key={name} gap="xs" wrap="nowrap" align="end">
            <NativeSelect
              size="xs"
              aria-label={t`Condition`}
              value={name}
              data={[name, ...unused].map((value) => ({ value, label: texts[value] }))}
              onChange={(event) => set(at, { name: event.currentTarget.value as ConditionName, text: "" })}
            />
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
              onClick={() => onChange({ conditions: conditions.filter((_, index) => index !== at) })}
            >
              <IconX size={16} />
            </ActionIcon>
          </Group>
        ))}
        <Group gap="xs" wrap="nowrap" align="end">
          <TextInput
            size="xs"
            flex={1}
            label={t`Target`}
            description={t`An address, or share:code for a share of the same account.`}
            value={rule.target}
            onChange={(event) => onChange({ target: event.currentTarget.value })}
          />
          <Button
            variant="subtle"
            size="xs"
            disabled={unused.length === 0}
            onClick={() => onChange({ conditions: [...conditions, { name: unused[0]!, text: "" }] })}
          >
            <Trans>Add a condition</Trans>
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
