/**
 * Asks for the password of a link or share, and checks what a visitor sends with the form of messages.ts. Tries are limited per address like sign-ins;
 * wrong passwords delay the link.
 */
import { filled } from "../lib/message.ts";
import type { BodyMemory } from "../platform/http/body-memory.ts";
import { STATUS_OF_KIND } from "../platform/http/errors.ts";
import { readText } from "../platform/http/read-body.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { LockedLink, UnlockCookies } from "./cookie.ts";
import type { Look, VisitorPages } from "./look.ts";
import { notKeptPage, passwordPage, type Protected } from "./messages.ts";
import { pageResponse, type VisitorPage } from "./page.ts";
import type { Language } from "../lib/language.ts";

export type VisitorConnection = {
  requestIP(request: Request): { address: string } | null;
  timeout?(request: Request, seconds: number): void;
  /** False when its response has left as a whole, or its client. */
  isResponding?(request: Request): boolean;
  /** Whether its response leaves as a whole, once it has left or its client has. */
  responded?(request: Request): Promise<boolean>;
  /** Ends the connection at once, if the response is under way. */
  cutResponse?(request: Request): void;
};

export type AddressGuards = {
  /** Counts a password attempt of the address before reading its form. @throws RateLimitExceeded */
  takeTry(address: string): void | Promise<void>;
  /** The client's address behind trusted proxies. */
  clientAddress(peer: string, forwardedFor: string | null): string;
};

export type UnlockGuards = AddressGuards & {
  /**
   * The hash that the link has from now on; null for a wrong password. @throws RateLimitExceeded, ServiceUnavailable;
   * neither counts as wrong
   */
  checkPassword(attempt: { linkId: number; password: string; passwordHash: string }): Promise<string | null>;
};

export type Unlock = ReturnType<typeof createUnlock>;

type Deps = {
  what: Protected;
  pages: VisitorPages;
  cookies: UnlockCookies;
  guards: UnlockGuards;
  bodies: BodyMemory;
  clock: Clock;
};

const FORM_BYTES = 16 * 1024;

/** Rejects if the request is no form, or too large. */
export const createFormReader =
  (bodies: BodyMemory) =>
  async (request: Request, connection?: VisitorConnection): Promise<URLSearchParams> => {
    const reservation = bodies.enter();
    try {
      const cut = () => connection?.timeout?.(request, 1);
      return new URLSearchParams(await readText({ request, reservation, cut }, FORM_BYTES));
    } finally {
      reservation.leave();
    }
  };

type Tries = Pick<Deps, "pages" | "bodies"> & { guards: AddressGuards };
type Run<T> = (form: URLSearchParams, address: string) => Promise<T>;

/** Visitors try with a form, as often as their address may. Who must wait gets the page of `again` with the reason. */
export function createTries(
  { pages, guards, bodies }: Tries,
  again: (look: Look, problem: string) => VisitorPage,
) {
  const readForm = createFormReader(bodies);
  return async <T>(request: Request, connection: VisitorConnection | undefined, run: Run<T>) => {
    const peer = connection?.requestIP(request)?.address ?? "unix";
    try {
      const address = guards.clientAddress(peer, request.headers.get("x-forwarded-for"));
      await guards.takeTry(address);
      return await run(await readForm(request, connection), address);
    } catch (error) {
      const seconds = error instanceof AppError ? error.details?.["retryAfterSeconds"] : undefined;
      if (!(error instanceof AppError) || seconds === undefined) throw error;
      const look = pages.look(request);
      const page = again(look, waiting(look, error, Number(seconds)));
      return pageResponse(page, STATUS_OF_KIND[error.kind], request, { "Retry-After": String(seconds) });
    }
  };
}

export function createUnlock({ what, pages, cookies, guards, bodies, clock }: Deps) {
  const asking = (look: Look, problem: string) => passwordPage(look, what, problem);
  const tried = createTries({ pages, guards, bodies }, asking);

  return {
    /** The form for a visitor whose cookie does not open the link; null for others. */
    lock(link: LockedLink, request: { method: string; headers: Pick<Headers, "get"> }): Response | null {
      if (link.passwordHash === null || cookies.opens(link, request.headers.get("cookie"), clock.now()))
        return null;
      return pageResponse(passwordPage(pages.look(request), what), 401, request, {
        "WWW-Authenticate": "Form",
      });
    },

    /** Opens the link for another hour to a visitor for whom it is not locked; a cookie of the response stays. */
    extend({ passwordHash, ...link }: LockedLink, code: string, { headers }: Response): void {
      if (passwordHash === null || headers.has("Set-Cookie")) return;
      headers.set("Set-Cookie", cookies.make({ ...link, passwordHash }, code, clock.now()));
    },

    /**
     * The header with the cookie after a right password, else the response. `code`: the one that the visitor used.
     * Rejects if the request is no form.
     */
    enter(
      { passwordHash, ...link }: LockedLink & { passwordHash: string },
      code: string,
      request: Request,
      connection?: VisitorConnection,
    ): Promise<Response | { "Set-Cookie": string }> {
      return tried(request, connection, async (form) => {
        const attempt = { linkId: link.linkId, passwordHash, password: form.get("password") ?? "" };
        const hash = await guards.checkPassword(attempt);
        const look = pages.look(request);
        if (hash === null) return pageResponse(asking(look, look.texts.password.wrong), 403, request);
        const cookie = { "Set-Cookie": cookies.make({ ...link, passwordHash: hash }, code, clock.now()) };
        if (!isBrowser(request) || cookies.isKept(request)) return cookie;
        return pageResponse(notKeptPage(look), 200, request, cookie);
      });
    },
  };
}

function waiting({ language, texts }: Look, { kind }: AppError, seconds: number): string {
  const time = waitText(language, seconds);
  return filled(kind === "rate_limited" ? texts.password.wait : texts.password.busy, { time });
}

/** Browsers accept HTML, programs do not. */
export const isBrowser = ({ headers }: { headers: Pick<Headers, "get"> }): boolean =>
  /\btext\/html\b/i.test(headers.get("accept") ?? "");

/** Leads to the code with the request's query. Of a code with a slash at its start, `//` would name another host. */
export function pathWithQuery(code: string, url: string): string {
  const at = url.indexOf("?");
  return `/${code.startsWith("/") ? "./" : ""}${code}${at === -1 ? "" : url.slice(at).replace(/[^\x21-\x7e]/g, "")}`;
}

/** To where a form leads. Nothing keeps it. */
export const seeOther = (location: string, more: Record<string, string>): Response =>
  new Response(null, {
    status: 303,
    headers: { Location: location, "Cache-Control": "private, no-store", ...more },
  });

/** Such as `1 second` or `15 Minuten`: whole minutes from two on. */
export function waitText(language: Language, seconds: number): string {
  const [unit, count] = seconds < 120 ? ["second", seconds] : ["minute", Math.ceil(seconds / 60)];
  return new Intl.NumberFormat(language, { style: "unit", unit: unit as string, unitDisplay: "long" }).format(
    count as number,
  );
}
