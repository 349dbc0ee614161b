/**
 * `/{code}+` shows where a link leads, without a click. Links with a password or a limit have no such page, because it
 * would show their target. With `features.report_links` it has a form for reports.
 */
import { filled } from "../lib/message.ts";
import { AppError } from "../lib/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { isInternal, isReport } from "../links/link/internal-target.ts";
import { codeOf } from "../links/link/key.ts";
import type { Link } from "../links/link/link.ts";
import { readOptions } from "../links/link/field-values.ts";
import { MOST_DETAILS, REPORT_REASONS, type ReportReason } from "../links/safety/report.ts";
import type { Look, VisitorPages } from "../visitors/look.ts";
import { messagePage } from "../visitors/messages.ts";
import { pageResponse, htmlPage, text } from "../visitors/page.ts";
import { inline } from "../visitors/style.ts";
import { type UnlockGuards, waitText } from "../visitors/unlock.ts";
import type { Arrival } from "../platform/wire/arrival.ts";
import type { Lost } from "./responses.ts";
import { endOfPath, keyIn, type PathDomains } from "./path-code.ts";
import { HELD_AS } from "./special.ts";
import type { PeerSource } from "./visit.ts";

type ShownLink = Pick<Link, "id" | "code" | "target" | "options" | "expiresAt" | "passwordHash">;

type Deps = {
  /** Finds a link by its key or an alias. Rejects if the database fails. */
  find(key: string): Promise<ShownLink | null>;
  /** False if there are enough of this link. */
  report(link: ShownLink, report: { reason: ReportReason; details: string | null }): Promise<boolean>;
  takesReports(): boolean;
  guards: Pick<UnlockGuards, "takeTry" | "clientAddress">;
  /** Rejects for what is no form. */
  readForm(request: Request, peers?: PeerSource): Promise<URLSearchParams>;
  pages: VisitorPages;
  domains: PathDomains;
  lost: Pick<Lost, "onDomain" | "closed">;
  clock: Clock;
};

export function createTargetPage(deps: Deps) {
  const { find, report, takesReports, guards, readForm, pages, domains, lost, clock } = deps;

  /** Or why it shows nothing. Null: no link has the key. */
  async function shown(request: Arrival, key: string): Promise<ShownLink | Response | null> {
    const link = await find(key);
    if (link === null) return null;
    const nothing = () => lost.onDomain(request, domains.of(request.host), "unknown");
    if (link.passwordHash !== null) return nothing();
    const { held, maxClicks, startsAt } = readOptions(link.options);
    if (held !== null) return lost.closed(request, HELD_AS[held.state]);
    const now = clock.now();
    const isOpen = (link.expiresAt ?? now + 1) > now && (startsAt ?? now) <= now;
    return isOpen && maxClicks === null ? link : nothing();
  }

  async function takeReport(link: ShownLink, visitor: Arrival, request: Request, peers?: PeerSource) {
    const { texts, ...look } = pages.look(visitor);
    const say = (status: number, title: string, sentence: string, more = {}) =>
      pageResponse(messagePage({ ...look, texts }, { title, sentence }), status, visitor, more);
    try {
      const peer = peers?.requestIP(request)?.address ?? "unix";
      await guards.takeTry(guards.clientAddress(peer, request.headers.get("x-forwarded-for")));
    } catch (error) {
      const seconds = error instanceof AppError ? Number(error.details?.["retryAfterSeconds"]) : Number.NaN;
      if (!(seconds >= 0)) throw error;
      const sentence = filled(texts.password.wait, { time: waitText(look.language, seconds) });
      return say(429, texts.target.report, sentence, { "Retry-After": String(seconds) });
    }
    const form = await readForm(request, peers).catch(() => null);
    if (form === null) return say(400, texts.target.report, texts.share.failed.sentence);
    const reason = REPORT_REASONS.find((one) => one === form.get("reason")) ?? "other";
    const details = (form.get("details") ?? "").replaceAll(/[\p{Cc}\p{Bidi_Control}]+/gu, " ").toWellFormed();
    const given = { reason, details: details.trim().slice(0, MOST_DETAILS).toWellFormed() || null };
    const isTaken = await report(link, given);
    return say(200, texts.target.report, isTaken ? texts.target.thanks : texts.target.full);
  }

  return {
    /** The key of the link whose page is requested, or null. */
    keyIn({ path, host, method }: Arrival): string | null {
      if (method !== "GET" && method !== "HEAD" && !(method === "POST" && takesReports())) return null;
      const end = endOfPath(path);
      if (path[end - 1] !== "+") return null;
      const domain = domains.of(host);
      return keyIn(path.slice(0, end - 1), domain, domains.ignoresCase(domain));
    },

    /** Null: no link has the key. Rejects if the database fails. */
    async respond(key: string, visitor: Arrival, peers?: PeerSource): Promise<Response | null> {
      // Made before anything waits, so that the body is read from the start.
      const request = visitor.method === "POST" ? visitor.request() : null;
      const link = await shown(visitor, key);
      if (link === null || link instanceof Response) return link;
      if (request !== null) return takeReport(link, visitor, request, peers);
      return pageResponse(targetPage(pages.look(visitor), link, key, takesReports()), 200, visitor);
    },
  };
}

function targetPage(look: Look, { target, options }: ShownLink, key: string, takesReports: boolean) {
  const texts = look.texts.target;
  const reasons = REPORT_REASONS.map((one) => `<option value="${one}">${text(texts.reasons[one])}</option>`);
  const leads = isInternal(target)
    ? `<p class="soft">${text(isReport(target) ? texts.ownReport : texts.own)}</p>`
    : `<p class="soft">${text(texts.leads)}</p>\n<p dir="ltr"><b>${text(target)}</b></p>`;
  const rules = readOptions(options).rules === null ? "" : `<p class="soft">${text(texts.rules)}</p>\n`;
  const form = `
<form method="post">
<label>${text(texts.why)}<select name="reason" required>${reasons.join("")}</select></label>
<label>${text(texts.details)}<textarea name="details" rows="3" maxlength="${MOST_DETAILS}"></textarea></label>
<button>${text(texts.send)}</button>
</form>`;
  return htmlPage(look, {
    title: texts.title,
    content: `<h1>${text(texts.title)}</h1>
${leads}
${rules}<a class="button" rel="nofollow" href="/${text(codeOf(key))}">${text(texts.go)}</a>${
      takesReports ? `\n<details>\n<summary>${text(texts.report)}</summary>${form}\n</details>` : ""
    }`,
    styles: STYLES,
  });
}

const STYLES = [inline("details{margin-top:1.5rem}summary{cursor:pointer}label+label{margin-top:1rem}")];
