/** Bounds the memory of all request bodies that the process gathers. */
import { appError } from "../../lib/errors.ts";

const MOST_BYTES = 64 * 1024 * 1024;
/** Free for each body, so that a sign-in always fits. */
const FREE_BYTES = 4 * 1024;

export type BodyMemory = ReturnType<typeof createBodyMemory>;
/** The share of one body. */
export type BodyReservation = ReturnType<BodyMemory["enter"]>;

export function createBodyMemory({ mostBytes = MOST_BYTES } = {}) {
  let held = 0;
  return {
    enter() {
      let size = 0;
      let counted = 0;
      return {
        /** @throws ServiceUnavailable if all bodies together exceed the bound */
        add(bytes: number): void {
          const more = Math.max(0, size + bytes - FREE_BYTES) - counted;
          if (more > 0 && held + more > mostBytes) {
            throw appError(
              "ServiceUnavailable",
              "Too many large requests are in progress. Try again in a moment.",
              {
                details: { retryAfterSeconds: 1 },
              },
            );
          }
          size += bytes;
          counted += more;
          held += more;
        },
        leave(): void {
          held -= counted;
          counted = 0;
          size = 0;
        },
      };
    },
  };
}
