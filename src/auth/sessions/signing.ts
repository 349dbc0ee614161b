import type { Clock } from "../../lib/clock.ts";
import { hasShownFactor } from "../../lib/credential.ts";
import type { Account } from "../account.ts";
import type { AuthConfig } from "../auth-config.ts";
import { csrfToken } from "./csrf.ts";
import type { Session } from "./session.ts";
import type { Tokens } from "./tokens.ts";

const MINUTE_MS = 60_000;
const DEVICE_MS = 365 * 86_400_000;

export type SignedIn = {
  account: Account;
  access: string;
  refresh: string;
  csrf: string;
  /** Seconds. */
  accessMaxAge: number;
  refreshMaxAge: number;
};

type Deps = { tokens: Tokens; config: AuthConfig; clock: Clock };

/** The tokens of a session. */
export function createSigning({ tokens, config, clock }: Deps) {
  return {
    /** @param factorId the former session of the browser that has shown the second factor */
    async sign(session: Session, account: Account, factorId: string | null = null): Promise<SignedIn> {
      const now = clock.now();
      const accessExpiresAt = Math.min(
        now + config.get("api.access_token_minutes") * MINUTE_MS,
        session.expiresAt,
      );
      const claims = {
        accountId: session.accountId,
        role: account.role,
        sessionId: session.id,
        factorId: hasShownFactor(session.signedInBy) ? session.id : factorId,
      };
      return {
        account,
        access: await tokens.sign("access", {
          ...claims,
          tokenId: crypto.randomUUID(),
          expiresAt: accessExpiresAt,
        }),
        refresh: await tokens.sign("refresh", {
          ...claims,
          tokenId: session.refreshId,
          expiresAt: session.expiresAt,
        }),
        csrf: csrfToken(config.get("api.jwt_secret"), session.id),
        accessMaxAge: (accessExpiresAt - now) / 1000,
        refreshMaxAge: (session.expiresAt - now) / 1000,
      };
    },

    /** Null when one of `sent` proves as much of the browser. */
    async newDeviceToken(
      account: Account,
      sent: readonly string[],
    ): Promise<{ value: string; maxAge: number } | null> {
      if (account.credential === undefined) return null;
      const { sessionId, factorId } = account.credential;
      const known = (await Promise.all(sent.map((token) => tokens.verify("device", token)))).filter(
        (claims) => claims?.accountId === account.id,
      );
      const isEnough = factorId === null || known.some((claims) => claims?.factorId);
      if (known.length > 0 && isEnough) return null;
      const value = await tokens.sign("device", {
        accountId: account.id,
        role: account.role,
        sessionId,
        factorId,
        tokenId: crypto.randomUUID(),
        expiresAt: clock.now() + DEVICE_MS,
      });
      return { value, maxAge: DEVICE_MS / 1000 };
    },
  };
}
