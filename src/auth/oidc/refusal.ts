/** Why a sign-in did not work, for the sign-in page, which has a sentence for each. */
export const OIDC_TROUBLES = [
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
