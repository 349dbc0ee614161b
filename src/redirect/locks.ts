/**
 * Links whose password is enforced. A visitor without the cookie gets a form that reveals nothing of the target. A
 * right password sets the cookie and leads to the code again through a page, because browsers do not let a form's
 * answer redirect to another site.
 */
import type { Clock } from "../lib/clock.ts";
import type { LockedLink, UnlockCookies } from "../visitors/cookie.ts";
import type { VisitorPages } from "../visitors/look.ts";
import { notKeptPage, passwordPage, rightPage } from "../visitors/messages.ts";
import { answerPage } from "../visitors/page.ts";
import { isBrowser, pathWithQuery, type Unlock } from "../visitors/unlock.ts";
import type { Arrival } from "../wire/arrival.ts";
import type { PeerSource } from "./visit.ts";

export type Locks = ReturnType<typeof createLocks>;

type Deps = {
  /** Null without such a link or without its password. */
  find(linkId: number): Promise<(LockedLink & { passwordHash: string }) | null>;
  cookies: UnlockCookies;
  form: Unlock;
  pages: VisitorPages;
  clock: Clock;
};

export function createLocks({ find, cookies, form, pages, clock }: Deps) {
  return {
    /** Null if the visitor may pass, else the form. Rejects if the database fails. */
    async refusal(linkId: number, request: Arrival): Promise<Response | null> {
      const link = await find(linkId);
      if (link === null || cookies.opens(link, request.headers.get("cookie"), clock.now())) return null;
      return answerPage(passwordPage(pages.look(request), "link"), 401, request, {
        "WWW-Authenticate": "Form",
      });
    },

    /** Answers the form. `code`: the one that the visitor used. Rejects if the database fails. */
    async unlock(linkId: number, code: string, request: Request, peers?: PeerSource): Promise<Response> {
      const link = await find(linkId);
      const refused = link === null ? null : await form.refusal(link, request, peers);
      if (refused !== null) return refused;
      const location = pathWithQuery(code, request.url);
      const cookie: Record<string, string> =
        link === null ? {} : { "Set-Cookie": cookies.make(link, code, clock.now()) };
      if (link !== null && isBrowser(request) && !cookies.isKept(request)) {
        return answerPage(notKeptPage(pages.look(request)), 200, request, cookie);
      }
      if (isBrowser(request))
        return answerPage(rightPage(pages.look(request), location), 200, request, cookie);
      const headers = { Location: location, "Cache-Control": "private, no-store", ...cookie };
      return new Response(null, { status: 303, headers });
    },
  };
}
