/** The one question about taken names that may be open. */
import { useSyncExternalStore } from "react";
import type { AskConflicts, ConflictChoice } from "./upload-plan.ts";

export type ConflictQuestion = { names: readonly string[]; answer(choice: ConflictChoice | null): void };

let question: ConflictQuestion | null = null;
const listeners = new Set<() => void>();

function show(next: ConflictQuestion | null): void {
  question = next;
  for (const listener of listeners) listener();
}

/** An open question that another one replaces counts as given up. */
export const askConflicts: AskConflicts = (names) =>
  new Promise((resolve) => {
    question?.answer(null);
    show({
      names,
      answer(choice) {
        show(null);
        resolve(choice);
      },
    });
  });

export const useConflictQuestion = (): ConflictQuestion | null =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => question,
  );
