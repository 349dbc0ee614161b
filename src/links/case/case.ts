/**
 * Domains that ignore case store codes in lower case. When one begins to, a job stores its codes anew, in portions. Until
 * then a link is found by its code as it was written (redirect/near-links.ts), on every node: the job waits until all
 * of them know the setting. New codes are stored in lower case from the beginning.
 */
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { rest, waitUntil } from "../../lib/rest.ts";
import type { Job } from "../../platform/jobs/runner.ts";
import type { CodeRule } from "../link/code.ts";
import { codeOf, foldKey } from "../link/key.ts";
import { type LinkChanges, writeLinks } from "../write/changes.ts";
import type { ExistingLink, LinkRepository } from "../write/repository.ts";
import type { CaseRepository } from "./repository.ts";

/** Codes that a refusal names. */
const MOST_NAMED = 20;
const PORTION = 200;
/** A changed setting has the job run at once, which a longer interval would prevent. */
const EVERY_MS = 60_000;
/** A domain is read so often, as a node may have stored a code before it knew the setting; then once an hour. */
const RUNS_AT_FIRST = 3;
const LATER_MS = 3_600_000;
/** Nodes know a changed setting within half of it. */
const KNOWN_EVERYWHERE_MS = 2_000;

/** @throws Conflict if codes of the domain differ by case only, or are reserved in lower case */
export const createAlikeRefusal =
  ({ alike, reserved }: Pick<CaseRepository, "alike" | "reserved">, rule: Pick<CodeRule, "reserved">) =>
  async (domain: number, field = "ignore_case"): Promise<void> => {
    const kept = (await reserved(domain, rule.reserved(), MOST_NAMED)).map(codeOf);
    if (kept.length > 0) {
      throw appError(
        "Conflict",
        `Codes are reserved in lower case: ${kept.join(", ")}. Rename or delete them first.`,
        { field },
      );
    }
    const pairs = await alike(domain, MOST_NAMED / 2);
    if (pairs.length === 0) return;
    const codes = pairs.map(({ one, other }) => `${codeOf(one)} and ${codeOf(other)}`);
    const more = pairs.length * 2 === MOST_NAMED ? ", and perhaps more" : "";
    throw appError(
      "Conflict",
      `Codes differ by case only: ${codes.join(", ")}${more}. Rename or delete one of each first.`,
      { field },
    );
  };

/**
 * Resolves when the codes of a domain that ignores case are stored in lower case, so that whoever turned it on can rely
 * on it; after some seconds while the job goes on.
 */
export const createCaseWait =
  ({ repository, withoutCase, changes }: Pick<CaseDeps, "repository" | "withoutCase" | "changes">) =>
  async (domain: number): Promise<void> => {
    if (!withoutCase().includes(domain)) return;
    const isLower = async (table: "links" | "link_aliases") =>
      (await repository.withCapitals(table, domain, "", 1)).length === 0;
    await waitUntil(async () => (await isLower("links")) && isLower("link_aliases"));
    await changes.poll();
  };

export type CaseDeps = {
  repository: CaseRepository;
  links: Pick<LinkRepository, "lock" | "taken" | "moveMany" | "aliases">;
  changes: LinkChanges;
  rule: CodeRule;
  /** Ids of the domains that ignore case. */
  withoutCase(): readonly number[];
  clock: Clock;
  logger: Pick<Logger, "warn">;
  portion?: number;
  waitMs?: number;
};

export function createCaseJob(deps: CaseDeps): Job & { soonAfter: readonly ["settings", "domains"] } {
  const { repository, links, changes, rule, withoutCase, clock, logger } = deps;
  const { portion = PORTION, waitMs = KNOWN_EVERYWHERE_MS } = deps;
  const written = writeLinks(changes);

  /** Returns the keys that stay: another link has them in lower case, or they are reserved. */
  const lowerLinks = (keys: readonly string[]): Promise<string[]> =>
    written(async (tx) => {
      const stored = await links.lock(tx.db, keys);
      const lowered = [...new Set(keys.map(foldKey))];
      const taken = await links.taken(lowered, tx.db);
      const aliases = await links.aliases.among(lowered, tx.db);
      const moves: (ExistingLink & { to: string })[] = [];
      const left: string[] = [];
      for (const link of stored.values()) {
        const { id, code } = link;
        const to = foldKey(code);
        const isOwnAlias = aliases.get(to) === id;
        if ((taken.has(to) && !isOwnAlias) || rule.refusal(codeOf(to)) !== null) left.push(code);
        else moves.push({ ...link, to });
        taken.add(to);
        if (isOwnAlias) await links.aliases.remove(tx.db, to);
      }
      if (moves.length > 0) await links.moveMany(tx.db, moves);
      tx.changed("links", [...moves.map(({ code }) => code), ...moves.map(({ to }) => to)]);
      return left;
    });

  const lowerAliases = (keys: readonly string[]): Promise<string[]> =>
    written(async (tx) => {
      const owners = await links.aliases.among(
        [...new Set(keys.flatMap((key) => [key, foldKey(key)]))],
        tx.db,
      );
      const others = await links.lock(tx.db, [...new Set(keys.map(foldKey))]);
      const left: string[] = [];
      for (const key of keys) {
        const id = owners.get(key);
        const to = foldKey(key);
        const owner = others.get(to)?.id ?? owners.get(to);
        if (id === undefined) continue;
        if (owner !== undefined && owner !== id) {
          left.push(key);
          continue;
        }
        await links.aliases.remove(tx.db, key);
        if (owner === undefined) await links.aliases.add(tx.db, to, id, clock.now());
        owners.set(to, id);
        tx.changed("links", [key, to]);
      }
      return left;
    });

  async function lowerAll(
    table: "links" | "link_aliases",
    domain: number,
    signal: AbortSignal,
  ): Promise<string[]> {
    const left: string[] = [];
    for (let after = ""; !signal.aborted; ) {
      const begun = performance.now();
      const keys = await repository.withCapitals(table, domain, after, portion);
      if (keys.length > 0) left.push(...(await (table === "links" ? lowerLinks : lowerAliases)(keys)));
      if (keys.length < portion) break;
      after = keys.at(-1)!;
      // Other writers wait for a portion.
      await rest(performance.now() - begun, signal);
    }
    return left;
  }

  /** Complete runs by domain, with the time of the last one. */
  let done = new Map<number, { runs: number; at: number }>();
  const isDue = (domain: number): boolean => {
    const { runs, at } = done.get(domain) ?? { runs: 0, at: 0 };
    return runs < RUNS_AT_FIRST || performance.now() - at > LATER_MS;
  };

  async function run(signal: AbortSignal): Promise<void> {
    await rest(waitMs, signal);
    const domains = withoutCase();
    done = new Map([...done].filter(([domain]) => domains.includes(domain)));
    for (const domain of domains.filter(isDue)) {
      const left = [
        ...(await lowerAll("links", domain, signal)),
        ...(await lowerAll("link_aliases", domain, signal)),
      ];
      await changes.write((tx) => repository.lowerDeleted(tx.db, domain));
      if (signal.aborted) return;
      done.set(domain, { runs: (done.get(domain)?.runs ?? 0) + 1, at: performance.now() });
      if (left.length === 0) continue;
      const codes = left.slice(0, MOST_NAMED).map(codeOf);
      logger.warn({ codes, count: left.length }, "codes could not be stored in lower case: these are taken");
    }
  }

  return { name: "link-case", everyMs: () => EVERY_MS, run, soonAfter: ["settings", "domains"] };
}
