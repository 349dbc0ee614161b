import { useLingui } from "@lingui/react/macro";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { ApiError, type Link, type LinkRule } from "../../base/api.ts";
import { useDraftText } from "../../ui/forms/use-draft.tsx";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import type { ConditionName } from "../form/condition-value.ts";
import { focusFirstError } from "../form/focus-error.ts";
import type { OnLinkSaved } from "../link-queries.ts";
import { useSaveLink } from "../save-link.tsx";
import {
  type DraftRule,
  draftsOf,
  missingIn,
  newRule,
  readRules,
  ruleErrorsIn,
  type RuleErrors,
  rulesOf,
} from "./draft.ts";

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
  const untouched = useMemo(() => draftsOf(JSON.parse(saved) as LinkRule[]), [saved]);
  const rules = edited?.rules ?? untouched;
  const { close, tellIfGone } = useLateResponse(() => {
    kept.startAnew();
    setEdited(null);
    setOpen(null);
  });
  const saving = useSaveLink({
    onSaved(now, before) {
      close();
      return onSaved(now, before);
    },
    onError(error) {
      tellIfGone(error);
      const found = error instanceof ApiError ? ruleErrorsIn(error) : null;
      if (found !== null) show(found);
    },
  });
  const { error } = saving;
  const [open, setOpen] = useState<number | null>(null);
  const [newest, setNewest] = useState<ConditionName | null>(null);
  const [missing, setMissing] = useState<RuleErrors>({});
  /** Where the focus goes when the form has changed. */
  const focus = useRef<string | null>(null);
  useEffect(() => {
    if (focus.current !== null) form.current?.querySelector<HTMLElement>(focus.current)?.focus();
    focus.current = null;
  });
  const isChanged = edited !== null && JSON.stringify(rulesOf(rules)) !== saved;
  const refused = error instanceof ApiError ? ruleErrorsIn(error) : null;
  const errors: RuleErrors = { ...refused, ...missing };
  /** Those that can be asked about, with their indexes. */
  const whole = rules.flatMap((rule, at) => (missingIn(rule).length === 0 ? [{ rule, at }] : []));

  function change(next: readonly DraftRule[]): void {
    setEdited({ seen: edited?.seen ?? link, rules: next });
    setMissing({});
    if (saving.isError) saving.reset();
    kept.type(JSON.stringify(rulesOf(next)));
  }
  function move(at: number, to: number): void {
    const [way, back] = to < at ? ["up", "down"] : ["down", "up"];
    focus.current = `[data-${to === 0 || to === rules.length - 1 ? back : way}]`;
    const rest = rules.filter((_, index) => index !== at);
    change([...rest.slice(0, to), rules[at]!, ...rest.slice(to)]);
    setOpen(rules[at]!.id);
  }
  function add(name: ConditionName): void {
    const rule = newRule(name);
    change([...rules, rule]);
    setOpen(rule.id);
    setNewest(name);
  }
  function remove(at: number): void {
    focus.current = "[data-add]";
    change(rules.filter((_, index) => index !== at));
  }
  function startAnew(): void {
    kept.startAnew();
    setEdited(null);
    setMissing({});
    setOpen(null);
    saving.reset();
  }
  /** Shows the rule of the first field that needs a change. */
  function show(found: RuleErrors): void {
    const first = Object.keys(found)[0];
    if (first === undefined) return;
    setOpen(rules[Number(first.split(".")[0])]?.id ?? null);
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
    open,
    newest,
    saving,
    /** Why nothing was saved, unless a field says it. */
    failure: refused === null ? error : null,
    change,
    setNewest,
    move,
    add,
    remove,
    startAnew,
    save,
    toggle(id: number): void {
      setNewest(null);
      setOpen(id === open ? null : id);
    },
  };
}
