/**
 * A visitor of a drop box is identified by a cookie of 128 random bits. The database and the owner have only its hash.
 * Its path is the whole site, because a box is also reached by aliases, rules of other links and misspelt codes.
 */
import { keepsSecureCookies } from "../../lib/secure-cookies.ts";
import { pairsOf } from "../../visitors/cookie.ts";

const MAX_AGE_S = 365 * 24 * 3_600;
/** A neighbour may set a cookie of the same name. */
const VALUE = /^[0-9a-f]{32}$/;

export type Sender = {
  /** The hash. */
  id: string;
  /** Value of Set-Cookie for a visitor without the cookie. */
  cookie: string | null;
};

export type Senders = ReturnType<typeof createSenders>;

export function createSenders({ isSecure }: { isSecure(): boolean }) {
  const nameOf = (linkId: number): string => `waymark_drop_${linkId}`;
  const hashOf = (linkId: number, value: string): string =>
    new Bun.CryptoHasher("sha256").update(`waymark drop ${linkId} ${value}`).digest("hex");

  /** The hash of the visitor's cookie; null without one. Browsers send cookies of longer paths first, such as old ones. */
  function known(linkId: number, header: string | null): string | null {
    const value = pairsOf(header, `${nameOf(linkId)}=`).findLast((one) => VALUE.test(one));
    return value === undefined ? null : hashOf(linkId, value);
  }

  return {
    known,

    /** A hash as of the cookie. */
    addressOf: (linkId: number, address: string): string => hashOf(linkId, `at ${address}`),

    /** Whether the visitor's browser keeps the cookie. */
    remembers: (request: Request): boolean => !isSecure() || keepsSecureCookies(request),

    /** The visitor, or a new one. */
    of({ linkId }: { linkId: number }, request: Request): Sender {
      const id = known(linkId, request.headers.get("cookie"));
      if (id !== null) return { id, cookie: null };
      const value = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
      const secure = isSecure() ? "; Secure" : "";
      const cookie = `${nameOf(linkId)}=${value}; Path=/; Max-Age=${MAX_AGE_S}; HttpOnly; SameSite=Lax${secure}`;
      return { id: hashOf(linkId, value), cookie };
    },
  };
}
