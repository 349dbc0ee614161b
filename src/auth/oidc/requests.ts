/** Requests to the provider: bounded in time and size, and the library that makes them. */
import type * as OpenId from "openid-client";
import { readBounded } from "../../lib/bounded-text.ts";
import type { OidcClient } from "./settings.ts";

export const TIMEOUT_S = 8;
const MOST_ANSWER_BYTES = 512 * 1024;

/** Does not answer, or answers that it is in trouble. */
export class ProviderAway extends Error {}

/** At the first use: installations without OpenID Connect don't pay for it. */
export const loadOpenId = (): Promise<typeof OpenId> => import("openid-client");

/** The setting allows this on the same machine only. */
export const isInsecure = ({ issuer }: OidcClient): boolean => issuer.startsWith("http:");

export async function boundedFetch(url: string, options: OpenId.CustomFetchOptions): Promise<Response> {
  const tooLong = () => new Error(`The provider's answer is longer than ${MOST_ANSWER_BYTES} bytes.`);
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(url, options as RequestInit);
    text = answer.status === 204 ? "" : await readBounded(answer, MOST_ANSWER_BYTES, tooLong);
  } catch (cause) {
    throw new ProviderAway("The provider of OpenID Connect does not answer.", { cause });
  }
  if (answer.status >= 500 || answer.status === 429) {
    throw new ProviderAway(`The provider of OpenID Connect answers ${answer.status}.`);
  }
  const body = [101, 204, 205, 304].includes(answer.status) ? null : text;
  return new Response(body, { status: answer.status, headers: answer.headers });
}

/** Libraries wrap what a request throws. */
export function isProviderAway(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof ProviderAway || at.name === "TimeoutError") return true;
  }
  return false;
}
