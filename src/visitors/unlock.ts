/**
 * Checks the password that a visitor sends with the form of messages.ts. Tries are limited per address like sign-ins;
 * wrong passwords delay the link.
 */
import type { BodyMemory } from "../http/body-memory.ts";
import { STATUS_OF_KIND } from "../http/errors.ts";
import { readText } from "../http/read-body.ts";
import { AppError } from "../lib/errors.ts";
import type { Look, VisitorPages } from "./look.ts";
import { passwordPage, type Protected } from "./messages.ts";
import { answerPage } from "./page.ts";
import { waitText } from "./wait-text.ts";

export type VisitorConnection = {
  requestIP(request: Request): { address: string } | null;
  timeout?(request: Request, seconds: number): void;
};

export type UnlockGuards = {
  /** Counts a password attempt of the address before reading its form. @throws RateLimitExceeded */
  takeTry(address: string): void | Promise<void>;
  /** @throws RateLimitExceeded, ServiceUnavailable; neither counts as wrong */
  checkPassword(attempt: { linkId: number; password: string; passwordHash: string }): Promise<boolean>;
  /** The client's address behind trusted proxies. */
  clientAddress(peer: string, forwardedFor: string | null): string;
};

export type Unlock = ReturnType<typeof createUnlock>;

type Deps = { what: Protected; pages: VisitorPages; guards: UnlockGuards; bodies: BodyMemory };

const FORM_BYTES = 16 * 1024;

export function createUnlock({ what, pages, guards, bodies }: Deps) {
  async function readForm(request: Request, connection?: VisitorConnection) {
    const reservation = bodies.enter();
    try {
      const cut = () => connection?.timeout?.(request, 1);
      return new URLSearchParams(await readText({ request, reservation, cut }, FORM_BYTES));
    } finally {
      reservation.leave();
    }
  }

  return {
    /** Null if the password is right, else the answer. Rejects if the request is no form. */
    async refusal(
      link: { linkId: number; passwordHash: string },
      request: Request,
      connection?: VisitorConnection,
    ): Promise<Response | null> {
      const peer = connection?.requestIP(request)?.address ?? "unix";
      try {
        await guards.takeTry(guards.clientAddress(peer, request.headers.get("x-forwarded-for")));
        const password = (await readForm(request, connection)).get("password") ?? "";
        if (await guards.checkPassword({ ...link, password })) return null;
        const look = pages.look(request);
        return answerPage(passwordPage(look, what, look.texts.password.wrong), 403, request);
      } catch (error) {
        const seconds = error instanceof AppError ? error.details?.["retryAfterSeconds"] : undefined;
        if (!(error instanceof AppError) || seconds === undefined) throw error;
        const wait = { "Retry-After": String(seconds) };
        const look = pages.look(request);
        const page = passwordPage(look, what, waiting(look, error, Number(seconds)));
        return answerPage(page, STATUS_OF_KIND[error.kind], request, wait);
      }
    },
  };
}

function waiting({ language, texts }: Look, { kind }: AppError, seconds: number): string {
  const time = waitText(language, seconds);
  return kind === "rate_limited" ? texts.password.wait(time) : texts.password.busy(time);
}

/** Browsers accept HTML, programs do not. */
export const isBrowser = ({ headers }: { headers: Pick<Headers, "get"> }): boolean =>
  /\btext\/html\b/i.test(headers.get("accept") ?? "");

/** Leads to the code with the request's query. */
export function pathWithQuery(code: string, url: string): string {
  const at = url.indexOf("?");
  return `/${code}${at === -1 ? "" : url.slice(at).replace(/[^\x21-\x7e]/g, "")}`;
}
