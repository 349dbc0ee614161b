/**
 * The answers of a share's code: the file, or a page that lists the folder. `?folder=` and `?file=` select an entry of
 * it. Crawlers and link previews get a page instead of a file, so they use up no download. A right password sets a
 * cookie (cookie.ts); wrong ones are limited per address like sign-ins, and delay the share.
 */
import { isbot } from "isbot";
import { STATUS_OF_KIND } from "../../http/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { listingCursor, readCursor } from "../tree/listing-page.ts";
import type { Folders } from "../tree/folders.service.ts";
import { archivedFolder, type ShareArchive } from "./archive.routes.ts";
import type { ShareDownload, Visitor } from "./download.routes.ts";
import type { UnlockCookies } from "../../visitors/cookie.ts";
import type { VisitorPages } from "../../visitors/look.ts";
import { messagePage, notKeptPage, passwordPage } from "../../visitors/messages.ts";
import { answerPage, type VisitorPage } from "../../visitors/page.ts";
import { isBrowser, pathWithQuery, type Unlock, type VisitorConnection } from "../../visitors/unlock.ts";
import { filePage, folderPage, unlockedPage } from "./page.ts";
import type { SharedEntry } from "./share.ts";
import type { Shares } from "./service.ts";

export type ShareAnswers = {
  /** Answers a GET, HEAD or POST. Never rejects. */
  answer(linkId: number, request: Request, connection?: VisitorConnection): Promise<Response>;
};

type Deps = {
  shares: Shares;
  folders: Pick<Folders, "page">;
  download: ShareDownload;
  archive: ShareArchive;
  cookies: UnlockCookies;
  unlock: Unlock;
  pages: VisitorPages;
  clock: Clock;
  logger: Logger;
};

const PAGE = 500;
/**
 * Programs that fetch files for a person, HTTP libraries and browsers in tests: for isbot robots, here only if they
 * call themselves so.
 */
const FETCHERS =
  /^(?:curl|wget|aria2|axel|httpie|xh|rclone|python|go-http-client|okhttp|axios|node|undici|got |bun|deno|java|apache-httpclient|libwww-perl|lwp|ruby|rest-client|faraday|typhoeus|guzzlehttp|php|dart|reqwest|hackney|postmanruntime|insomnia|lynx|elinks|links|w3m)|headlesschrome/i;
const ROBOTS = /bot\b|crawl|spider|preview/i;

export function createShareAnswers(deps: Deps): ShareAnswers {
  const { shares, cookies, download, archive, pages, clock } = deps;

  async function show(share: SharedEntry, request: Request, visitor: Visitor): Promise<Response> {
    const archived = archivedFolder(share, request.url);
    if (archived !== null && !isRobot(request)) return archive(share, archived, request, visitor);
    const query = queryOf(request.url);
    const wanted = fileIn(share, query);
    if (wanted === null) {
      return answerPage(await folderHtml(deps, share, query, request), 200, request);
    }
    const file = await shares.file(share, wanted);
    if (!isRobot(request)) return download(share, file, request, visitor);
    return answerPage(
      filePage(pages.look(request), file, share.kind === "file" ? `/${share.code}` : `?file=${file.id}`),
      200,
      request,
    );
  }

  async function respond(share: SharedEntry, request: Request, connection?: VisitorConnection) {
    if (request.method === "POST") return unlock(deps, share, request, connection);
    if (share.passwordHash !== null && !cookies.opens(share, request.headers.get("cookie"), clock.now())) {
      return answerPage(passwordPage(pages.look(request), "share"), 401, request, {
        "WWW-Authenticate": "Form",
      });
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
        if (share === null) {
          const look = pages.look(request);
          return answerPage(messagePage(look, look.texts.share.notFound), 404, request);
        }
        return await respond(share, request, connection);
      } catch (error) {
        return failure(error, request, deps);
      }
    },
  };
}

async function folderHtml(
  { shares, folders, pages }: Deps,
  share: SharedEntry,
  query: URLSearchParams,
  request: Request,
): Promise<VisitorPage> {
  const path = await shares.folders(share, idOf(query.get("folder")) ?? share.entryId);
  const after = query.get("after");
  const folder = path.at(-1)!;
  const page = await folders.page(share.accountId, folder, after === null ? null : readCursor(after), PAGE);
  return folderPage(pages.look(request), { ...page, path, next: page.next && listingCursor(page.next) });
}

async function unlock(
  deps: Deps,
  share: SharedEntry,
  request: Request,
  connection?: VisitorConnection,
): Promise<Response> {
  const { shares, unlock: form, cookies, pages, clock } = deps;
  const location = pathWithQuery(share.code, request.url);
  const headers = { Location: location, "Cache-Control": "private, no-store" };
  const { linkId, passwordHash } = share;
  if (passwordHash === null) return new Response(null, { status: 303, headers });
  const refused = await form.refusal({ linkId, passwordHash }, request, connection);
  if (refused !== null) return refused;
  const cookie = { "Set-Cookie": cookies.make(share, share.code, clock.now()) };
  if (isBrowser(request) && !cookies.isKept(request)) {
    return answerPage(notKeptPage(pages.look(request)), 200, request, cookie);
  }
  const file = fileIn(share, queryOf(request.url));
  if (file === null || !isBrowser(request)) {
    return new Response(null, { status: 303, headers: { ...headers, ...cookie } });
  }
  const page = unlockedPage(pages.look(request), await shares.file(share, file), location);
  return answerPage(page, 200, request, cookie);
}

/** Null for a folder. */
const fileIn = (share: SharedEntry, query: URLSearchParams): number | null =>
  share.kind === "file" ? share.entryId : idOf(query.get("file"));

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

function failure(error: unknown, request: Request, { pages, logger }: Deps): Response {
  const look = pages.look(request);
  const { share: texts } = look.texts;
  if (error instanceof AppError && error.kind !== "internal") {
    const isMissing = error.kind === "not_found";
    if (error.kind === "bad_gateway") logger.warn({ err: error }, "a share could not be served");
    const page = messagePage(look, isMissing ? texts.notFound : texts.notNow);
    return answerPage(page, STATUS_OF_KIND[error.kind], request);
  }
  logger.error({ err: error }, "a share could not be served");
  return answerPage(messagePage(look, texts.failed), 500, request);
}
