/** What recipients of shares did, and their mails once more. */
import { appError, badField } from "../../lib/errors.ts";
import type { RecipientVisit } from "../recipients/repository.ts";
import type { RecipientVisitsRepository } from "../recipients/repository.ts";
import { linkOfShare, shareNotFound } from "./changes.ts";
import type { ShareChangesRepository } from "./changes.repository.ts";
import type { ShareListRepository } from "./list.repository.ts";
import type { EntrySharesDeps } from "./entry-shares.ts";

type Deps = Pick<EntrySharesDeps, "tree" | "invitations" | "clock"> & {
  repository: Pick<ShareListRepository, "load"> &
    Pick<ShareChangesRepository, "linkWith"> & { recipients: RecipientVisitsRepository };
};

type Visited = { linkId: number; visitor: string | null };

export function createShareRecipients({ tree, repository, invitations, clock }: Deps) {
  return {
    /** Of a verified recipient. */
    note: async (
      { linkId, visitor }: Visited,
      { action, name }: Pick<RecipientVisit, "action" | "name">,
    ): Promise<void> => {
      if (visitor === null) return;
      await repository.recipients.addVisit({ action, name, linkId, email: visitor, at: clock.now() });
    },

    /** Of verified recipients, newest first, below an id. `next`: null at the end. @throws LinkNotFound */
    async visits(accountId: number, code: string, before: number | null, limit: number) {
      const linkId = await linkOfShare(repository, accountId, code);
      const found = await repository.recipients.visits(linkId, before, limit + 1);
      const visits = found.slice(0, limit);
      return { visits, next: found.length > limit ? visits.at(-1)!.id : null };
    },

    /** Null: to all. Returns how many. @throws like `visits`, BadRequest, Conflict, RateLimitExceeded */
    async sendAgain(accountId: number, code: string, emails: readonly string[] | null): Promise<number> {
      const linkId = await linkOfShare(repository, accountId, code);
      return tree.change(accountId, async (tx) => {
        const [share] = await repository.load([linkId], tx.db);
        if (share?.owner?.id !== accountId) throw shareNotFound();
        if (share.expiresAt !== null && share.expiresAt <= clock.now()) {
          throw appError(
            "Conflict",
            "This share has ended. Give it a later expires_at, then send the mails.",
          );
        }
        const wanted = [...new Set(emails ?? share.recipients)];
        const stranger = wanted.find((email) => !share.recipients.includes(email));
        if (stranger !== undefined) {
          throw badField("recipients", `${stranger} is no recipient of this share; add it first.`);
        }
        await invitations.send(tx, share, wanted);
        return wanted.length;
      });
    },
  };
}
