/**
 * The cookie of a visitor who gave a share's password: its end, and an HMAC over that, the link and the password's
 * hash. It opens this share only, for an hour or until the share is revoked.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { SharedEntry } from "./share.ts";

const MAX_AGE_S = 3_600;
/** A neighbour may set a cookie of the same name. */
const MOST_LOOKED_AT = 4;

type CookieSettings = {
  /** Any length. The same on all nodes. */
  secret(): string;
  /** Over HTTPS only. */
  isSecure(): boolean;
};

type Locked = Pick<SharedEntry, "linkId" | "code" | "createdAt" | "passwordHash">;

export function createShareCookies({ secret, isSecure }: CookieSettings) {
  const nameOf = ({ linkId }: Locked): string => `waymark_share_${linkId}`;
  const macOf = ({ linkId, createdAt, passwordHash }: Locked, until: number): Buffer =>
    createHmac("sha256", secret())
      .update(JSON.stringify(["waymark share", linkId, createdAt, passwordHash, until]))
      .digest();

  return {
    /** Value of Set-Cookie. */
    make(share: Locked, nowMs: number): string {
      const until = Math.floor(nowMs / 1000) + MAX_AGE_S;
      const value = `${until}.${macOf(share, until).toString("base64url")}`;
      const secure = isSecure() ? "; Secure" : "";
      return `${nameOf(share)}=${value}; Path=/${share.code}; Max-Age=${MAX_AGE_S}; HttpOnly; SameSite=Lax${secure}`;
    },

    opens(share: Locked, header: string | null, nowMs: number): boolean {
      const name = `${nameOf(share)}=`;
      return (header ?? "")
        .split(";")
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(name))
        .slice(0, MOST_LOOKED_AT)
        .some((pair) => isValid(share, pair.slice(name.length), nowMs));
    },
  };

  function isValid(share: Locked, value: string, nowMs: number): boolean {
    const match = /^(\d{1,12})\.([\w-]{43})$/.exec(value);
    if (match === null) return false;
    const until = Number(match[1]);
    const isFresh = until * 1000 > nowMs && until * 1000 <= nowMs + (MAX_AGE_S + 1) * 1000;
    return isFresh && timingSafeEqual(Buffer.from(match[2]!, "base64url"), macOf(share, until));
  }
}
