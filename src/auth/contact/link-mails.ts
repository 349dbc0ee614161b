/** The mails whose links prove something, and when they are queued. */
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Language } from "../../lib/language.ts";
import type { AuthTransaction } from "../changes.ts";
import type { User } from "../users/user.ts";
import type { ProofClaims, Proofs, ProofState } from "./proof.ts";

type To = { accountId: number; email: string; language: Language };
type Options = { usefulUntil?: number; onceKey?: string };
type Linked = { username: string; url: string };
type AuthMailContent =
  | { kind: "invitation"; content: Linked & { by: string } }
  | { kind: "reset" | "address"; content: Linked }
  | { kind: "sign_in" | "passkey"; content: Linked & { address: string; browser: string; at: number } };

/** The outbox, as accounts use it. */
export type AuthMail = {
  /** Whether mails with links into the panel can be sent. */
  isOffered(): boolean;
  /** Address of a page of the panel. */
  panelUrl(path: string): string;
  queue(tx: AuthTransaction, to: To, mail: AuthMailContent, options?: Options): Promise<unknown>;
};

/** Whom a link is for, and what its proof is bound to. */
export type LinkHolder = ProofState & { id: number; username: string; language: Language };

type Deps = { mail: AuthMail; proofs: Proofs; clock: Clock };

export type LinkMails = ReturnType<typeof createLinkMails>;

const HOUR_MS = 3_600_000;
const INVITATION_MS = 24 * HOUR_MS;
const RESET_MS = HOUR_MS;
/** An account gets at most one mail for a new password in that time. */
const RESET_EVERY_MS = 120_000;
const MOST_PROOFS_AN_HOUR = 5;

export function createLinkMails({ mail, proofs, clock }: Deps) {
  function link(claims: Omit<ProofClaims, "until">, state: ProofState, validMs: number) {
    const until = clock.now() + validMs;
    const page = claims.for === "password" ? "/new-password" : "/confirm-address";
    return { url: mail.panelUrl(`${page}#${proofs.make({ ...claims, until }, state)}`), usefulUntil: until };
  }

  return {
    /** The account has an address. */
    async invite(tx: AuthTransaction, user: User, by: Pick<Actor, "name">): Promise<void> {
      const { id, username, passwordHash: hash, language } = user;
      const email = user.email!;
      const claims = { for: "password", account: id, email } as const;
      const { url, usefulUntil } = link(claims, { ...user, hash }, INVITATION_MS);
      const content = { username, by: by.name, url };
      const to = { accountId: id, email, language };
      await mail.queue(tx, to, { kind: "invitation", content }, { usefulUntil });
    },

    /** Sends a link to an address that the account does not have yet, or has not proved. */
    async askForProof(tx: AuthTransaction, holder: LinkHolder, email: string): Promise<void> {
      const { id, username, language } = holder;
      const { url, usefulUntil } = link({ for: "address", account: id, email }, holder, INVITATION_MS);
      const to = { accountId: id, email, language };
      // Somebody else's mailbox must not be filled: each hour has so many keys for an account.
      const hour = Math.floor(clock.now() / HOUR_MS);
      for (let n = 0; n < MOST_PROOFS_AN_HOUR; n++) {
        const options = { usefulUntil, onceKey: `address ${id} ${hour} ${n}` };
        const queued = await mail.queue(tx, to, { kind: "address", content: { username, url } }, options);
        if (queued !== null) return;
      }
    },

    async sendReset(tx: AuthTransaction, holder: LinkHolder, email: string): Promise<void> {
      const { id, username, language } = holder;
      const { url, usefulUntil } = link({ for: "password", account: id, email }, holder, RESET_MS);
      const onceKey = `reset ${id} ${Math.floor(clock.now() / RESET_EVERY_MS)}`;
      const to = { accountId: id, email, language };
      await mail.queue(tx, to, { kind: "reset", content: { username, url } }, { usefulUntil, onceKey });
    },
  };
}
