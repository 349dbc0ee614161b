import type { SessionClient } from "../auth-core.ts";
import { z } from "zod";
import { createView } from "../../lib/case-names.ts";
import { SIGN_IN_METHODS, type SignInMethod } from "../../lib/credential.ts";
import { namedObject } from "../../lib/named-object.ts";
import type { Account } from "../account.ts";

export type Session = {
  /** A UUID. */
  id: string;
  /** 0: the built-in administrator. */
  accountId: number;
  /** Epoch ms, like the other times. */
  createdAt: number;
  expiresAt: number;
  /** The valid refresh token, and the one it replaced. */
  refreshId: string;
  previousId: string | null;
  rotatedAt: number | null;
  revokedAt: number | null;
  signedInBy: SignInMethod | null;
} & SessionClient;

/** `account` is null when deleted or disabled. */
export type SessionOwner = { session: Session; account: Account | null };

export type SignedIn = {
  account: Account;
  access: string;
  refresh: string;
  csrf: string;
  /** Seconds. */
  accessMaxAge: number;
  refreshMaxAge: number;
};

type Alive = { session: Session; account: Account };

export const isAlive = (owner: SessionOwner | null, now: number): owner is Alive =>
  owner !== null &&
  owner.account !== null &&
  owner.session.revokedAt === null &&
  owner.session.expiresAt > now;

const sessionView = namedObject("ListedSession", {
  id: z.uuid(),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().describe("the sign-in or the last refresh"),
  expires_at: z.iso.datetime().describe("later with each refresh"),
  address: z.string().nullable().describe("of the client, at the sign-in or the last refresh"),
  browser: z.string().nullable().describe("or program, from the User-Agent of the sign-in"),
  os: z.string().nullable(),
  signed_in_by: z
    .enum(SIGN_IN_METHODS)
    .nullable()
    .describe("totp and recovery_code: beside the password; oidc_mfa: with a second factor; null: unknown"),
});

export const ownSessionView = sessionView.extend({ current: z.boolean().describe("sent this request") });
ownSessionView.register(z.globalRegistry, { id: "OwnSession" });

const view = createView(sessionView);

export const viewSession = (session: Session) =>
  view({ ...session, lastUsedAt: session.rotatedAt ?? session.createdAt });
