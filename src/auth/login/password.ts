/**
 * Password hashes: argon2id with the parameters OWASP names first (19 MiB, two passes, one lane), made off the event
 * loop. Each hash in work costs its memory, so at most two run at once in a process. The others wait in queues of
 * bounded length that take turns, so a flood in one queue costs the others time and never a place. Bulk callers keep
 * at most two in flight themselves.
 */
import { appError } from "../../lib/errors.ts";

const MEMORY_KIB = 19_456;
const PASSES = 2;
const AT_ONCE = 2;
const MOST_WAITING = 64;

/** A hash that came from elsewhere may ask for more than ours, but not for a machine's whole memory or a minute. */
const MOST_MEMORY_KIB = 262_144;
const MOST_PASSES = 16;
const PHC_FORM = /^\$argon2(?:id|i|d)\$v=\d+\$m=(\d{1,7}),t=(\d{1,3}),p=\d{1,3}(?:,[^$]*)?\$/;

/**
 * A hash with our parameters whose password nobody has: verified in place of an account's when there is no such
 * account, so that an unknown user takes the time of a wrong password.
 */
export const DUMMY_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$9i/a/bTTXUaunndi1XmBa+uouDWEve5ksTNtuudl1tM$HMHGlkCSSjP6LD2caLACQbNa1DwMMVBU8gDwHaB1h4c";

/**
 * Where somebody waits: strangers who sign in, visitors of shares, what is hashed for accounts, and one queue for each
 * account whose owner is known (see account-delay.ts).
 */
export type PasswordQueue = "sign-in" | "shares" | "new passwords" | `account ${number}`;

export type Passwords = {
  /**
   * The Argon2 hash in PHC form. The text must not be empty.
   * @throws ServiceUnavailable when too many wait
   */
  hashPassword(plain: string): Promise<string>;
  /**
   * Whether the password belongs to the hash; false for what is no Argon2 hash, or one beyond our bounds.
   * @throws ServiceUnavailable when too many wait in the queue
   */
  verifyPassword(plain: string, hash: string, queue: PasswordQueue): Promise<boolean>;
  /** @throws ServiceUnavailable when too many wait in the queue */
  refuseWhenFull(queue: PasswordQueue): void;
};

/** One for each process: its bound is what keeps the memory bounded. */
export function createPasswords(mostWaiting = MOST_WAITING): Passwords {
  /** Queues in which somebody waits, the next to be served first. */
  const queues = new Map<PasswordQueue, (() => void)[]>();
  let running = 0;

  function refuseWhenFull(queue: PasswordQueue): void {
    if (running < AT_ONCE || (queues.get(queue)?.length ?? 0) < mostWaiting) return;
    throw appError("ServiceUnavailable", "Too many passwords are being checked. Try again in a moment.", {
      details: { retryAfterSeconds: 1 },
    });
  }

  /** The next waiter, whose queue goes behind the others. */
  function takeNext(): (() => void) | undefined {
    for (const [queue, waiting] of queues) {
      const next = waiting.shift();
      queues.delete(queue);
      if (waiting.length > 0) queues.set(queue, waiting);
      return next;
    }
    return undefined;
  }

  const inTurn = async <T>(queue: PasswordQueue, work: () => Promise<T>): Promise<T> => {
    refuseWhenFull(queue);
    if (running < AT_ONCE) running++;
    else {
      const waiting = queues.get(queue) ?? [];
      queues.set(queue, waiting);
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      // The place goes straight to the next in line, so nobody can slip in between.
      const next = takeNext();
      if (next === undefined) running--;
      else next();
    }
  };

  return {
    hashPassword: (plain) =>
      inTurn("new passwords", () =>
        Bun.password.hash(plain, { algorithm: "argon2id", memoryCost: MEMORY_KIB, timeCost: PASSES }),
      ),
    verifyPassword: async (plain, hash, queue) => {
      if (!isBoundedHash(hash)) return false;
      return inTurn(queue, async () => {
        try {
          return await Bun.password.verify(plain, hash);
        } catch (error) {
          if (String((error as { code?: unknown }).code).startsWith("PASSWORD_")) return false;
          throw error;
        }
      });
    },
    refuseWhenFull,
  };
}

function isBoundedHash(hash: string): boolean {
  const match = hash.length <= 512 ? PHC_FORM.exec(hash) : null;
  return match !== null && Number(match[1]) <= MOST_MEMORY_KIB && Number(match[2]) <= MOST_PASSES;
}
