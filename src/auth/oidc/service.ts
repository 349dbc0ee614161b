/**
 * Sign-in by OpenID Connect: authorization code with PKCE, state and nonce. Each sign-in applies the rules of admission
 * again, so a claim that was taken away takes the role, or the way in.
 */
import { useOnce } from "../account.repository.ts";
import type { AuthCore, NotifyOfClient, RequestClient } from "../auth-core.ts";
import { AppError, appError, messageOf } from "../../lib/errors.ts";
import type { SecretBox } from "../../lib/secret-box.ts";
import type { SignInEvents } from "../login/sign-in-events.ts";
import { type FormerTokens, formerSessions, type TokenKey, type Tokens } from "../sessions/tokens.ts";
import type { SignedIn } from "../sessions/session.ts";
import type { Sessions } from "../sessions/service.ts";
import type { UsersRepository } from "../users/repository.ts";
import { toAccount } from "../users/user.ts";
import { admit, hasSecondFactor, admissionRules, type OidcClient, oidcClient } from "./admission.ts";
import {
  type Provider,
  type ProviderResponse,
  OidcRefusal,
  isProviderAway,
  type Attempt,
} from "./provider.ts";
import { createJoining } from "./joining.ts";
import type { OidcRepository } from "./repository.ts";
import { errors, jwtVerify, SignJWT } from "jose";
import { z } from "zod";

type Deps = AuthCore & {
  provider: Provider;
  repository: OidcRepository;
  users: UsersRepository;
  sessions: Sessions;
  tokens: Tokens;
  signIns: SignInEvents;
  notifyNewBrowser: NotifyOfClient;
  box: SecretBox;
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
    async startSignIn({ redirectUri, to, ...sent }: Pick<Flow, "redirectUri" | "to"> & FormerTokens) {
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

    /** What keeps the provider from answering; empty: nothing. People can't sign in by it before it answers. */
    async test(redirectUri: string): Promise<string> {
      const client = oidcClient(config);
      if (client === null) return "Enter the issuer and the client ID first.";
      try {
        const attempt = { ...(await provider.newSecrets()), redirectUri };
        await provider.authorizationUrl(client, config.get("oidc.scopes"), attempt);
        return "";
      } catch (error) {
        return messageOf(error);
      }
    },

    /** What this browser started; null when it did not, or more than ten minutes ago. */
    readFlow: (cookies: readonly string[], state: string): Promise<Flow | null> =>
      readFlow(cookies, state, signing),

    /** @param query of the callback  @throws OidcRefusal */
    async finishSignIn(
      flow: Flow,
      { query, client: visitor }: { query: string; client: RequestClient },
    ): Promise<SignedIn> {
      const client = oidcClient(config);
      if (client === null || client.issuer !== flow.issuer) throw new OidcRefusal("expired");
      try {
        const response = await provider.redeem(client, query, flow);
        return await signIn(deps, client, { response, visitor, flow });
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

type Arrival = { response: ProviderResponse; visitor: RequestClient; flow: Pick<Flow, "knows" | "state"> };

async function signIn(deps: Deps, client: OidcClient, arrival: Arrival): Promise<SignedIn> {
  const { config, repository, changes, sessions, signIns, box, clock } = deps;
  const { response, visitor, flow } = arrival;
  const { subject, claims, idToken } = response;
  if (subject === "" || subject.length > LONGEST_SUBJECT) throw new OidcRefusal("failed");
  const identity = { issuer: client.issuer, subject };
  const joining = createJoining(deps);
  const sealedToken = await box.seal(idToken, TOKEN_PURPOSE);
  const admitted = admit(claims, admissionRules(config));
  const outcome = await repeatLostRaces(() =>
    changes.write(async (tx) => {
      const now = clock.now();
      const end = now + FLOW_SECONDS * 1000;
      const isFirst = await useOnce(tx.db, { kind: "oidc", secret: flow.state }, { end, now });
      if (!isFirst) throw new OidcRefusal("expired");
      const known = await joining.findUser(tx, identity);
      if ("refused" in admitted) {
        if (known !== null) await sessions.endAllOf(tx, known.id);
        return admitted;
      }
      const { email } = admitted;
      const before = known ?? (await joining.joinByEmail(tx, { identity, email }));
      const user = before ?? (await joining.createUser(tx, { identity, claims, admitted }));
      if (user.disabled) return { refused: "disabled", reason: null } as const;
      const current = await joining.applyRole(tx, user, admitted.role);
      const by = hasSecondFactor(claims) ? "oidc_mfa" : "oidc";
      const { id, username } = current;
      await signIns.succeeded(tx.db, { username, address: visitor.address, via: "panel", by });
      const browser = flow.knows.find((one) => one.id === id);
      if (before !== null && browser === undefined)
        await deps.notifyNewBrowser(tx, toAccount(current), visitor);
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

/**
 * What the browser keeps between the start of a sign-in and the callback: signed, for ten minutes, and bound to the
 * browser, so nobody can be signed in to another's account by a prepared callback. HttpOnly; the verifier in it is of no
 * use without the code.
 */
export const FLOW_SECONDS = 600;
const LONGEST_COOKIE = 4096;
const ALGORITHM = "HS256";
/** Separates these tokens from other uses of the secret. */
const AUDIENCE = "waymark oidc";

const flowSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  to: z.string(),
  issuer: z.string(),
  knows: z.array(z.object({ id: z.int(), factorId: z.string().nullable() })),
});

type Flow = Attempt & {
  /** Where the panel goes after it. */
  to: string;
  /** The setting may change meanwhile. */
  issuer: string;
  /** Accounts that the browser has signed in to. The callback may not get the cookies that prove it (SameSite=Strict). */
  knows: readonly { id: number; factorId: string | null }[];
};

const keyOf = (secret: string): Uint8Array => new TextEncoder().encode(secret);

const signFlow = (flow: Flow, { secret, clock }: TokenKey): Promise<string> =>
  new SignJWT(flow)
    .setProtectedHeader({ alg: ALGORITHM })
    .setAudience(AUDIENCE)
    .setExpirationTime(Math.floor(clock.now() / 1000) + FLOW_SECONDS)
    .sign(keyOf(secret()));

/** The first of the cookies that is ours and belongs to the state. */
async function readFlow(
  cookies: readonly string[],
  state: string,
  { secret, clock }: TokenKey,
): Promise<Flow | null> {
  for (const cookie of cookies) {
    if (cookie.length > LONGEST_COOKIE) continue;
    try {
      const { payload } = await jwtVerify(cookie, keyOf(secret()), {
        algorithms: [ALGORITHM],
        audience: AUDIENCE,
        requiredClaims: ["exp"],
        currentDate: new Date(clock.now()),
      });
      const flow = flowSchema.safeParse(payload).data;
      if (flow?.state === state) return flow;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
    }
  }
  return null;
}
