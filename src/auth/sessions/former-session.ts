import type { Tokens } from "./tokens.ts";

/** What a browser sends of earlier sessions. */
export type FormerTokens = { refreshTokens: readonly string[]; deviceTokens: readonly string[] };

/** `factorId`: the last one that has shown the second factor. */
export type FormerSession = { sessionId: string; factorId: string | null };

/** The former sessions of a browser, by the id of their account. */
export async function formerSessions(
  tokens: Pick<Tokens, "verify">,
  { refreshTokens, deviceTokens }: FormerTokens,
): Promise<ReadonlyMap<number, FormerSession>> {
  const found = new Map<number, FormerSession>();
  for (const [type, sent] of [
    ["refresh", refreshTokens],
    ["device", deviceTokens],
  ] as const) {
    for (const token of sent) {
      const claims = await tokens.verify(type, token);
      if (claims === null) continue;
      const { accountId, sessionId, factorId } = claims;
      const known = found.get(accountId) ?? { sessionId, factorId };
      found.set(accountId, { ...known, factorId: known.factorId ?? factorId });
    }
  }
  return found;
}
