import { Trans } from "@lingui/react/macro";
import type { LinkRule } from "../../base/api.ts";
import { shortAddress, useConditionPhrase, useConditionTexts } from "../form/condition-texts.ts";
import { ConditionIcon } from "./choices.tsx";
import { namesIn } from "./draft.ts";
import classes from "./rules.module.css";

/** Whom a rule means, as chips, and where it leads them. */
export function RuleSentence({ rule }: { rule: LinkRule }) {
  const phraseOf = useConditionPhrase();
  const texts = useConditionTexts();
  return (
    <>
      {namesIn(rule.if).map((name) => (
        <span key={name} className={classes["chip"]}>
          <ConditionIcon name={name} value={rule.if[name]} />
          {phraseOf(name, rule.if[name]) || `${texts[name]} …`}
        </span>
      ))}
      <span className={classes["goal"]} data-missing={rule.target === "" || undefined}>
        <span aria-hidden>→ </span>
        {rule.target === "" ? <Trans>where to?</Trans> : shortAddress(rule.target)}
      </span>
    </>
  );
}
