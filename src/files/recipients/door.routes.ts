/** Lets verified recipients into a share: the form for the address, the one for the code, and the cookie after it. */
import { filled } from "../../lib/message.ts";
import { addressGroup } from "../../lib/ip-address.ts";
import { emailSchema } from "../../lib/email-address.ts";
import type { Clock } from "../../lib/clock.ts";
import type { VisitorDoor } from "../../visitors/door.ts";
import { messagePage, notKeptPage } from "../../visitors/messages.ts";
import { pageResponse, type VisitorPage, htmlPage, text } from "../../visitors/page.ts";
import { isBrowser, type VisitorConnection } from "../../visitors/unlock.ts";
import type { RecipientCodes } from "./codes.ts";
import type { Look } from "../../visitors/look.ts";
import { inline } from "../../visitors/style.ts";

type Deps = {
  codes: RecipientCodes;
  mailsAreSent(): boolean;
  door: Pick<VisitorDoor, "pages" | "cookies" | "createTries">;
  clock: Clock;
};

type Verified = { linkId: number; code: string; title: string | null; createdAt: number };

export type RecipientDoor = ReturnType<typeof createRecipientDoor>;

const FORM = { "WWW-Authenticate": "Form" };

export function createRecipientDoor({ codes, mailsAreSent, door, clock }: Deps) {
  const { pages, cookies } = door;
  const tried = door.createTries(addressPage);
  const lockOf = ({ linkId, createdAt }: Verified, recipient: number) => ({
    linkId,
    createdAt,
    passwordHash: null,
    recipient,
  });

  async function submit(share: Verified, visitor: Request, form: URLSearchParams, address: string) {
    const look = pages.look(visitor);
    const parsed = emailSchema.safeParse((form.get("email") ?? "").trim());
    if (!parsed.success) return { page: addressPage(look, look.texts.recipient.noAddress), status: 400 };
    const request = { linkId: share.linkId, email: parsed.data, client: addressGroup(address) };
    const code = form.get("code")?.trim() ?? "";
    if (code === "") {
      void codes.request(request, share.title ?? share.code, look.language);
      return { page: codePage(look, request.email), status: 200 };
    }
    const id = await codes.check(request, code);
    return id ?? { page: codePage(look, request.email, look.texts.recipient.wrong), status: 403 };
  }

  return {
    /** The proved address, or the form. */
    async lock(share: Verified, request: Request): Promise<{ email: string } | Response> {
      const header = request.headers.get("cookie");
      for (const id of cookies.recipientsIn(share.linkId, header)) {
        if (!cookies.opens(lockOf(share, id), header, clock.now())) continue;
        const email = await codes.emailOf(id, share.linkId);
        if (email !== null) return { email };
      }
      const look = pages.look(request);
      if (mailsAreSent()) return pageResponse(addressPage(look), 401, request, FORM);
      return pageResponse(messagePage(look, look.texts.recipient.noMail), 503, request);
    },

    /** The header with the cookie after a right code, else the response. Rejects if the request is no form. */
    enter(
      share: Verified,
      request: Request,
      connection?: VisitorConnection,
    ): Promise<Response | { "Set-Cookie": string }> {
      const respond = (page: VisitorPage, status: number, more = {}) =>
        pageResponse(page, status, request, more);
      return tried(request, connection, async (form, address) => {
        const shown = await submit(share, request, form, address);
        if (typeof shown !== "number") return respond(shown.page, shown.status);
        const cookie = { "Set-Cookie": cookies.make(lockOf(share, shown), share.code, clock.now()) };
        if (!isBrowser(request) || cookies.isKept(request)) return cookie;
        return respond(notKeptPage(pages.look(request), "recipient"), 200, cookie);
      });
    },
  };
}

const PLAIN = inline("form+form{margin:0}.plain{margin-top:.75rem;background:none;color:var(--accent-ink)}");

const problemHtml = (problem: string | null): string =>
  problem === null ? "" : `<p class="warn" role="alert">${text(problem)}</p>`;

/**
 * Asks for the address. This page and the next reveal nothing of the share or its list.
 *
 * @param problem why the last try was refused
 */
export function addressPage(look: Look, problem: string | null = null): VisitorPage {
  const { title, intro, seen, address, send } = look.texts.recipient;
  return htmlPage(look, {
    title,
    content: `<h1>${text(title)}</h1>
<p class="soft">${text(intro)}</p>
<p class="soft">${text(seen)}</p>
${problemHtml(problem)}
<form method="post">
<label>${text(address)}<input type="email" name="email" required autofocus autocomplete="email" maxlength="254"></label>
<button>${text(send)}</button>
</form>`,
  });
}

export function codePage(look: Look, email: string, problem: string | null = null): VisitorPage {
  const { codeTitle, sent, code, again } = look.texts.recipient;
  const known = `<input type="hidden" name="email" value="${text(email)}">`;
  return htmlPage(look, {
    title: codeTitle,
    content: `<h1>${text(codeTitle)}</h1>
<p class="soft">${text(filled(sent, { email }))}</p>
${problemHtml(problem)}
<form method="post">
${known}<label>${text(code)}<input name="code" required autofocus inputmode="numeric" pattern="[0-9]{6}" autocomplete="one-time-code" maxlength="6"></label>
<button>${text(look.texts.password.open)}</button>
</form>
<form method="post">
${known}<button class="plain">${text(again)}</button>
</form>`,
    styles: [PLAIN],
  });
}
