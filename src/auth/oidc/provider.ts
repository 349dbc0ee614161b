/**
 * Requests to a provider of OpenID Connect. Every sign-in reads the provider's keys anew, so a rotated key works at
 * once. Every request ends within seconds and reads a bounded response.
 */
import type * as OpenId from "openid-client";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Claims, OidcClient } from "./admission.ts";
import { readBounded } from "../../lib/bounded-text.ts";

const TIMEOUT_S = 8;
const MOST_RESPONSE_BYTES = 512 * 1024;

/** The provider does not respond, or responds that it is in trouble. */
class ProviderAway extends Error {}

/** At the first use: installations without OpenID Connect don't pay for it. */
const loadOpenId = (): Promise<typeof OpenId> => import("openid-client");

/** The setting allows this on the same machine only. */
const isInsecure = ({ issuer }: OidcClient): boolean => issuer.startsWith("http:");

async function boundedFetch(url: string, options: OpenId.CustomFetchOptions): Promise<Response> {
  const tooLong = () => new Error(`The provider's answer is longer than ${MOST_RESPONSE_BYTES} bytes.`);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, options as RequestInit);
    text = response.status === 204 ? "" : await readBounded(response, MOST_RESPONSE_BYTES, tooLong);
  } catch (cause) {
    throw new ProviderAway("The provider of OpenID Connect does not answer.", { cause });
  }
  if (response.status >= 500 || response.status === 429) {
    throw new ProviderAway(`The provider of OpenID Connect answers ${response.status}.`);
  }
  const body = [101, 204, 205, 304].includes(response.status) ? null : text;
  return new Response(body, { status: response.status, headers: response.headers });
}

/** Libraries wrap what a request throws. */
export function isProviderAway(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof ProviderAway || at.name === "TimeoutError") return true;
  }
  return false;
}

const RENEWED_MS = 3_600_000;
/** After a failure nobody waits for the provider again. */
const REST_MS = 5_000;

type Description = { of: string; metadata: OpenId.ServerMetadata; readAt: number };

/**
 * The provider's metadata (OpenID Connect Discovery 1.0). It is read at the first use, kept, and renewed each
 * hour; the old one serves while a renewal fails.
 */
function createDescriptions({ clock, logger }: { clock: Clock; logger: Logger }) {
  let known: Description | null = null;
  let failed: { of: string; at: number; error: unknown } | null = null;
  let reading: { of: string; done: Promise<Description> } | null = null;

  async function read(client: OidcClient): Promise<Description> {
    const openId = await loadOpenId();
    const found = await openId.discovery(new URL(client.issuer), client.clientId, undefined, openId.None(), {
      timeout: TIMEOUT_S,
      [openId.customFetch]: boundedFetch,
      ...(isInsecure(client) && { execute: [openId.allowInsecureRequests] }),
    });
    return { of: client.issuer, metadata: found.serverMetadata(), readAt: clock.now() };
  }

  /**
   * Concurrent calls share one request. @throws ProviderAway, or an error that names what is wrong with the description
   */
  return async function describe(client: OidcClient): Promise<OpenId.ServerMetadata> {
    const of = client.issuer;
    const now = clock.now();
    const kept = known?.of === of ? known : null;
    if (kept !== null && Math.abs(now - kept.readAt) < RENEWED_MS) return kept.metadata;
    if (failed?.of === of && Math.abs(now - failed.at) < REST_MS) {
      if (kept !== null) return kept.metadata;
      throw failed.error;
    }
    if (reading?.of !== of) reading = { of, done: read(client) };
    const mine = reading;
    try {
      known = await mine.done;
      return known.metadata;
    } catch (error) {
      failed = { of, at: clock.now(), error };
      if (kept === null) throw error;
      logger.warn(
        { err: error, issuer: of },
        "the provider's description was not renewed; the old one serves",
      );
      return kept.metadata;
    } finally {
      if (reading === mine) reading = null;
    }
  };
}

/** Why a sign-in did not work, for the sign-in page, which has a sentence for each. */
const OIDC_TROUBLES = [
  "away",
  "busy",
  "failed",
  "expired",
  "denied",
  "unverified",
  "not_allowed",
  "no_role",
  "disabled",
] as const;
export type OidcTrouble = (typeof OIDC_TROUBLES)[number];

/** `reason`: what was found, for administrators. */
export class OidcRefusal extends Error {
  constructor(
    readonly trouble: OidcTrouble,
    readonly reason: string | null = null,
  ) {
    super(trouble);
  }
}

/** What the provider gets to know at the start of a sign-in, and Waymark expects at its end. */
export type Attempt = { state: string; nonce: string; verifier: string; redirectUri: string };

export type ProviderResponse = { subject: string; claims: Claims; idToken: string };

export type Provider = ReturnType<typeof createProvider>;

export function createProvider(deps: { clock: Clock; logger: Logger }) {
  const describe = createDescriptions(deps);

  async function configure(client: OidcClient, way?: OpenId.ClientAuth): Promise<OpenId.Configuration> {
    const openId = await loadOpenId();
    const metadata = await describe(client);
    const configured = new openId.Configuration(
      withUserInfoAlgorithms(metadata),
      client.clientId,
      undefined,
      way ?? openId.None(),
    );
    configured.timeout = TIMEOUT_S;
    configured[openId.customFetch] = boundedFetch;
    openId.enableNonRepudiationChecks(configured);
    if (isInsecure(client)) openId.allowInsecureRequests(configured);
    return configured;
  }

  /** Some providers take the secret in one way only. A code stays valid when the client was not recognized. */
  async function redeem(client: OidcClient, url: URL, { state, nonce, verifier }: Attempt) {
    const openId = await loadOpenId();
    const checks = {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    };
    const secret = client.clientSecret;
    const ways =
      secret === "" ? [openId.None()] : [openId.ClientSecretBasic(secret), openId.ClientSecretPost(secret)];
    for (const [at, way] of ways.entries()) {
      const configured = await configure(client, way);
      try {
        return { configured, tokens: await openId.authorizationCodeGrant(configured, url, checks) };
      } catch (error) {
        const isUnrecognized = error instanceof openId.ResponseBodyError && error.error === "invalid_client";
        if (!isUnrecognized || at === ways.length - 1) throw error;
      }
    }
    throw new Error("There is no way left to authenticate at the token endpoint.");
  }

  return {
    /** Where the browser goes. @throws ProviderAway and others */
    async authorizationUrl(client: OidcClient, scopes: readonly string[], attempt: Attempt): Promise<URL> {
      const openId = await loadOpenId();
      return openId.buildAuthorizationUrl(await configure(client), {
        redirect_uri: attempt.redirectUri,
        scope: [...new Set(["openid", ...scopes])].join(" "),
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await openId.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: "S256",
      });
    },

    /**
     * Redeems the code and checks the ID token: signature, issuer, audience, times, nonce. Claims of the user-info
     * endpoint are added where there is one: JSON, or a JWT whose signature is checked like that of the ID token.
     * @throws ProviderAway, OidcRefusal and others
     */
    async redeem(client: OidcClient, query: string, attempt: Attempt): Promise<ProviderResponse> {
      const openId = await loadOpenId();
      const { configured, tokens } = await redeem(
        client,
        new URL(`${attempt.redirectUri}?${query}`),
        attempt,
      );
      const claims = tokens.claims()!;
      const hasMore = configured.serverMetadata().userinfo_endpoint !== undefined;
      const more = hasMore
        ? await openId.fetchUserInfo(configured, tokens.access_token, claims.sub).catch(refuseUserInfo)
        : {};
      return { subject: claims.sub, claims: { ...claims, ...more }, idToken: tokens.id_token! };
    },

    /** Ends the session at the provider, which leads back to `returnTo`; null where it has no such page. */
    async endSessionUrl(client: OidcClient, idToken: string, returnTo: string): Promise<URL | null> {
      const openId = await loadOpenId();
      const configured = await configure(client);
      if (configured.serverMetadata().end_session_endpoint === undefined) return null;
      return openId.buildEndSessionUrl(configured, {
        id_token_hint: idToken,
        post_logout_redirect_uri: returnTo,
      });
    },

    /** Three values that nobody can guess. */
    async newSecrets(): Promise<Omit<Attempt, "redirectUri">> {
      const openId = await loadOpenId();
      return {
        state: openId.randomState(),
        nonce: openId.randomNonce(),
        verifier: openId.randomPKCECodeVerifier(),
      };
    },
  };
}

/** A provider that signs the user info does so like ID tokens, unless its description differs. */
function withUserInfoAlgorithms(metadata: OpenId.ServerMetadata): OpenId.ServerMetadata {
  const { userinfo_signing_alg_values_supported: own, id_token_signing_alg_values_supported: others } =
    metadata;
  return { ...metadata, userinfo_signing_alg_values_supported: own ?? others ?? ["RS256"] };
}

/** @throws ProviderAway, or an OidcRefusal that names what the user info must be */
function refuseUserInfo(error: unknown): never {
  if (isProviderAway(error)) throw error;
  const found = deepestOf(error).message;
  throw new OidcRefusal(
    "failed",
    found.includes("JWE")
      ? "The provider encrypts the user info, which Waymark does not decrypt. Turn that off for this client at the provider."
      : `The user info of the provider does not count (${found}). It must be JSON, or a JWT for this client that a key of the provider has signed.`,
  );
}

/** What the library found, below what it makes of it. Its messages contain no values. */
function deepestOf(error: unknown): Error {
  let at = error instanceof Error ? error : new Error("it can't be read");
  for (let depth = 0; at.cause instanceof Error && depth < 5; depth++) at = at.cause;
  return at;
}
