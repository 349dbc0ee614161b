/**
 * The cookie of a visitor who gave the password of a link or share: its end, and an HMAC over end, link and password
 * hash. It opens this link only, for an hour or until the link is deleted or its password changes.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { keepsSecureCookies } from "../lib/secure-cookies.ts";

const MAX_AGE_S = 3_600;
/** A neighbour may set a cookie of the same name. */
const MOST_LOOKED_AT = 4;

type CookieSettings = {
  /** Of any length, the same on all nodes. */
  secret(): string;
  /** Over HTTPS only. */
  isSecure(): boolean;
};

export type LockedLink = { linkId: number; createdAt: number; passwordHash: string | null };

export const unlockCookieName = (linkId: number): string => `waymark_share_${linkId}`;

export type UnlockCookies = ReturnType<typeof createUnlockCookies>;

export function createUnlockCookies({ secret, isSecure }: CookieSettings) {
  const nameOf = ({ linkId }: LockedLink): string => unlockCookieName(linkId);
  const macOf = ({ linkId, createdAt, passwordHash }: LockedLink, until: number): Buffer =>
    createHmac("sha256", secret())
      .update(JSON.stringify(["waymark share", linkId, createdAt, passwordHash, until]))
      .digest();

  return {
    /** Value of Set-Cookie. `code`: the one that the visitor used. */
    make(link: LockedLink, code: string, nowMs: number): string {
      const until = Math.floor(nowMs / 1000) + MAX_AGE_S;
      const value = `${until}.${macOf(link, until).toString("base64url")}`;
      const secure = isSecure() ? "; Secure" : "";
      return `${nameOf(link)}=${value}; Path=/${code}; Max-Age=${MAX_AGE_S}; HttpOnly; SameSite=Lax${secure}`;
    },

    isKept: (request: Request): boolean => !isSecure() || keepsSecureCookies(request),

    opens(link: LockedLink, header: string | null, nowMs: number): boolean {
      const name = `${nameOf(link)}=`;
      return (header ?? "")
        .split(";")
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(name))
        .slice(0, MOST_LOOKED_AT)
        .some((pair) => isValid(link, pair.slice(name.length), nowMs));
    },
  };

  function isValid(link: LockedLink, value: string, nowMs: number): boolean {
    const match = /^(\d{1,12})\.([\w-]{43})$/.exec(value);
    if (match === null) return false;
    const until = Number(match[1]);
    const isFresh = until * 1000 > nowMs && until * 1000 <= nowMs + (MAX_AGE_S + 1) * 1000;
    return isFresh && timingSafeEqual(Buffer.from(match[2]!, "base64url"), macOf(link, until));
  }
}
