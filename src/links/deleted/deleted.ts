/**
 * Deleted links, which can be restored for `links.restore_days` under their ids, so that their counts join. The counts
 * of a deleted link grow with clicks that are flushed later. Links that served shares are not among them.
 */
import { type Actor, ownersReadBy } from "../../lib/actor.ts";
import { rest } from "../../lib/rest.ts";
import type { AppError } from "../../lib/errors.ts";
import { type LinkChanges, type LinkTransaction, writeLinks } from "../write/changes.ts";
import type { CodeRule } from "../link/code.ts";
import { codeOf } from "../link/key.ts";
import type { DeletedLink } from "../link/deleted-content.ts";
import { common } from "../list/filter.ts";
import type { DeletedFilter, DeletedPlace } from "./repository.ts";
import { type RestoreDeps, restoreMany, restoreOne, type WantedBack } from "./restore.ts";

export type DeletedPage = { links: DeletedLink[]; next: DeletedPlace | null };

/** `owners`: null: of all. */
type Asked = { search?: string | undefined; owners?: readonly number[] | null };

type Deps = RestoreDeps & { changes: LinkChanges; rule: CodeRule; restoreDays(): number };

export type DeletedLinks = ReturnType<typeof createDeletedLinks>;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** After each portion. */
const REST_MS = 25;
/** Most links that a page of a search reads. */
const PORTION = 500;
const MOST_PORTIONS = 10;

export function createDeletedLinks(deps: Deps) {
  const { repository, rule, clock } = deps;
  const written = writeLinks(deps.changes);
  const since = (): number => clock.now() - deps.restoreDays() * DAY_MS;

  async function searched(
    filter: DeletedFilter,
    after: DeletedPlace | null,
    limit: number,
    wanted: string,
  ): Promise<DeletedPage> {
    const links: DeletedLink[] = [];
    let place = after;
    for (let portions = 0; portions < MOST_PORTIONS; portions++) {
      const found = await repository.page(filter, place, PORTION);
      for (const link of found) {
        if (links.length === limit) return { links, next: place };
        place = { at: link.deletedAt, id: link.id };
        if (hasText(link, wanted)) links.push(link);
      }
      if (found.length < PORTION) return { links, next: null };
    }
    return { links, next: place };
  }

  return {
    /** Newest first. A page of a search (in code, target, title and note) may be short although more follow. */
    async page(
      actor: Actor,
      after: DeletedPlace | null,
      limit: number,
      { search = "", owners = null }: Asked = {},
    ): Promise<DeletedPage> {
      const filter = { since: since(), owners: common(owners, ownersReadBy(actor)) };
      const wanted = search.trim().toLowerCase();
      if (wanted !== "") return searched(filter, after, limit, wanted);
      const found = await repository.page(filter, after, limit + 1);
      const links = found.slice(0, limit);
      const last = found.length > limit ? links.at(-1) : undefined;
      return { links, next: last === undefined ? null : { at: last.deletedAt, id: last.id } };
    },

    /** The id of the link that last had a code on the default domain; null if none can be restored. */
    newest: (actor: Actor, code: string): Promise<number | null> =>
      repository.newest(code, { since: since(), owners: ownersReadBy(actor) }),

    /**
     * Under its old code, or another one. Returns its key.
     * @throws LinkNotFound, Conflict (restored already, or its domain is gone), LinkAlreadyExists, LinkInvalidCode, LinkReservedCode
     */
    async restore(actor: Actor, id: number, code: string | null): Promise<string> {
      const refusal = code === null ? null : rule.refusal(code);
      if (refusal !== null) throw refusal;
      return written((tx) => restoreOne(deps, tx, { actor, id, code, since: since() }));
    },

    /** In the caller's transaction, which repeats after a unique violation: see restore.ts. */
    restoreManyIn: (tx: LinkTransaction, wanted: WantedBack): Promise<Map<number, AppError>> =>
      restoreMany(deps, tx, { ...wanted, since: since() }),

    /** Forgets what can't be restored any more. The rows stay for analytics. */
    retentionJob() {
      let done: DeletedPlace = { at: 0, id: 0 };
      return {
        name: "links-forget-deleted",
        everyMs: () => HOUR_MS,
        async run(signal: AbortSignal): Promise<void> {
          const before = since();
          // A longer setting keeps what is left; a shorter one continues from here.
          while (!signal.aborted) {
            const next = await repository.forgetContents(before, done);
            if (next === null) return;
            done = next;
            await rest(REST_MS, signal);
          }
        },
      };
    },
  };
}

const hasText = ({ code, target, title, note }: DeletedLink, wanted: string): boolean =>
  [codeOf(code), target, title ?? "", note ?? ""].some((text) => text.toLowerCase().includes(wanted));
