import type { Tokens } from "./tokens.ts";

/** What a browser sends of earlier sessions. */
export type FormerTokens = { refreshTokens: readonly string[]; deviceTokens: readonly string[] };

/** The former sessions of a browser, by the id of their account. */
export async function formerSessions(
  tokens: Pick<Tokens, "verify">,
  { refreshTokens, deviceTokens }: FormerTokens,
): Promise<ReadonlyMap<number, { sessionId: string }>> {
  const found = new Map<number, { sessionId: string }>();
  for (const [type, sent] of [
    ["refresh", refreshTokens],
    ["device", deviceTokens],
  ] as const) {
    for (const token of sent) {
      const claims = await tokens.verify(type, token);
      if (claims !== null && !found.has(claims.accountId)) {
        found.set(claims.accountId, { sessionId: claims.sessionId });
      }
    }
  }
  return found;
}
