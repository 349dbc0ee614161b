import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { Suspense, useRef, useState } from "react";
import { ApiError, type Link } from "../../base/api.ts";
import { lazyOrFailure, soonPart } from "../../base/lazy.ts";
import { useSentence } from "../../ui/failure.tsx";
import { DraftNotice } from "../../ui/forms/draft-notice.tsx";
import { submitByKey } from "../../ui/keys/submit-key.ts";
import { ChangedNotice } from "../form/changed-elsewhere.tsx";
import { useConditionTexts } from "../form/condition-texts.ts";
import { type ConditionName, CONDITIONS } from "../form/condition-value.ts";
import type { OnLinkSaved } from "../link-queries.ts";
import { ConditionIcon } from "./choices.tsx";
import { Decides } from "./decides.tsx";
import { MOST_RULES, rulesOf } from "./draft.ts";
import { ConditionMenu } from "./condition-menu.tsx";
import { RuleSentence } from "./rule-sentence.tsx";
import classes from "./rules.module.css";
import { useRules } from "./use-rules.ts";

const RuleFields = soonPart(async () => (await import("./rule-fields.tsx")).RuleFields);
const VisitAs = lazyOrFailure(async () => (await import("./visit-as.tsx")).VisitAs);

/** Offered beside the menu of all. */
const SHOWN = 3;

type Props = {
  link: Link;
  onSaved: OnLinkSaved;
  /** Whether the target decides for the visitor that is asked for. */
  onTargetLit(isLit: boolean): void;
};

/** The rules of a link as sentences, edited in place, and where they lead somebody. */
export function RulesPart({ link, onSaved, onTargetLit }: Props) {
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const form = useRef<HTMLFormElement>(null);
  const [lit, setLit] = useState<number | null>(null);
  const edited = useRules(link, onSaved, form);
  const { rules, errors, whole, opened, saving, failure, change, move, save, startAnew } = edited;
  return (
    <form
      ref={form}
      aria-label={t`Rules`}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={submitByKey}
    >
      <Stack gap="xs">
        {edited.isRestored && <DraftNotice isOfExisting onDiscard={startAnew} />}
        {rules.length > 0 && (
          <ol className={classes["sentences"]}>
            {rules.map((rule, at) => (
              <li
                key={rule.id}
                className={classes["sentence"]}
                data-open={rule.id === opened.openId || undefined}
              >
                <button
                  type="button"
                  className={classes["line"]}
                  data-sentence={at}
                  aria-expanded={rule.id === opened.openId}
                  onClick={({ target }) => {
                    const asksWhere = (target as Element).closest("[data-missing]") !== null;
                    if (rule.id !== opened.openId || asksWhere)
                      opened.open(rule.id, asksWhere ? "target" : null);
                    else edited.close();
                  }}
                >
                  <RuleSentence rule={rule} />
                  {at === lit && <Decides />}
                  <IconPencil size={16} aria-hidden className={classes["pencil"]} />
                </button>
                {rule.id === opened.openId && (
                  <Suspense fallback={<Skeleton height={190} />}>
                    <RuleFields
                      rule={rule}
                      at={at}
                      errors={errors}
                      newest={opened.newest}
                      onChange={(next, field) => {
                        if (field !== "target" && rule.if[field] === undefined) opened.setNewest(field);
                        change(rules.map((one) => (one.id === rule.id ? next : one)));
                      }}
                      onUp={at > 0 ? () => move(at, at - 1) : null}
                      onDown={at < rules.length - 1 ? () => move(at, at + 1) : null}
                      onRemove={() => edited.remove(at)}
                      onClose={edited.close}
                    />
                  </Suspense>
                )}
              </li>
            ))}
          </ol>
        )}
        {rules.length > 1 && (
          <Text size="xs" c="dimmed">
            <Trans>The first rule that matches decides.</Trans>
          </Text>
        )}
        {rules.length < MOST_RULES && <AddRule isFirst={rules.length === 0} onAdd={edited.add} />}
        <ChangedNotice
          error={saving.error}
          label={t`Rules`}
          onMine={(now) => save(now)}
          onTheirs={startAnew}
        />
        {failure instanceof ApiError && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {sentenceOf(failure)}
          </Text>
        )}
        {edited.isChanged && (
          <Group gap="xs">
            <Button type="submit" loading={saving.isPending}>
              <Trans>Save rules</Trans>
            </Button>
            <Button variant="default" onClick={startAnew}>
              <Trans>Cancel</Trans>
            </Button>
          </Group>
        )}
        {rules.length > 0 && (
          <Suspense fallback={<Skeleton height={116} />}>
            <VisitAs
              target={link.target}
              rules={rulesOf(whole.map(({ rule }) => rule))}
              onDecided={(index) => {
                setLit(index === null || index < 0 ? null : (whole[index]?.at ?? null));
                onTargetLit(index === -1);
              }}
            />
          </Suspense>
        )}
      </Stack>
    </form>
  );
}

/** Begins a rule by its first condition. */
function AddRule({ isFirst, onAdd }: { isFirst: boolean; onAdd(name: ConditionName): void }) {
  const { t } = useLingui();
  const texts = useConditionTexts();
  return (
    <Group gap={8} role="group" aria-label={t`Add a rule`}>
      <Text size="sm" c="dimmed" w="100%">
        {isFirst ? <Trans>Redirect some visitors by</Trans> : <Trans>Add another rule by</Trans>}
      </Text>
      {CONDITIONS.slice(0, SHOWN).map((name, at) => (
        <Button
          key={name}
          data-add={at === 0 || undefined}
          variant="default"
          size="compact-sm"
          fw={400}
          leftSection={<ConditionIcon name={name} />}
          onClick={() => onAdd(name)}
        >
          {texts[name]}
        </Button>
      ))}
      <ConditionMenu
        label={<Trans>More conditions</Trans>}
        names={CONDITIONS.slice(SHOWN)}
        onChoose={onAdd}
      />
    </Group>
  );
}
