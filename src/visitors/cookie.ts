/**
 * The cookie of a visitor who gave the password of a link or share: its end, and an HMAC over end, link and password
 * hash. It opens this link only, for an hour or until the link is deleted or its password changes; uploads extend it.
 * That of a recipient who has proved an address is bound to the recipient and lasts half a day.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { keepsSecureCookies } from "../lib/secure-cookies.ts";

const MAX_AGE_S = 3_600;
const RECIPIENT_AGE_S = 12 * 3_600;
/** A neighbour may set a cookie of the same name. */
const MOST_LOOKED_AT = 4;

type CookieSettings = {
  /** A secret of any length, the same on all nodes. */
  secret(): string;
  /** Over HTTPS only. */
  isSecure(): boolean;
};

export type LockedLink = {
  linkId: number;
  createdAt: number;
  passwordHash: string | null;
  /** Id of a recipient, whose proof it is. */
  recipient?: number;
};

export const unlockCookieName = (linkId: number): string => `waymark_share_${linkId}`;

const recipientCookie = (linkId: number): string => `waymark_recipient_${linkId}_`;

/** What follows the beginning in the first pairs that have it. */
export const pairsOf = (header: string | null, begin: string): string[] =>
  (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(begin))
    .slice(0, MOST_LOOKED_AT)
    .map((pair) => pair.slice(begin.length));

export type UnlockCookies = ReturnType<typeof createUnlockCookies>;

export function createUnlockCookies({ secret, isSecure }: CookieSettings) {
  const nameOf = ({ linkId, recipient }: LockedLink): string =>
    recipient === undefined ? unlockCookieName(linkId) : `${recipientCookie(linkId)}${recipient}`;
  const ageOf = ({ recipient }: LockedLink): number =>
    recipient === undefined ? MAX_AGE_S : RECIPIENT_AGE_S;
  const macOf = ({ linkId, createdAt, passwordHash, recipient }: LockedLink, until: number): Buffer =>
    createHmac("sha256", secret())
      .update(
        JSON.stringify(
          recipient === undefined
            ? ["waymark share", linkId, createdAt, passwordHash, until]
            : ["waymark recipient", linkId, createdAt, recipient, until],
        ),
      )
      .digest();

  return {
    /** Value of Set-Cookie. `code`: the one that the visitor used. */
    make(link: LockedLink, code: string, nowMs: number): string {
      const age = ageOf(link);
      const until = Math.floor(nowMs / 1000) + age;
      const value = `${until}.${macOf(link, until).toString("base64url")}`;
      const secure = isSecure() ? "; Secure" : "";
      return `${nameOf(link)}=${value}; Path=/${code}; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`;
    },

    /** Ids in cookies of recipients, which `opens` has to check. */
    recipientsIn(linkId: number, header: string | null): number[] {
      const ids = pairsOf(header, recipientCookie(linkId)).map((rest) => Number(rest.split("=", 1)[0]));
      return [...new Set(ids.filter((id) => Number.isSafeInteger(id) && id > 0))];
    },

    isKept: (request: Request): boolean => !isSecure() || keepsSecureCookies(request),

    opens(link: LockedLink, header: string | null, nowMs: number): boolean {
      return pairsOf(header, `${nameOf(link)}=`).some((value) => isValid(link, value, nowMs));
    },
  };

  function isValid(link: LockedLink, value: string, nowMs: number): boolean {
    const match = /^(\d{1,12})\.([\w-]{43})$/.exec(value);
    if (match === null) return false;
    const until = Number(match[1]);
    const isFresh = until * 1000 > nowMs && until * 1000 <= nowMs + (ageOf(link) + 1) * 1000;
    return isFresh && timingSafeEqual(Buffer.from(match[2]!, "base64url"), macOf(link, until));
  }
}
