/**
 * What the browser keeps between the start of a sign-in and the callback: signed, for ten minutes, and bound to the
 * browser, so nobody can be signed in to another's account by a prepared callback. HttpOnly; the verifier in it is of no
 * use without the code.
 */
import { errors, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import type { Attempt } from "./provider.ts";

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

export type Flow = Attempt & {
  /** Where the panel goes after it. */
  to: string;
  /** The setting may change meanwhile. */
  issuer: string;
  /** Accounts that the browser has signed in to. The callback may not get the cookies that prove it (SameSite=Strict). */
  knows: readonly { id: number; factorId: string | null }[];
};

type Deps = { secret: () => string; clock: Clock };

const keyOf = (secret: string): Uint8Array => new TextEncoder().encode(secret);

export const signFlow = (flow: Flow, { secret, clock }: Deps): Promise<string> =>
  new SignJWT(flow)
    .setProtectedHeader({ alg: ALGORITHM })
    .setAudience(AUDIENCE)
    .setExpirationTime(Math.floor(clock.now() / 1000) + FLOW_SECONDS)
    .sign(keyOf(secret()));

/** The first of the cookies that is ours and belongs to the state. */
export async function readFlow(
  cookies: readonly string[],
  state: string,
  { secret, clock }: Deps,
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
