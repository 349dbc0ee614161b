import { useLingui } from "@lingui/react/macro";
import { useLayoutEffect, useRef } from "react";
import classes from "./commands.module.css";

/** More than the longest target, so that the server refuses an address that is cut. */
const LONGEST = 9000;

/** The look of the commands' field. It has the focus before the next key, with the caret at the end. */
export function useCommandField() {
  const { t } = useLingui();
  const ref = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    ref.current?.focus();
    ref.current?.setSelectionRange(LONGEST, LONGEST);
  }, []);
  return {
    ref,
    className: classes["field"],
    placeholder: t`A link, a file, a setting, or what to do`,
    maxLength: LONGEST,
    "data-autofocus": true,
  };
}

type Props = { typed: string; onType(text: string): void };

/** Takes what is typed while the commands load. */
export function CommandField({ typed, onType }: Props) {
  const { t } = useLingui();
  return (
    <input
      {...useCommandField()}
      aria-label={t`Commands`}
      value={typed}
      onChange={(event) => onType(event.currentTarget.value)}
      autoComplete="off"
      autoCorrect="off"
      spellCheck={false}
    />
  );
}
