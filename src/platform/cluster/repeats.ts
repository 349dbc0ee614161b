/**
 * Requests with an Idempotency-Key, carried out once in the cluster.
 *
 * A row is the claim of one request, which the transaction of its work confirms: after a crash the row shows whether
 * anything was written. A claim without work ends after a minute, and a repetition takes it over; late work then fails.
 * Work whose response was lost is not done again.
 *
 * The response is sealed with a key made from the Idempotency-Key, of which the database has only hashes.
 */
import { createHash, createHmac } from "node:crypto";
import type { Database } from "../db/database.ts";
import type { Db } from "../db/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import { createSecretBox } from "../../lib/secret-box.ts";
import { createRepeatsRepository, type Repeat } from "./repeats.repository.ts";

const KEPT_MS = 24 * 3_600_000;
/** Bounds of one account. */
const MOST_REQUESTS = 10_000;
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_RESPONSE_CHARACTERS = 256 * 1024;
const CLAIM_MS = 60_000;
/** Against others with the same key. */
const TRIES = 3;
const REMOVED_AT_ONCE = 500;

/** `fingerprint`: of method, address and body. */
type RepeatableRequest = { accountId: number; key: string; fingerprint: string };

const hashed = (...parts: readonly string[]) => createHash("sha256").update(parts.join("\0"));

export function createRepeats({ database, clock }: { database: Database; clock: Clock }) {
  const repository = createRepeatsRepository(database);

  function claimFor(id: string, claim: string, seal: (text: string) => Promise<string>, mayKeep: boolean) {
    return {
      /** @throws Conflict if a repetition took the claim over */
      async confirm(tx: unknown): Promise<void> {
        if (await repository.confirm(tx as Db, { id, claim })) return;
        throw appError(
          "Conflict",
          "A repetition of this request was faster; nothing was changed by this one.",
        );
      },
      /** A longer response is not kept, only that the work is done. */
      async keep(response: string): Promise<void> {
        const isKept = mayKeep && response.length <= MOST_RESPONSE_CHARACTERS;
        await repository.keep({ id, claim }, isKept ? await seal(response) : null);
      },
      /** Nothing was written. */
      release: (): Promise<void> => repository.release({ id, claim }),
    };
  }

  return {
    /**
     * The kept response, or the claim to carry it out. @throws IdempotencyKeyReused for another request, Conflict while
     * it runs or when its response is lost, RateLimitExceeded
     */
    async claim({ accountId, key, fingerprint }: RepeatableRequest) {
      const id = hashed("id", String(accountId), key).digest("hex");
      const mark = createHmac("sha256", hashed("body", key).digest()).update(fingerprint).digest("hex");
      const box = createSecretBox(() => hashed("answer", key).digest());
      for (let tries = 0; tries < TRIES; tries++) {
        const now = clock.now();
        const found = await repository.find(id);
        const claim = crypto.randomUUID();
        const until = { claim, claimed_until: now + CLAIM_MS };
        if (found === null || found.expires_at <= now) {
          if (found !== null) await repository.forget(id, now);
          const { requests, bytes } = await repository.kept(accountId, now, MOST_REQUESTS);
          if (requests >= MOST_REQUESTS) throw tooMany();
          const row = { id, account_id: accountId, fingerprint: mark, ...until, state: "claimed" };
          const isFirst = await repository.insert({
            ...row,
            expires_at: now + KEPT_MS,
            size: 0,
            answer: null,
          });
          if (isFirst) return claimFor(id, claim, (text) => box.seal(text, id), bytes < MOST_BYTES);
          continue;
        }
        if (found.fingerprint !== mark) throw reused();
        if (found.state === "done" && found.answer !== null) return { kept: box.open(found.answer, id) };
        if (found.state !== "claimed" || found.claimed_until > now) throw uncompleted(found, now);
        if (await repository.takeOver(found, until))
          return claimFor(id, claim, (text) => box.seal(text, id), true);
      }
      throw running(CLAIM_MS);
    },

    job: {
      name: "repeats-clean-up",
      everyMs: () => 3_600_000,
      async run(signal: AbortSignal): Promise<void> {
        while (!signal.aborted && (await repository.removeExpired(clock.now(), REMOVED_AT_ONCE)) > 0);
      },
    },
  };
}

function uncompleted({ state, claimed_until: until }: Repeat, now: number) {
  if (state !== "done" && until > now) return running(until - now);
  return appError(
    "Conflict",
    "The first request with this Idempotency-Key was carried out, but its answer is not kept. Read what it made; use a new key for another request.",
  );
}

const running = (ms: number) =>
  appError("Conflict", "The first request with this Idempotency-Key still runs. Repeat it later.", {
    details: { retryAfterSeconds: Math.min(ms, 5_000) / 1000 },
  });

const reused = () =>
  appError(
    "IdempotencyKeyReused",
    "This Idempotency-Key was used for another request in the last 24 hours. Use a new one.",
  );

const tooMany = () =>
  appError(
    "RateLimitExceeded",
    `An account can send ${MOST_REQUESTS} requests with an Idempotency-Key in 24 hours. Send them without, or later.`,
    { details: { retryAfterSeconds: 3600 } },
  );
