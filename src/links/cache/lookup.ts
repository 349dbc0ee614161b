/**
 * Queries links. Requests for one code share a query; at most `maxActive` run at once. Beyond `maxWaiting`, or after
 * `deadlineMs`, requests get ServiceUnavailable. Synchronous answers skip all of this.
 */
import { appError } from "../../lib/errors.ts";
import type { FoundLink } from "./cached-link.ts";
import { isUnavailable } from "../../platform/db/failures.ts";

export type LookupLimits = { maxActive: number; maxWaiting: number; deadlineMs: number };

type Answer = FoundLink | null | undefined;
export type FindLink = (code: string) => Answer | Promise<Answer>;

type Question = {
  readonly code: string;
  readonly answer: PromiseWithResolvers<FoundLink | null>;
  readonly onFound: (link: FoundLink | null) => void;
  isForgotten: boolean;
  isTooLate: boolean;
};

export function createLinkLookup(find: FindLink, { maxActive, maxWaiting, deadlineMs }: LookupLimits) {
  /** Open questions by code. */
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

  /** The query keeps its place until the database's timeout. */
  function limitTime(question: Question): void {
    const timer = setTimeout(() => {
      question.isTooLate = true;
      // Later changes can't reach it.
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
    /**
     * `onFound` receives the result first, unless the code was forgotten meanwhile. Throws or rejects like `find`.
     */
    ask(
      code: string,
      onFound: (link: FoundLink | null) => void,
    ): FoundLink | null | Promise<FoundLink | null> {
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
    /** Later requests join no running query. */
    forget(code: string): void {
      const question = open.get(code);
      if (question === undefined) return;
      question.isForgotten = true;
      open.delete(code);
    },
    forgetAll(): void {
      for (const question of open.values()) question.isForgotten = true;
      open.clear();
    },
    pending: (): number => active + waiting.length,
  };
}

const unavailable = (message: string) => appError("ServiceUnavailable", message);

type Ask<T> = () => T | Promise<T>;

/** A second altogether. */
const MOST_TRIES = 10;
const PAUSE_MS = 100;

/**
 * Repeats a failed lookup of a link that was forgotten because it changed: the change shows that another process has just
 * reached the database, so this one is only the last to notice its return.
 *
 * @param isAwaited whether the code is loaded as soon as the database answers
 */
export function createRetries(isAwaited: (code: string) => boolean) {
  const changing = new Set<string>();
  const isFor = (code: string, error: unknown): boolean =>
    isUnavailable(error) && (changing.has(code) || isAwaited(code));

  return {
    /** Codes between being forgotten and being loaded, or awaited. */
    changing,
    isFor,
    /** Repeats a lookup that failed. Rejects with the last failure. */
    of:
      <T>(code: string, ask: Ask<T>) =>
      async (error: unknown): Promise<T> => {
        let last = error;
        for (let tries = 0; tries < MOST_TRIES && isFor(code, last); tries++) {
          await Bun.sleep(PAUSE_MS);
          try {
            return await ask();
          } catch (again) {
            last = again;
          }
        }
        throw last;
      },
  };
}
