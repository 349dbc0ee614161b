/** The question about taken names. At most one is open. */
import { useSyncExternalStore } from "react";
import type { AskConflicts, ConflictChoice } from "./upload-plan.ts";

export type ConflictQuestion = {
  names: readonly string[];
  replaced: readonly number[];
  answer(choice: ConflictChoice | null): void;
};

let question: ConflictQuestion | null = null;
const listeners = new Set<() => void>();

function show(next: ConflictQuestion | null): void {
  question = next;
  for (const listener of listeners) listener();
}

/** A new question cancels the open one. */
export const askConflicts: AskConflicts = (names, replaced) =>
  new Promise((resolve) => {
    question?.answer(null);
    show({
      names,
      replaced,
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
