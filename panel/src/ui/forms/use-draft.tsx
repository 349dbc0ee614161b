import { type ReactNode, useState } from "react";
import { DraftNotice } from "./draft-notice.tsx";
import { dropDraft, keepDraft, readDraft } from "./draft.ts";

/**
 * What a form begins with, kept as it is typed, until it is saved or discarded.
 *
 * @param plain without a draft
 * @param secrets fields that are never kept
 * @param isWorth whether the changes are worth a draft
 */
export function useDraft<V extends object>(
  name: string,
  plain: V,
  secrets: readonly (keyof V)[] = [],
  isWorth: (changes: Partial<V>) => boolean = () => true,
) {
  const [begun] = useState(() => {
    const { draft, isChanged } = withDraft(name, plain, secrets);
    return { plain, start: draft, isChanged };
  });
  const [isRestored, setIsRestored] = useState(begun.isChanged);
  return {
    start: begun.start,
    isRestored,
    keep(values: V): void {
      const changes = changesOf(begun.plain, values, secrets);
      keepDraft(name, isWorth(changes) ? changes : {});
    },
    /** Returns the initial values of the form. */
    discard(): V {
      setIsRestored(false);
      dropDraft(name);
      return begun.plain;
    },
    forget: () => dropDraft(name),
  };
}

function changesOf<V extends object>(plain: V, values: V, secrets: readonly (keyof V)[]): Partial<V> {
  const changed = Object.entries(values).filter(
    ([field, value]) =>
      !secrets.includes(field as keyof V) &&
      JSON.stringify(value) !== JSON.stringify(plain[field as keyof V]),
  );
  return Object.fromEntries(changed) as Partial<V>;
}

function withDraft<V extends object>(name: string, plain: V, secrets: readonly (keyof V)[]) {
  const draft = { ...plain, ...readDraft(name, plain) };
  for (const secret of secrets) draft[secret] = plain[secret];
  return { draft, isChanged: Object.keys(changesOf(plain, draft, secrets)).length > 0 };
}

/** A text that keeps what is typed. */
export function useDraftText(name: string, plain: string) {
  const { start, isRestored, keep, discard, forget } = useDraft(name, { text: plain });
  const [text, setText] = useState(start.text);
  const startAnew = (): void => setText(discard().text);
  const notice: ReactNode = isRestored && <DraftNotice onDiscard={startAnew} />;
  return {
    text,
    type(next: string): void {
      setText(next);
      keep({ text: next });
    },
    isRestored,
    startAnew,
    notice,
    forget,
  };
}
