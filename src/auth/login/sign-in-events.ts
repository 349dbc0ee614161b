/**
 * Sign-ins as events. Each process bounds their number, so that a flood can't fill the disk; the next event reports how
 * many were left out. A name without account is not kept: it may be a password in the wrong field.
 */
import type { Core } from "../../platform/core.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { Via } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import type { SignInMethod } from "../../lib/credential.ts";
import type { EventRecord } from "../../lib/event.ts";

type Attempt = {
  username: string | null;
  address: string;
  via: Via;
  by?: SignInMethod | undefined;
  /** Why it was refused, for administrators. */
  reason?: string | null;
};

export type SignInEvents = ReturnType<typeof createSignInEvents>;

export function createSignInEvents({ database, record, clock }: Pick<Core, "database" | "record" | "clock">) {
  const successes = createAllowance(clock, { atOnce: 1_000, everyMs: 10_000 });
  const failures = createAllowance(clock, { atOnce: 60, everyMs: 60_000 });

  function eventOf(
    action: string,
    { username, address, via, by, reason }: Attempt,
    omitted: number,
  ): EventRecord {
    const name = username ?? "unknown";
    const after = {
      address,
      ...(by && by !== "password" && { signed_in_by: by }),
      ...(reason && { reason }),
      ...(omitted > 0 && { omitted }),
    };
    return { at: clock.now(), actor: { name, via }, action, subject: name, after };
  }

  return {
    /** Call it in the transaction that opens the session. */
    async succeeded(tx: Db, attempt: Attempt): Promise<void> {
      const omitted = successes.take();
      if (omitted !== null) await record(tx, [eventOf("sign_in.success", attempt, omitted)]);
    },

    async failed(attempt: Attempt): Promise<void> {
      const omitted = failures.take();
      if (omitted !== null) await record(database.write, [eventOf("sign_in.failure", attempt, omitted)]);
    },
  };
}

function createAllowance(clock: Clock, { atOnce, everyMs }: { atOnce: number; everyMs: number }) {
  let left = atOnce;
  let at = clock.now();
  let omitted = 0;
  return {
    /** How many were refused since the last event; null to refuse this one. */
    take(): number | null {
      const now = clock.now();
      left = Math.min(atOnce, left + Math.max(0, now - at) / everyMs);
      at = now;
      if (left < 1) {
        omitted += 1;
        return null;
      }
      left -= 1;
      const before = omitted;
      omitted = 0;
      return before;
    },
  };
}
