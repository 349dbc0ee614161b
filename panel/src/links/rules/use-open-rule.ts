import { type RefObject, useEffect, useRef, useState } from "react";
import { isFocusLost } from "../../ui/focus-back.ts";
import type { ConditionName } from "../form/condition-value.ts";

type Field = ConditionName | "target";

/** Which rule of the form is open, and where the focus goes when what had it is gone. */
export function useOpenRule(form: RefObject<HTMLFormElement | null>) {
  const [openId, setOpenId] = useState<number | null>(null);
  const [newest, setNewest] = useState<Field | null>(null);
  const last = useRef<number | null>(null);
  if (openId !== null) last.current = openId;
  const next = useRef<string | null>(null);
  useEffect(() => {
    if (next.current !== null) form.current?.querySelector<HTMLElement>(next.current)?.focus();
    next.current = null;
  });
  return {
    openId,
    /** The field that has the focus in the open rule at first. */
    newest,
    setNewest,
    open(id: number | null, field: Field | null = null): void {
      setNewest(field);
      setOpenId(id);
      if (id === openId && field !== null)
        form.current?.querySelector<HTMLElement>(`[data-rule-field=${field}] input`)?.focus();
    },
    /** When the form has changed. @param to selector in the form */
    focus(to: string): void {
      next.current = to;
    },
    /** Closes the rule. A focus in the form goes to the sentence that was open last, or to what adds a rule. */
    close(rules: readonly { id: number }[]): void {
      setOpenId(null);
      if (!isFocusLost() && form.current?.contains(document.activeElement) !== true) return;
      const at = rules.findIndex(({ id }) => id === last.current);
      next.current = `[data-sentence="${Math.max(at, 0)}"], [data-add]`;
    },
  };
}
