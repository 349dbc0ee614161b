/**
 * Asking the database for a link, on behalf of many requests: for one code there is at most one question under way,
 * which all who want that code share, and there are at most `maxActive` questions at once. Others wait their turn;
 * beyond `maxWaiting` of them, and after `deadlineMs`, the answer is ServiceUnavailable. A question that the
 * database answers at once (it is in the process) has none of this.
 */
import { appError } from "../../lib/errors.ts";
import type { FoundLink } from "./cached-link.ts";

export type LinkLookup = {
  /**
   * `onFound` is told what was found, before anybody else, unless the code was forgotten since the question was
   * asked: then whatever was found may be old. Throws or rejects as the database does.
   */
  ask(code: string, onFound: (link: FoundLink | null) => void): FoundLink | null | Promise<FoundLink | null>;
  /** The link was changed: questions under way are answered, but nobody new joins them. */
  forget(code: string): void;
  forgetAll(): void;
  /** Questions under way and waiting. */
  pending(): number;
};

export type LookupLimits = { maxActive: number; maxWaiting: number; deadlineMs: number };

type Answer = FoundLink | null | undefined;
type Find = (code: string) => Answer | Promise<Answer>;

type Question = {
  readonly code: string;
  readonly answer: PromiseWithResolvers<FoundLink | null>;
  readonly onFound: (link: FoundLink | null) => void;
  isForgotten: boolean;
  isTooLate: boolean;
};

export function createLinkLookup(
  find: Find,
  { maxActive, maxWaiting, deadlineMs }: LookupLimits,
): LinkLookup {
  /** By code; the first who asks makes the entry. */
  const open = new Map<string, Question>();
  const waiting: Question[] = [];
  let active = 0;

  function begin(question: Question, found: Promise<Answer>): void {
    active++;
    found
      .then(
        (link = null) => {
          close(question);
          if (!question.isForgotten) question.onFound(link);
          question.answer.resolve(link);
        },
        (error: unknown) => {
          close(question);
          question.answer.reject(error);
        },
      )
      .catch(question.answer.reject)
      .finally(() => {
        active--;
        beginNext();
      });
  }

  /** Nobody joins any more. */
  function close(question: Question): void {
    if (open.get(question.code) === question) open.delete(question.code);
  }

  function beginNext(): void {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (next.isTooLate) continue;
      const { code } = next;
      return begin(
        next,
        Promise.try(() => find(code)),
      );
    }
  }

  /** The database goes on with its work, bounded by its own timeouts; the place is free again when it is done. */
  function limitTime(question: Question): void {
    const timer = setTimeout(() => {
      question.isTooLate = true;
      // From here on nobody could tell it of a change.
      question.isForgotten = true;
      close(question);
      question.answer.reject(unavailable("The database takes too long to find a link."));
    }, deadlineMs);
    const stop = () => clearTimeout(timer);
    question.answer.promise.then(stop, stop);
  }

  function join(code: string, onFound: Question["onFound"], found: Promise<Answer> | null) {
    const question = {
      code,
      onFound,
      answer: Promise.withResolvers<FoundLink | null>(),
      isForgotten: false,
      isTooLate: false,
    };
    open.set(code, question);
    limitTime(question);
    if (found === null) waiting.push(question);
    else begin(question, found);
    return question.answer.promise;
  }

  return {
    ask(code, onFound) {
      const asked = open.get(code);
      if (asked !== undefined) return asked.answer.promise;
      if (active >= maxActive) {
        if (waiting.length >= maxWaiting) throw unavailable("Too many links are being looked up at once.");
        return join(code, onFound, null);
      }
      const found = find(code);
      if (found instanceof Promise) return join(code, onFound, found);
      onFound(found ?? null);
      return found ?? null;
    },
    forget(code) {
      const question = open.get(code);
      if (question === undefined) return;
      question.isForgotten = true;
      open.delete(code);
    },
    forgetAll() {
      for (const question of open.values()) question.isForgotten = true;
      open.clear();
    },
    pending: () => active + waiting.length,
  };
}

const unavailable = (message: string) => appError("ServiceUnavailable", message);
