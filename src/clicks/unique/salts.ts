/**
 * The salt of each day, under which visitors are told apart. It is random, the same in all processes of the installation,
 * sealed in the database, and destroyed after the day: then nobody can find out whose visitor it was, even by trying all
 * addresses.
 *
 * A process has the next salt before the day begins, so that midnight loses no visitor. While it has none, because the
 * database is away, clicks have no visitor.
 */
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { SecretBox } from "../../lib/secret-box.ts";
import { type Calendar, UTC } from "../rollups/calendar.ts";
import type { SaltRepository } from "./salts.repository.ts";
import { newSalt } from "./visitor.ts";

export type Salts = ReturnType<typeof createSalts>;

type Deps = {
  repository: SaltRepository;
  box: Pick<SecretBox, "seal" | "open">;
  /** analytics.unique_visitors, where details are recorded */
  isEnabled(): boolean;
  /** Whose days have salts. */
  calendar(): Promise<Calendar>;
  clock: Clock;
  logger: Logger;
};

const PURPOSE = "visitor salt";
const AHEAD_MS = 10 * 60_000;
/** Clocks of other nodes may be behind. */
const BEHIND_MS = 60_000;

export function createSalts({ repository, box, isEnabled, calendar: current, clock, logger }: Deps) {
  let known = new Map<number, string>();
  /** Older salts are destroyed, or there were none. */
  let destroyedBefore = Number.NEGATIVE_INFINITY;
  let last = { day: Number.NaN, salt: null as string | null };
  let calendar = UTC;
  let renewing: Promise<void> = Promise.resolve();

  /** @throws SealedWithAnotherKey after a change of the key; then the day has no visitors */
  async function learn(day: number): Promise<string> {
    let sealed = await repository.read(day);
    if (sealed === null) {
      await repository.add(day, await box.seal(newSalt(), PURPOSE));
      sealed = (await repository.read(day))!;
    }
    return box.open(sealed, PURPOSE);
  }

  async function renewAll(): Promise<void> {
    const now = clock.now();
    try {
      calendar = await current();
      const oldest = calendar.day.of(now - BEHIND_MS);
      const days = isEnabled() ? new Set([calendar.day.of(now), calendar.day.of(now + AHEAD_MS)]) : [];
      const salts = new Map<number, string>();
      for (const [day, salt] of known) if (isEnabled() && day >= oldest) salts.set(day, salt);
      for (const day of days) if (!salts.has(day)) salts.set(day, await learn(day));
      known = salts;
      if (destroyedBefore < oldest) {
        await repository.destroyBefore(oldest);
        destroyedBefore = oldest;
      }
    } catch (error) {
      logger.debug({ reason: messageOf(error) }, "the salts of visitors can't be renewed now");
    }
    last = { day: Number.NaN, salt: null };
  }

  return {
    /** Null if visitors are not told apart, or the salt is not known. */
    at(now: number): string | null {
      if (known.size === 0) return null;
      const day = calendar.day.of(now);
      if (day !== last.day) last = { day, salt: known.get(day) ?? null };
      return last.salt;
    },
    /** Call it at the start, every minute or more often, and when the setting changes. Never rejects. */
    renew: (): Promise<void> => (renewing = renewing.then(renewAll)),
  };
}
