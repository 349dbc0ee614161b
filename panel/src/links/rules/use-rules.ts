import { useLingui } from "@lingui/react/macro";
import { type RefObject, useMemo, useRef, useState } from "react";
import { ApiError, type Link, type LinkRule } from "../../base/api.ts";
import { useDraftText } from "../../ui/forms/use-draft.tsx";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import type { ConditionName } from "../form/condition-value.ts";
import { focusFirstError } from "../../ui/forms/focus-error.ts";
import type { OnLinkSaved } from "../link-queries.ts";
import { useSaveLink } from "../save-link.tsx";
import {
  type DraftRule,
  draftsOf,
  isUntouched,
  missingIn,
  newRule,
  readRules,
  ruleErrorsIn,
  type RuleErrors,
  rulesOf,
} from "./draft.ts";
import { useOpenRule } from "./use-open-rule.ts";

/** `seen`: the link when the first rule was changed. What others change later must not look like a change of this form. */
type Edited = { seen: Link; rules: readonly DraftRule[] };

/** The rules of a link while they are edited: a draft that stays, what is wrong in it, and its saving. */
export function useRules(link: Link, onSaved: OnLinkSaved, form: RefObject<HTMLFormElement | null>) {
  const { t } = useLingui();
  const saved = JSON.stringify(link.rules ?? []);
  const kept = useDraftText(`link rules ${link.domain ?? ""}/${link.code}`, saved);
  const [edited, setEdited] = useState<Edited | null>(() =>
    kept.isRestored ? { seen: link, rules: draftsOf(readRules(kept.text)) } : null,
  );
  const ids = useRef<readonly number[]>([]);
  const untouched = useMemo(() => draftsOf(JSON.parse(saved) as LinkRule[], ids.current), [saved]);
  const rules = edited?.rules ?? untouched;
  const opened = useOpenRule(form);
  const { close, tellIfGone } = useLateResponse(() => {
    opened.close(rules);
    kept.startAnew();
    setEdited(null);
  });
  const saving = useSaveLink({
    async onSaved(now, before) {
      // The page first has what is saved, so that the sentences stay as they are.
      await onSaved(now, before);
      close();
    },
    onError(error) {
      tellIfGone(error);
      const found = error instanceof ApiError ? ruleErrorsIn(error) : null;
      if (found !== null) show(found);
    },
  });
  const { error } = saving;
  const [missing, setMissing] = useState<RuleErrors>({});
  const isChanged = edited !== null && JSON.stringify(rulesOf(rules)) !== saved;
  const refused = error instanceof ApiError ? ruleErrorsIn(error) : null;
  const errors: RuleErrors = { ...refused, ...missing };
  /** Those that can be asked about, with their indexes. */
  const whole = rules.flatMap((rule, at) => (missingIn(rule).length === 0 ? [{ rule, at }] : []));

  function change(next: readonly DraftRule[]): void {
    ids.current = next.map(({ id }) => id);
    setEdited({ seen: edited?.seen ?? link, rules: next });
    setMissing({});
    if (saving.isError) saving.reset();
    kept.type(JSON.stringify(rulesOf(next)));
  }
  function move(at: number, to: number): void {
    const [way, back] = to < at ? ["up", "down"] : ["down", "up"];
    opened.focus(`[data-${to === 0 || to === rules.length - 1 ? back : way}]`);
    const rest = rules.filter((_, index) => index !== at);
    change([...rest.slice(0, to), rules[at]!, ...rest.slice(to)]);
    opened.open(rules[at]!.id);
  }
  function add(name: ConditionName): void {
    const rule = newRule(name);
    change([...rules, rule]);
    opened.open(rule.id, name);
  }
  function remove(at: number): void {
    opened.focus("[data-add]");
    change(rules.filter((_, index) => index !== at));
  }
  function startAnew(): void {
    opened.close(untouched);
    kept.startAnew();
    setEdited(null);
    setMissing({});
    saving.reset();
  }
  /** Shows the rule of the first field that needs a change. */
  function show(found: RuleErrors): void {
    const first = Object.keys(found)[0];
    if (first === undefined) return;
    opened.open(rules[Number(first.split(".")[0])]?.id ?? null);
    focusFirstError(form);
  }
  /** @param over what somebody else has made of the link meanwhile */
  function save(over?: Link): void {
    const found = Object.fromEntries(
      rules.flatMap((rule, at) =>
        missingIn(rule).map((name) => [
          `${at}.${name}`,
          name === "target" ? t`Say where it leads.` : t`Choose whom it is for.`,
        ]),
      ),
    );
    setMissing(found);
    if (Object.keys(found).length > 0) return show(found);
    const patch = { rules: rules.length === 0 ? null : rulesOf(rules) };
    saving.mutate({ patch, seen: over ?? edited?.seen ?? link });
  }
  return {
    rules,
    errors,
    whole,
    isChanged,
    isRestored: kept.isRestored && isChanged,
    opened,
    saving,
    /** Why nothing was saved, unless a field says it. */
    failure: refused === null ? error : null,
    change,
    move,
    add,
    remove,
    startAnew,
    save,
    /** Keeps what is typed, but no rule without anything. */
    close(): void {
      const at = rules.findIndex(({ id }) => id === opened.openId);
      opened.close(rules);
      if (at >= 0 && isUntouched(rules[at]!)) remove(at);
    },
  };
}
