/**
 * What a sign-in proved: a password alone or with a second factor, a passkey, or an identity at the provider of OpenID
 * Connect, alone or with a second factor, which the provider or Waymark required.
 */
export const SIGN_IN_METHODS = ["password", "totp", "recovery_code", "passkey", "oidc", "oidc_mfa"] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** Whether Waymark or the provider has required a second factor. Null: unknown, from before it was noted. */
export const hasShownFactor = (by: SignInMethod | null): boolean =>
  by !== null && by !== "password" && by !== "oidc";

/** The session of a request. */
export type Credential = {
  sessionId: string;
  /** Expiry of the access token, epoch ms. */
  expiresAt: number;
  signedInBy: SignInMethod | null;
  /** Epoch ms. */
  signedInAt: number;
  /** The last session of this browser that has shown the second factor. */
  factorId: string | null;
};
