/**
 * The answers of a share's code: the file, or a page that lists the folder. `?folder=` and `?file=` select an entry of
 * it. Crawlers and link previews get a page instead of a file, so they use up no download. A right password sets a
 * cookie (cookie.ts); wrong ones are limited per address like sign-ins, and delay the share.
 */
import { isbot } from "isbot";
import type { BodyMemory } from "../../http/body-memory.ts";
import { STATUS_OF_KIND } from "../../http/errors.ts";
import { readText } from "../../http/read-body.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { listingCursor, readCursor } from "../tree/listing-page.ts";
import type { Folders } from "../tree/folders.service.ts";
import type { createShareCookies } from "./cookie.ts";
import type { ShareDownload, Visitor } from "./download.routes.ts";
import { answerPage, filePage, folderPage, messagePage, passwordPage, unlockedPage } from "./page.ts";
import type { SharedEntry } from "./share.ts";
import type { Shares } from "./service.ts";

export type ShareConnection = {
  requestIP(request: Request): { address: string } | null;
  timeout?(request: Request, seconds: number): void;
};

export type ShareAnswers = {
  /** Answers a GET, HEAD or POST. Never rejects. */
  answer(linkId: number, request: Request, connection?: ShareConnection): Promise<Response>;
};

export type ShareGuards = {
  /** Counts a password attempt of the address before reading its form. @throws RateLimitExceeded */
  takeTry(address: string): void | Promise<void>;
  /** @throws RateLimitExceeded, ServiceUnavailable; neither counts as wrong */
  checkPassword(attempt: { shareId: number; password: string; passwordHash: string }): Promise<boolean>;
  /** The client's address behind trusted proxies. */
  clientAddress(peer: string, forwardedFor: string | null): string;
};

type Deps = {
  shares: Shares;
  folders: Pick<Folders, "page">;
  download: ShareDownload;
  cookies: ReturnType<typeof createShareCookies>;
  door: ShareGuards;
  bodies: BodyMemory;
  clock: Clock;
  logger: Logger;
};

const FORM_BYTES = 16 * 1024;
const PAGE = 500;
/**
 * Programs that fetch files for a person, HTTP libraries and browsers in tests: for isbot robots, here only if they
 * call themselves so.
 */
const FETCHERS =
  /^(?:curl|wget|aria2|axel|httpie|xh|rclone|python|go-http-client|okhttp|axios|node|undici|got |bun|deno|java|apache-httpclient|libwww-perl|lwp|ruby|rest-client|faraday|typhoeus|guzzlehttp|php|dart|reqwest|hackney|postmanruntime|insomnia|lynx|elinks|links|w3m)|headlesschrome/i;
const ROBOTS = /bot\b|crawl|spider|preview/i;

export function createShareAnswers(deps: Deps): ShareAnswers {
  const { shares, cookies, download, clock, logger } = deps;

  async function show(share: SharedEntry, request: Request, visitor: Visitor): Promise<Response> {
    const query = queryOf(request.url);
    const wanted = fileIn(share, query);
    if (wanted === null) {
      return answerPage(await folderHtml(deps, share, query), 200, request);
    }
    const file = await shares.file(share, wanted);
    if (!isRobot(request)) return download(share, file, request, visitor);
    return answerPage(
      filePage(file, share.kind === "file" ? `/${share.code}` : `?file=${file.id}`),
      200,
      request,
    );
  }

  async function respond(share: SharedEntry, request: Request, connection?: ShareConnection) {
    if (request.method === "POST") return unlock(deps, share, request, connection);
    if (share.passwordHash !== null && !cookies.opens(share, request.headers.get("cookie"), clock.now())) {
      return answerPage(passwordPage(null), 401, request, { "WWW-Authenticate": "Form" });
    }
    return show(share, request, {
      liftIdleTimeout: () => connection?.timeout?.(request, 0),
      cut: () => connection?.timeout?.(request, 1),
    });
  }

  return {
    async answer(linkId, request, connection) {
      try {
        const share = await shares.find(linkId);
        if (share === null)
          return answerPage(messagePage("Not found", "This share has ended."), 404, request);
        return await respond(share, request, connection);
      } catch (error) {
        return failure(error, request, logger);
      }
    },
  };
}

async function folderHtml(
  { shares, folders }: Deps,
  share: SharedEntry,
  query: URLSearchParams,
): Promise<string> {
  const path = await shares.folders(share, idOf(query.get("folder")) ?? share.entryId);
  const after = query.get("after");
  const folder = path.at(-1)!;
  const page = await folders.page(share.accountId, folder, after === null ? null : readCursor(after), PAGE);
  return folderPage({ ...page, path, next: page.next && listingCursor(page.next) });
}

async function unlock(
  deps: Deps,
  share: SharedEntry,
  request: Request,
  connection?: ShareConnection,
): Promise<Response> {
  const { shares, door, cookies, clock } = deps;
  const at = request.url.indexOf("?");
  const location = `/${share.code}${at === -1 ? "" : request.url.slice(at).replace(/[^\x21-\x7e]/g, "")}`;
  const headers = { Location: location, "Cache-Control": "private, no-store" };
  if (share.passwordHash === null) return new Response(null, { status: 303, headers });
  const peer = connection?.requestIP(request)?.address ?? "unix";
  try {
    await door.takeTry(door.clientAddress(peer, request.headers.get("x-forwarded-for")));
    const password = (await readForm(deps, request, connection)).get("password") ?? "";
    const attempt = { shareId: share.linkId, password, passwordHash: share.passwordHash };
    if (!(await door.checkPassword(attempt))) {
      return answerPage(passwordPage("This password is wrong."), 403, request);
    }
  } catch (error) {
    const seconds = error instanceof AppError ? error.details?.["retryAfterSeconds"] : undefined;
    if (!(error instanceof AppError) || seconds === undefined) throw error;
    const wait = { "Retry-After": String(seconds) };
    return answerPage(passwordPage(error.message), STATUS_OF_KIND[error.kind], request, wait);
  }
  const cookie = { "Set-Cookie": cookies.make(share, clock.now()) };
  const file = fileIn(share, queryOf(request.url));
  // Browsers accept HTML, programs that fetch a file do not.
  if (file === null || !/\btext\/html\b/i.test(request.headers.get("accept") ?? "")) {
    return new Response(null, { status: 303, headers: { ...headers, ...cookie } });
  }
  return answerPage(unlockedPage(await shares.file(share, file), location), 200, request, cookie);
}

/** Null for a folder. */
const fileIn = (share: SharedEntry, query: URLSearchParams): number | null =>
  share.kind === "file" ? share.entryId : idOf(query.get("file"));

async function readForm({ bodies }: Deps, request: Request, connection?: ShareConnection) {
  const reservation = bodies.enter();
  try {
    const cut = () => connection?.timeout?.(request, 1);
    return new URLSearchParams(await readText({ request, reservation, cut }, FORM_BYTES));
  } finally {
    reservation.leave();
  }
}

const isRobot = (request: Request): boolean => {
  const agent = request.headers.get("user-agent") ?? "";
  return isbot(agent) && (ROBOTS.test(agent) || !FETCHERS.test(agent));
};

const queryOf = (url: string): URLSearchParams => {
  const at = url.indexOf("?");
  return new URLSearchParams(at === -1 ? "" : url.slice(at).replace(/#.*/s, ""));
};

/** Null without a value. An impossible id becomes an unknown one. */
const idOf = (value: string | null): number | null =>
  value === null ? null : /^[1-9]\d{0,14}$/.test(value) ? Number(value) : Number.NaN;

function failure(error: unknown, request: Request, logger: Logger): Response {
  if (error instanceof AppError && error.kind !== "internal") {
    const isMissing = error.kind === "not_found";
    if (error.kind === "bad_gateway") logger.warn({ err: error }, "a share could not be served");
    const sentence = isMissing ? "This share does not exist or has ended." : error.message;
    return answerPage(
      messagePage(isMissing ? "Not found" : "Not now", sentence),
      STATUS_OF_KIND[error.kind],
      request,
    );
  }
  logger.error({ err: error }, "a share could not be served");
  return answerPage(messagePage("Something went wrong", "Try again later."), 500, request);
}
