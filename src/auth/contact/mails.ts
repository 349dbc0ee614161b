/** The mails whose links prove something, and when they are queued. */
import type { Core } from "../../platform/core.ts";
import type { NotifyOfClient, SignInMails } from "../auth-core.ts";
import type { Language } from "../../lib/language.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import type { User } from "../users/user.ts";
import { createHmac } from "node:crypto";
import { z } from "zod";
import { equalInConstantTime } from "../sessions/cookies.ts";
import { LONGEST_PROOF } from "./contact.ts";
import type { ContactRepository } from "./repository.ts";

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
  queue(tx: ChangeTransaction, to: To, mail: AuthMailContent, options?: Options): Promise<unknown>;
};

/** Sends nothing. */
export const NO_MAIL: AuthMail = {
  isOffered: () => false,
  panelUrl: (path) => path,
  queue: async () => null,
};

/** Whom a link is for, and what its proof is bound to. */
export type LinkHolder = ProofState & { id: number; username: string; language: Language };

export type LinkMails = ReturnType<typeof createLinkMails>;

const HOUR_MS = 3_600_000;
const INVITATION_MS = 24 * HOUR_MS;
const RESET_MS = HOUR_MS;
/** An account gets at most one mail for a new password in that time. */
const RESET_EVERY_MS = 120_000;
const MOST_PROOFS_AN_HOUR = 5;

export function createLinkMails({ mail, proofs, clock }: Core & { mail: AuthMail; proofs: Proofs }) {
  function link(claims: Omit<ProofClaims, "until">, state: ProofState, validMs: number) {
    const until = clock.now() + validMs;
    const page = claims.for === "password" ? "/new-password" : "/confirm-address";
    return { url: mail.panelUrl(`${page}#${proofs.make({ ...claims, until }, state)}`), usefulUntil: until };
  }

  return {
    /** The account has an address. */
    async invite(tx: ChangeTransaction, user: User, by: string): Promise<void> {
      const { id, username, passwordHash: hash, language, displayName } = user;
      const email = user.email!;
      const claims = { for: "password", account: id, email, invites: displayName ?? "" } as const;
      const { url, usefulUntil } = link(claims, { ...user, hash }, INVITATION_MS);
      const content = { username, by, url };
      const to = { accountId: id, email, language };
      await mail.queue(tx, to, { kind: "invitation", content }, { usefulUntil });
    },

    /** Sends a link to an address that the account does not have yet, or has not proved. */
    async requestProof(tx: ChangeTransaction, holder: LinkHolder, email: string): Promise<void> {
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

    async sendReset(tx: ChangeTransaction, holder: LinkHolder, email: string): Promise<void> {
      const { id, username, language } = holder;
      const { url, usefulUntil } = link({ for: "password", account: id, email }, holder, RESET_MS);
      const onceKey = `reset ${id} ${Math.floor(clock.now() / RESET_EVERY_MS)}`;
      const to = { accountId: id, email, language };
      await mail.queue(tx, to, { kind: "reset", content: { username, url } }, { usefulUntil, onceKey });
    },
  };
}

const claimsSchema = z.object({
  for: z.enum(["password", "address"]),
  account: z.int().min(0),
  email: z.string(),
  /** Epoch ms. */
  until: z.int(),
  /** The display name of a new account, for the form that welcomes it. */
  invites: z.string().optional(),
});
export type ProofClaims = z.output<typeof claimsSchema>;

export type Proofs = ReturnType<typeof createProofs>;

/** `hash`: of the password. */
type ProofState = { hash: string; email: string | null; emailVerified: boolean };

const textOf = (what: ProofClaims["for"], { hash, email, emailVerified }: ProofState): string =>
  what === "password" ? hash : JSON.stringify([hash, email, emailVerified]);

/**
 * A proof is the part of a link in a mail that shows that its reader gets the mails of an address. It is signed with
 * `api.jwt_secret` together with a state of the account, and ends when that state changes: a new password ends all
 * proofs, a confirmed address those of addresses. So each works once, and none is stored.
 */
export function createProofs(secret: () => string) {
  const sign = (payload: string, what: ProofClaims["for"], state: ProofState): string =>
    createHmac("sha256", secret())
      .update(`mail proof\0${payload}\0${textOf(what, state)}`)
      .digest("base64url");

  return {
    make(claims: ProofClaims, state: ProofState): string {
      const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
      return `${payload}.${sign(payload, claims.for, state)}`;
    },

    /** What it claims, not yet checked. Null for another text. */
    read(proof: string): ProofClaims | null {
      if (proof.length > LONGEST_PROOF) return null;
      try {
        return claimsSchema.parse(JSON.parse(Buffer.from(proof.split(".")[0]!, "base64url").toString()));
      } catch {
        return null;
      }
    },

    isValid(proof: string, state: ProofState, now: number): boolean {
      const [payload = "", signature = ""] = proof.split(".");
      const claims = this.read(proof);
      return (
        claims !== null &&
        claims.until > now &&
        equalInConstantTime(signature, sign(payload, claims.for, state))
      );
    },
  };
}

export function createSignInMails(
  deps: Core & { repository: ContactRepository; mail: AuthMail },
): SignInMails {
  const notifierOf =
    (kind: "sign_in" | "passkey"): NotifyOfClient =>
    async (tx, { id, username }, { address, browser, os }) => {
      const { repository, mail, clock } = deps;
      const contact = mail.isOffered() ? await repository.reachable(id, tx.db) : null;
      if (contact === null || contact.choices.sign_in === "off") return;
      const { email, language } = contact;
      const content = {
        username,
        address: address ?? "?",
        browser: [browser, os].filter((name) => name !== null).join(", ") || "?",
        at: clock.now(),
        url: mail.panelUrl("/account"),
      };
      await mail.queue(tx, { accountId: id, email, language }, { kind, content });
    };
  return {
    newBrowser: notifierOf("sign_in"),
    newPasskey: notifierOf("passkey"),
  };
}
