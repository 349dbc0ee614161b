/** What recipients of shares did, and their mails once more. */
import type { Db } from "../../db/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { Invitations } from "../recipients/mails.ts";
import type { RecipientVisit } from "../recipients/visit.ts";
import type { RecipientVisitsRepository } from "../recipients/visits.repository.ts";
import type { AccountTree } from "../tree/account-tree.ts";
import { shareNotFound } from "./changes.ts";
import type { ShareListRepository } from "./list.repository.ts";
import type { Shareable } from "./served.ts";

type Deps = {
  tree: AccountTree;
  repository: Pick<ShareListRepository, "load"> & { recipients: RecipientVisitsRepository };
  ofEntry: {
    entryOf(accountId: number, place: Shareable, db?: Db): Promise<unknown>;
    linkOf(place: Shareable, code: string, db?: Db): Promise<number>;
  };
  invitations: Invitations;
  clock: Clock;
};

type Visited = { linkId: number; visitor: string | null };

export function createShareRecipients({ tree, repository, ofEntry, invitations, clock }: Deps) {
  return {
    /** Of a verified recipient. */
    note: async (
      { linkId, visitor }: Visited,
      { action, name }: Pick<RecipientVisit, "action" | "name">,
    ): Promise<void> => {
      if (visitor === null) return;
      await repository.recipients.addVisit({ action, name, linkId, email: visitor, at: clock.now() });
    },

    /** Of verified recipients, newest first, below an id. `next`: null at the end. @throws like `list`, LinkNotFound */
    async visits(accountId: number, place: Shareable, code: string, before: number | null, limit: number) {
      await ofEntry.entryOf(accountId, place);
      const linkId = await ofEntry.linkOf(place, code);
      const found = await repository.recipients.visits(linkId, before, limit + 1);
      const visits = found.slice(0, limit);
      return { visits, next: found.length > limit ? visits.at(-1)!.id : null };
    },

    /** Null: to all. Returns how many. @throws like `visits`, BadRequest, Conflict, RateLimitExceeded */
    sendAgain: (accountId: number, place: Shareable, code: string, emails: readonly string[] | null) =>
      tree.change(accountId, async (tx) => {
        await ofEntry.entryOf(accountId, place, tx.db);
        const [share] = await repository.load([await ofEntry.linkOf(place, code, tx.db)], tx.db);
        if (share === undefined) throw shareNotFound();
        const wanted = [...new Set(emails ?? share.recipients)];
        const stranger = wanted.find((email) => !share.recipients.includes(email));
        if (stranger !== undefined) {
          throw appError("BadRequest", `${stranger} is no recipient of this share; add it first.`, {
            field: "recipients",
          });
        }
        await invitations.send(tx, share, wanted);
        return wanted.length;
      }),
  };
}
