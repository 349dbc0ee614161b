import { useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect, useRef, useState } from "react";
import { askForFactor } from "../../base/session-end.ts";
import { lazyOrFailure } from "../../base/lazy.ts";
import { useBackCloses } from "../../ui/back-closes.ts";
import { loadSecurityTexts } from "../security-texts.ts";

const load = async () => (await Promise.all([import("./factor-form.tsx"), loadSecurityTexts()]))[0];
const FactorForm = lazyOrFailure(async () => (await load()).FactorForm);

type Answer = (isShown: boolean) => void;

/** Asks for the second factor over the page when a change needs it. Then the refused request is repeated. */
export function FactorDialog() {
  const queries = useQueryClient();
  const [answer, setAnswer] = useState<{ give: Answer } | null>(null);
  const open = useRef<Answer | null>(null);
  useBackCloses(answer !== null, null);

  function settle(isShown: boolean): void {
    open.current?.(isShown);
    open.current = null;
    setAnswer(null);
  }

  useEffect(() => {
    const forget = askForFactor(async () => {
      if (!(await (await load()).hasFactor(queries))) return false;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      open.current = resolve;
      setAnswer({ give: settle });
      return promise;
    });
    return () => {
      forget();
      open.current?.(false);
    };
  }, [queries]);

  return (
    answer !== null && (
      <Suspense fallback={null}>
        <FactorForm onAnswer={answer.give} />
      </Suspense>
    )
  );
}
