/**
 * Sign-in by OpenID Connect: authorization code with PKCE, state and nonce. Each sign-in applies the rules of admission
 * again, so a claim that was taken away takes the role, or the way in.
 */
import type { Db } from "../../platform/db/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, appError } from "../../lib/errors.ts";
import type { RecordEvents } from "../../lib/event.ts";
import type { Logger } from "../../lib/logger.ts";
import type { SecretBox } from "../../lib/secret-box.ts";
import type { Account } from "../account.ts";
import type { AuthConfig } from "../auth-config.ts";
import type { AuthChanges, AuthTransaction } from "../changes.ts";
import type { SignInEvents } from "../login/sign-in-events.ts";
import { type FormerTokens, formerSessions } from "../sessions/former-session.ts";
import type { SessionClient } from "../sessions/session.ts";
import type { Sessions } from "../sessions/service.ts";
import type { SignedIn } from "../sessions/signing.ts";
import type { Tokens } from "../sessions/tokens.ts";
import type { UsersRepository } from "../users/repository.ts";
import { toAccount } from "../users/user.ts";
import { admit, hasSecondFactor } from "./admission.ts";
import { type Flow, FLOW_SECONDS, readFlow, signFlow } from "./flow-cookie.ts";
import type { Provider, ProviderResponse } from "./provider.ts";
import { OidcRefusal } from "./refusal.ts";
import { isProviderAway } from "./requests.ts";
import { applyRole, findUser, joinByEmail, makeUser } from "./joining.ts";
import type { OidcRepository } from "./repository.ts";
import { admissionRules, type OidcClient, type OidcConfig, oidcClient } from "./settings.ts";

type Deps = {
  provider: Provider;
  repository: OidcRepository;
  users: UsersRepository;
  sessions: Sessions;
  tokens: Pick<Tokens, "verify">;
  signIns: SignInEvents;
  /** A browser that the account has not used before has signed in. */
  tellNewBrowser(tx: AuthTransaction, account: Account, client: SessionClient): Promise<void>;
  changes: AuthChanges;
  record: RecordEvents<Db>;
  box: SecretBox;
  config: AuthConfig & OidcConfig;
  clock: Clock;
  logger: Logger;
};

export type Oidc = ReturnType<typeof createOidc>;

const MOST_RACES = 3;
export const TOKEN_PURPOSE = "oidc id token";
const LONGEST_SUBJECT = 255;

export function createOidc(deps: Deps) {
  const { provider, repository, tokens, signIns, box, config, clock, logger } = deps;
  const signing = { secret: () => config.get("api.jwt_secret"), clock };

  const isOn = (): boolean => oidcClient(config) !== null;
  const isPasswordOn = (): boolean => config.get("oidc.password_sign_in") || !isOn();

  /** @throws OidcRefusal */
  function explain(error: unknown, client: OidcClient): never {
    if (error instanceof OidcRefusal) {
      if (error.reason !== null)
        logger.warn({ issuer: client.issuer }, `a sign-in by OpenID Connect was refused: ${error.reason}`);
      throw error;
    }
    const isAway = isProviderAway(error);
    const isDenied = (error as { error?: unknown }).error === "access_denied";
    logger.warn({ err: error, issuer: client.issuer }, "a sign-in by OpenID Connect failed");
    throw new OidcRefusal(isAway ? "away" : isDenied ? "denied" : "failed");
  }

  return {
    /** What the sign-in page offers: the text of the button (null: none; empty: a usual one), and the password. */
    waysToSignIn: () => ({ oidc: isOn() ? config.get("oidc.label") : null, password: isPasswordOn() }),

    /** @throws Forbidden while people sign in by OpenID Connect only */
    refusePassword(): void {
      if (isPasswordOn()) return;
      throw appError(
        "Forbidden",
        "Sign-in with a password is off. Use the other button of the sign-in page.",
      );
    },

    /** Why sign-in with a password can't be turned off. */
    refusalOfPasswordSignIn: (text: string): string | null =>
      text === "true" || isOn()
        ? null
        : "oidc.password_sign_in: nobody could sign in. Set oidc.issuer and oidc.client_id first, and try that sign-in.",

    /** The address at the provider, and the cookie for the callback. Null while it is off. @throws OidcRefusal */
    async start({ redirectUri, to, ...sent }: Pick<Flow, "redirectUri" | "to"> & FormerTokens) {
      const client = oidcClient(config);
      if (client === null) return null;
      try {
        const attempt = { ...(await provider.newSecrets()), redirectUri };
        const url = await provider.authorizationUrl(client, config.get("oidc.scopes"), attempt);
        const former = await formerSessions(tokens, sent);
        const knows = [...former].map(([id, { factorId }]) => ({ id, factorId }));
        const cookie = await signFlow({ ...attempt, to, issuer: client.issuer, knows }, signing);
        return { url: url.href, cookie };
      } catch (error) {
        return explain(error, client);
      }
    },

    /** What this browser started; null when it did not, or more than ten minutes ago. */
    flowOf: (cookies: readonly string[], state: string): Promise<Flow | null> =>
      readFlow(cookies, state, signing),

    /** @param query of the callback  @throws OidcRefusal */
    async finish(
      flow: Flow,
      { query, client: visitor }: { query: string; client: Visitor },
    ): Promise<SignedIn> {
      const client = oidcClient(config);
      if (client === null || client.issuer !== flow.issuer) throw new OidcRefusal("expired");
      try {
        const answer = await provider.redeem(client, query, flow);
        return await signIn(deps, client, { answer, visitor, flow });
      } catch (error) {
        const reason = error instanceof OidcRefusal ? error.reason : null;
        await signIns.failed({ username: null, address: visitor.address, via: "panel", reason });
        return explain(error, client);
      }
    },

    /**
     * Where a sign-out goes on, so that the session at the provider ends too. Null without such a session, and while
     * the provider is away: the sign-out here never waits for it in vain.
     */
    async endSessionUrl(sessionIds: readonly string[], returnTo: string): Promise<string | null> {
      const client = oidcClient(config);
      const sealed = client === null ? null : await repository.findIdToken(sessionIds);
      if (client === null || sealed === null) return null;
      try {
        const url = await provider.endSessionUrl(client, box.open(sealed, TOKEN_PURPOSE), returnTo);
        return url?.href ?? null;
      } catch (error) {
        logger.warn({ err: error, issuer: client.issuer }, "the session at the provider was not ended");
        return null;
      }
    },
  };
}

type Visitor = SessionClient & { address: string };
type Arrival = { answer: ProviderResponse; visitor: Visitor; flow: Pick<Flow, "knows" | "state"> };

async function signIn(deps: Deps, client: OidcClient, arrival: Arrival): Promise<SignedIn> {
  const { config, repository, changes, sessions, signIns, box, clock } = deps;
  const { answer, visitor, flow } = arrival;
  const { subject, claims, idToken } = answer;
  if (subject === "" || subject.length > LONGEST_SUBJECT) throw new OidcRefusal("failed");
  const identity = { issuer: client.issuer, subject };
  const sealedToken = await box.seal(idToken, TOKEN_PURPOSE);
  const admitted = admit(claims, admissionRules(config));
  const outcome = await repeatLostRaces(() =>
    changes.write(async (tx) => {
      const now = clock.now();
      const end = now + FLOW_SECONDS * 1000;
      if (!(await repository.takeState(tx.db, flow.state, { end, now }))) throw new OidcRefusal("expired");
      const known = await findUser(deps, tx, identity);
      if ("refused" in admitted) {
        if (known !== null) await sessions.endAllOf(tx, known.id);
        return admitted;
      }
      const { email } = admitted;
      const before = known ?? (await joinByEmail(deps, tx, { identity, email }));
      const user = before ?? (await makeUser(deps, tx, { identity, claims, admitted }));
      if (user.disabled) return { refused: "disabled", reason: null } as const;
      const current = await applyRole(deps, tx, user, admitted.role);
      const by = hasSecondFactor(claims) ? "oidc_mfa" : "oidc";
      const { id, username } = current;
      await signIns.succeeded(tx.db, { username, address: visitor.address, via: "panel", by });
      const browser = flow.knows.find((one) => one.id === id);
      if (before !== null && browser === undefined)
        await deps.tellNewBrowser(tx, toAccount(current), visitor);
      const session = await sessions.open(tx, id, visitor, by);
      await repository.keepIdToken(tx.db, session.id, sealedToken);
      return { account: toAccount(current), session, factorId: browser?.factorId ?? null };
    }),
  );
  if ("refused" in outcome) throw new OidcRefusal(outcome.refused, outcome.reason);
  return sessions.sign(outcome.session, outcome.account, outcome.factorId);
}

/** Another sign-in of the same person, or one that took the same name, was faster. */
async function repeatLostRaces<T>(run: () => Promise<T>): Promise<T> {
  for (let race = 1; ; race++) {
    try {
      return await run();
    } catch (error) {
      const isLost = error instanceof AppError && error.name === "Conflict";
      if (!isLost || race === MOST_RACES) throw error;
    }
  }
}
