/**
 * Links whose password is enforced. A visitor without the cookie gets a form that reveals nothing of the target. A
 * right password sets the cookie and leads to the code again through a page, because browsers do not let the response
 * to a form redirect to another site.
 */
import type { LockedLink } from "../visitors/cookie.ts";
import type { VisitorPages } from "../visitors/look.ts";
import { rightPage } from "../visitors/messages.ts";
import { pageResponse } from "../visitors/page.ts";
import { isBrowser, pathWithQuery, seeOther, type Unlock } from "../visitors/unlock.ts";
import type { Arrival } from "../platform/wire/arrival.ts";
import type { PeerSource } from "./visit.ts";

export type Locks = ReturnType<typeof createLocks>;

type Deps = {
  /** The locked link; null if it is gone or has no password. */
  find(linkId: number): Promise<(LockedLink & { passwordHash: string }) | null>;
  form: Unlock;
  pages: VisitorPages;
};

export function createLocks({ find, form, pages }: Deps) {
  return {
    /** The password form, or null if the visitor may pass. Rejects if the database fails. */
    async refusal(linkId: number, request: Arrival): Promise<Response | null> {
      const link = await find(linkId);
      return link === null ? null : form.lock(link, request);
    },

    /** Responds to the form. `code`: the one that the visitor used. `beyond`: see Visit. Rejects if the database fails. */
    async unlock(
      linkId: number,
      { code, beyond }: { code: string; beyond: string },
      request: Request,
      peers?: PeerSource,
    ): Promise<Response> {
      const link = await find(linkId);
      const entered = link === null ? {} : await form.enter(link, code, request, peers);
      if (entered instanceof Response) return entered;
      const location = pathWithQuery(code + beyond, request.url);
      if (isBrowser(request))
        return pageResponse(rightPage(pages.look(request), location), 200, request, entered);
      return seeOther(location, entered);
    },
  };
}
