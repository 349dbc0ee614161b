/** The sessions of an account; what one of them proves, and its end. */
import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Credential, hasShownFactor, type SignInMethod } from "../../lib/credential.ts";
import { appError } from "../../lib/errors.ts";
import type { RecordEvents } from "../../lib/event.ts";
import type { AuthChanges, AuthTransaction } from "../changes.ts";
import type { SessionsRepository } from "./repository.ts";
import { isAlive, type Session } from "./session.ts";

type Deps = { repository: SessionsRepository; changes: AuthChanges; record: RecordEvents<Db>; clock: Clock };

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function createSessionList({ repository, changes, record, clock }: Deps) {
  return {
    /** Those that have not ended, the last used first. */
    async list(accountId: number, at: { page: number; pageSize: number }) {
      const now = clock.now();
      const offset = (at.page - 1) * at.pageSize;
      const sessions = await repository.listOf(accountId, now, { limit: at.pageSize, offset });
      return { sessions, total: await repository.countOf(accountId, now) };
    },

    /** The session has shown the second factor since its sign-in. */
    async prove(tx: AuthTransaction, credential: Credential | undefined, by: SignInMethod): Promise<void> {
      if (credential === undefined || hasShownFactor(credential.signedInBy)) return;
      const { sessionId, signedInBy } = credential;
      await repository.prove(tx.db, sessionId, signedInBy === "oidc" ? "oidc_mfa" : by);
      tx.changed("sessions", [sessionId]);
    },

    /** `accountId` null: of any account. @throws NotFound */
    endOne(id: string, accountId: number | null, actor: Actor): Promise<Session> {
      return changes.write(async (tx) => {
        // A database may refuse other texts.
        const owner = UUID.test(id) ? await repository.lock(tx.db, id) : null;
        const isOthers = accountId !== null && owner?.session.accountId !== accountId;
        if (!isAlive(owner, clock.now()) || isOthers) throw appError("NotFound", "There is no such session.");
        const { session, account } = owner;
        const { address, browser, os } = session;
        await repository.revoke(tx.db, id, clock.now());
        const subject = account.username;
        const before = { address, browser, os };
        await record(tx.db, [{ at: clock.now(), actor, action: "session.end", subject, before }]);
        tx.changed("sessions", [id]);
        return session;
      });
    },
  };
}
