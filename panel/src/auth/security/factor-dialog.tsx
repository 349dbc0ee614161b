import { useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect } from "react";
import { askForFactor } from "../../base/session-end.ts";
import { lazyOrFailure } from "../../base/lazy.ts";
import { useQuestion } from "../question.ts";
import { loadSecurityTexts } from "../security-texts.ts";

const load = async () => (await Promise.all([import("./factor-form.tsx"), loadSecurityTexts()]))[0];
const FactorForm = lazyOrFailure(async () => (await load()).FactorForm);

/** Asks for the second factor over the page when a change needs it. Then the refused request is repeated. */
export function FactorDialog() {
  const queries = useQueryClient();
  const { isOpen, ask, settle } = useQuestion();
  useEffect(
    () => askForFactor(async () => (await (await load()).hasFactor(queries)) && ask()),
    [queries, ask],
  );
  return (
    isOpen && (
      <Suspense fallback={null}>
        <FactorForm onAnswer={settle} />
      </Suspense>
    )
  );
}
