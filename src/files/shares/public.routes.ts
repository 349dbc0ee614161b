/**
 * What visitors get at the code of a share (share-query.ts). Browsers get the page of a shared file, programs its
 * bytes. Crawlers, link previews and scanners get pages only, so they use up no download; and the picture that a page
 * names for its card, which counts as nothing. A right password sets a cookie (cookie.ts); wrong ones are limited per
 * address like sign-ins, and delay the share. Then `verify` asks for the proof of an address
 * (recipients/door.routes.ts).
 */
import type { Logger } from "../../lib/logger.ts";
import type { VisitorPages } from "../../visitors/look.ts";
import { pageResponse } from "../../visitors/page.ts";
import {
  isBrowser,
  pathWithQuery,
  seeOther,
  type Unlock,
  type VisitorConnection,
} from "../../visitors/unlock.ts";
import type { RecipientDoor } from "../recipients/door.routes.ts";
import type { VisitLog } from "../recipients/visits.ts";
import type { StoredFile } from "../tree/entry.ts";
import type { Folders } from "../tree/folders.service.ts";
import { pdfViewer } from "../pdf/viewer.ts";
import type { RespondWithThumbnail } from "../thumbnails/routes.ts";
import { mayHaveThumbnail } from "../thumbnails/service.ts";
import type { Downloader, ShareDownloads } from "./download.routes.ts";
import { createFailurePages } from "./failure.routes.ts";
import { filePage, unlockedPage } from "./file-page.ts";
import { type AddingForm, folderPage, neighboursOf, viewOfFolder } from "./folder-page.ts";
import { downloadsLeft } from "./page-parts.ts";
import type { SharePreview } from "./preview.routes.ts";
import { isCardPicture } from "./preview.ts";
import type { SharedEntry, VisitedShare } from "./share.ts";
import { type ShareQuery, parseShareQuery } from "./share-query.ts";
import type { Shares } from "./service.ts";
import { isbot } from "isbot";
import { isPrefetch, isScanner } from "../../lib/automated-visitors.ts";
import { createLastingResponses, lasts } from "../../platform/http/lasting-responses.ts";
import { remembered } from "../../lib/remembered.ts";

/** What folders that take files need. */
type Adding = {
  /** Whether the request sends files. */
  takes(request: Request): boolean;
  respond(linkId: number, request: Request, connection?: VisitorConnection): Promise<Response>;
  /** The form; null if the folder has ended meanwhile. */
  form(linkId: number, request: Request): Promise<AddingForm | null>;
};

type Deps = {
  shares: Shares;
  adding: Adding;
  folders: Pick<Folders, "page">;
  downloads: ShareDownloads;
  preview: SharePreview;
  respondWithThumbnail: RespondWithThumbnail;
  unlock: Unlock;
  recipients: RecipientDoor;
  pages: VisitorPages;
  /** Scheme, host and port by which the visitor reaches the server. */
  originOf(request: Request, peer: () => string): string;
  deviceOf: VisitLog["deviceOf"];
  logger: Logger;
};

export function createShareResponses(deps: Deps) {
  const { shares, downloads, preview, respondWithThumbnail, pages } = deps;
  const failures = createFailurePages(deps);
  const lasting = createLastingResponses();

  /** Downloads end soon after their share, its password or its link. */
  function endWithShare(
    { linkId, createdAt, passwordHash }: SharedEntry,
    request: Request,
    connection: VisitorConnection | undefined,
  ): void {
    if (connection?.isResponding === undefined) return;
    lasting.add({
      async isStillAllowed() {
        const now = await shares.find(linkId);
        // A download goes on when its code becomes a URL.
        if (now === null) return shares.redirects(linkId);
        return now.createdAt === createdAt && now.passwordHash === passwordHash;
      },
      isUnderWay: () => connection.isResponding!(request),
      cut: () => connection.cutResponse?.(request),
    });
  }

  async function show(share: VisitedShare, request: Request, visitor: Downloader & { address(): string }) {
    const query = parseShareQuery(share, request.url);
    const seesPagesOnly = isRobot(request);
    if ("folder" in query) {
      if (query.what === "archive" && !seesPagesOnly)
        return downloads.archive(share, query.folder, request, visitor);
      const look = pages.look(request);
      const part = query.what === "folder" ? query : { folder: query.folder, from: 1, after: null };
      const isTop = share.takesFiles && query.folder === share.entryId;
      const adding = isTop ? await deps.adding.form(share.linkId, request) : null;
      const view = { ...(await viewOfFolder(deps, share, part, look.language)), adding };
      noteOpened(share, view.path.at(-1)!.name, request);
      return pageResponse(folderPage(look, view), 200, request, adding?.headers);
    }
    const { file, path } = await shares.place(share, query.file);
    const picture = cardPictureOf(share, file);
    const isForCard = query.what === "thumbnail" || (query.what === "preview" && picture === "preview");
    const representation = seesPagesOnly && !isForCard ? "page" : representationOf(query, request);
    if (representation === "bytes") return downloads.file(share, file, request, visitor);
    if (downloadsLeft(share) === 0) return failures.page("usedUp", 410, request);
    const isOpen = share.maxDownloads === null;
    if (representation === "thumbnail") {
      return isOpen ? respondWithThumbnail(file, request, null) : new Response(null, { status: 204 });
    }
    if (representation === "preview") {
      const shown = isOpen ? await preview.respond(file, request, visitor) : null;
      if (shown !== null) return shown;
      if (!isBrowser(request)) return failures.page("notFound", 404, request);
    }
    const kind = isOpen ? await preview.kindOf(file, request) : null;
    const hasCard = kind === "picture" && picture !== null && share.passwordHash === null && !share.verify;
    const card = hasCard ? `${deps.originOf(request, visitor.address)}/${share.code}?${picture}=1` : null;
    const look = pages.look(request);
    const folder = path.at(-1);
    const neighbours =
      folder === undefined || seesPagesOnly
        ? null
        : await neighboursOf(deps, share, { file, folder }, look.language);
    const view = { share, file, path, preview: kind, framesPdf: framesPdf(request), neighbours, card };
    noteOpened(share, file.name, request);
    return pageResponse(filePage(look, view), 200, request);
  }

  function noteOpened(share: VisitedShare, name: string, request: Request): void {
    if (request.method !== "GET" || isRobot(request)) return;
    shares.note(share, { action: "open", name }).catch((err: unknown) => {
      deps.logger.warn({ err, linkId: share.linkId }, "a visit of a share could not be noted");
    });
  }

  async function respondTo(share: SharedEntry, request: Request, connection?: VisitorConnection) {
    const sends = deps.adding.takes(request);
    if (sends && !share.takesFiles) return notAllowed();
    const locked = deps.unlock.lock(share, request);
    const isForm = request.method === "POST" && !sends;
    if (isForm && (locked !== null || !share.verify)) return unlock(deps, share, request, connection);
    if (locked !== null) return locked;
    if (isForm) return verify(deps, share, request, connection);
    const proved = share.verify ? await deps.recipients.lock(share, request) : null;
    if (proved instanceof Response) return proved;
    if (sends) return deps.adding.respond(share.linkId, request, connection);
    const visited = { ...share, visitor: proved?.email ?? null, device: deps.deviceOf(request) };
    return show(visited, request, {
      liftIdleTimeout: () => connection?.timeout?.(request, 0),
      cut: () => connection?.timeout?.(request, 1),
      responded: () => connection?.responded?.(request) ?? Promise.resolve(true),
      address: () => connection?.requestIP(request)?.address ?? "unix",
    });
  }

  return {
    /** Handles the requests of drop boxes. Never rejects. */
    async respond(linkId: number, request: Request, connection?: VisitorConnection): Promise<Response> {
      try {
        const viewer = pdfViewer(request);
        if (viewer !== null) return await viewer;
        const share = await shares.find(linkId);
        if (share === null) return failures.page("notFound", 404, request);
        const response = await respondTo(share, request, connection);
        if (response.ok && lasts(response)) endWithShare(share, request, connection);
        return response;
      } catch (error) {
        return failures.failure(error, request);
      }
    },
  };
}

/** What a card would show of a shared file: its bytes only if no thumbnail can be made of them. */
function cardPictureOf({ kind }: SharedEntry, file: StoredFile): "thumbnail" | "preview" | null {
  if (kind !== "file") return null;
  return mayHaveThumbnail(file) ? "thumbnail" : isCardPicture(file) ? "preview" : null;
}

const notAllowed = () =>
  new Response("Method Not Allowed", {
    status: 405,
    headers: { Allow: "GET, HEAD, POST", "Content-Type": "text/plain; charset=utf-8" },
  });

async function unlock(
  deps: Deps,
  share: SharedEntry,
  request: Request,
  connection?: VisitorConnection,
): Promise<Response> {
  const location = pathWithQuery(share.code, request.url);
  const { passwordHash } = share;
  if (passwordHash === null) return seeOther(location, {});
  const cookie = await deps.unlock.enter({ ...share, passwordHash }, share.code, request, connection);
  if (cookie instanceof Response) return cookie;
  return share.verify
    ? seeOther(location, cookie)
    : redirectAfterUnlock(deps, share, request, { location, cookie, by: "share" });
}

/** A code, or the address that asks for one. */
async function verify(
  deps: Deps,
  share: SharedEntry,
  request: Request,
  connection?: VisitorConnection,
): Promise<Response> {
  const cookie = await deps.recipients.enter(share, request, connection);
  if (cookie instanceof Response) return cookie;
  const path = pathWithQuery(share.code, request.url);
  // The visit is counted already.
  const location = `${path}${path.includes("?") ? "&" : "?"}proved=1`;
  return redirectAfterUnlock(deps, share, request, { location, cookie, by: "recipient" });
}

type Way = { location: string; cookie: { "Set-Cookie": string }; by: "share" | "recipient" };

/** Redirects to the requested page; where a download was, from a page that stays. */
async function redirectAfterUnlock(
  { shares, pages }: Deps,
  share: SharedEntry,
  request: Request,
  { location, cookie, by }: Way,
): Promise<Response> {
  const query = parseShareQuery(share, request.url);
  const isPage = query.what === "folder" || ("file" in query && representationOf(query, request) !== "bytes");
  if (isPage || !isBrowser(request)) return seeOther(location, cookie);
  const entry =
    "file" in query
      ? (await shares.place(share, query.file)).file
      : (await shares.folders(share, query.folder)).at(-1)!;
  const look = pages.look(request);
  const page = unlockedPage(look, share, entry, location, look.texts[by].downloads);
  return pageResponse(page, 200, request, cookie);
}

type FileQuery = Extract<ShareQuery, { file: number }>;

function representationOf(
  { what }: FileQuery,
  request: Request,
): Exclude<ShareQuery["what"], "folder" | "archive" | "either"> {
  return what === "either" ? (isBrowser(request) ? "page" : "bytes") : what;
}

/** Chromium shows no PDF in a sandboxed frame; our viewer draws it. */
const framesPdf = ({ headers }: Request): boolean =>
  !/Chrom(?:e|ium)\//.test(headers.get("user-agent") ?? "");

/**
 * isbot counts these as robots: fetchers for a person, HTTP libraries, browsers in tests. Here they count
 * only if they call themselves so.
 */
const FETCHERS =
  /^(?:curl|wget|aria2|axel|httpie|xh|rclone|python|go-http-client|okhttp|axios|node|undici|got |bun|deno|java|apache-httpclient|libwww-perl|lwp|ruby|rest-client|faraday|typhoeus|guzzlehttp|php|dart|reqwest|hackney|postmanruntime|insomnia|lynx|elinks|links|w3m)|headlesschrome/i;
const ROBOTS = /bot\b|crawl|spider|preview/i;

const REMEMBERED = 2_000;
const AGENT_LENGTH = 512;

const isRobotAgent = remembered(
  (agent) => isScanner(agent) || (isbot(agent) && (ROBOTS.test(agent) || !FETCHERS.test(agent))),
  { most: REMEMBERED },
);

/** Crawlers, link previews, mail scanners and prefetches. They never get bytes. */
const isRobot = ({ headers }: Request): boolean =>
  isPrefetch(headers) || isRobotAgent((headers.get("user-agent") ?? "").slice(0, AGENT_LENGTH));
