/**
 * The responses of a drop box's code: a page (GET), files of a form (POST), resumable uploads (tus.routes.ts), and the
 * password form. Strangers learn their own files and the limits, nothing of the folder.
 */
import type { BodyMemory } from "../../platform/http/body-memory.ts";
import { hasLongBody } from "../../platform/http/read-body.ts";
import { messagePage } from "../../visitors/messages.ts";
import { pageResponse } from "../../visitors/page.ts";
import {
  isBrowser,
  pathWithQuery,
  seeOther,
  type Unlock,
  type VisitorConnection,
} from "../../visitors/unlock.ts";
import { type OpenDrop, type SentFile, type VisitedDrop, type DropRefusal, dropRefusal } from "./drop.ts";
import { isAutomatedAgent } from "../../lib/automated-visitors.ts";
import type { VisitLog } from "../recipients/visits.ts";
import type { ReceiveForm } from "./form.routes.ts";
import type { InFlight } from "./gate.ts";
import { createDropShow, type DropShowDeps } from "./drop-page.ts";
import { type DropTus, tusMethodOf, uploadOf, withVersion } from "./tus.routes.ts";
import { failureResponse, STATUS_OF_KIND } from "../../platform/http/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, appError, type ErrorName } from "../../lib/errors.ts";
import { createFailureLog } from "../../lib/failure-log.ts";
import type { Logger } from "../../lib/logger.ts";
import type { VisitorPages } from "../../visitors/look.ts";

export type DropResponses = ReturnType<typeof createDropResponses>;

type Deps = DropShowDeps &
  DropFailureDeps & {
    visits: VisitLog;
    receiveForm: ReceiveForm;
    tus: DropTus;
    inFlight: InFlight;
    unlock: Unlock;
    bodies: BodyMemory;
    /** The client's address, for limits. */
    addressOf(peer: string, forwardedFor: string | null): string;
    /** The path below which a trusted proxy serves Waymark; empty for the root. */
    prefixOf(request: Request, peer: () => string): string;
  };

const FORM = "multipart/form-data";

export function createDropResponses(deps: Deps) {
  const { drops, uploads, inFlight, senders, pages, unlock } = deps;
  const failures = createDropFailures(deps);
  const { show, form, sentNote } = createDropShow(deps);

  async function receive(box: OpenDrop, request: Request, connection?: VisitorConnection): Promise<Response> {
    const { id, cookie } = senders.of(box, request);
    const headers = new Headers({ "Cache-Control": "private, no-store" });
    if (cookie !== null) headers.set("Set-Cookie", cookie);
    const reservation = deps.bodies.enter();
    connection?.timeout?.(request, 0);
    try {
      const sent = await deps.receiveForm(box, id, { request, reservation });
      if (!isBrowser(request)) return jsonResponse(201, { files: sent.map(viewOfSent) }, headers);
      headers.set("Location", `/${box.code}?sent=1`);
      return new Response(null, { status: 303, headers });
    } finally {
      reservation.leave();
    }
  }

  async function unlockBox(box: OpenDrop, request: Request, connection?: VisitorConnection) {
    const { passwordHash } = box;
    const location = pathWithQuery(box.code, request.url);
    if (passwordHash === null) return seeOther(location, {});
    const entered = await unlock.enter({ ...box, passwordHash }, box.code, request, connection);
    return entered instanceof Response ? entered : seeOther(location, entered);
  }

  async function takeTus(
    box: VisitedDrop,
    request: Request,
    connection?: VisitorConnection,
  ): Promise<Response> {
    const policy = await uploads.policyIn(box.folders);
    const liftIdleTimeout = () => connection?.timeout?.(request, 0);
    const address = addressOf(request, connection);
    const response = await deps.tus({ box, policy, request, address, liftIdleTimeout });
    // Large files take longer than an hour.
    unlock.extend(box, box.code, response);
    return response;
  }

  async function respond(
    box: VisitedDrop,
    request: Request,
    connection?: VisitorConnection,
  ): Promise<Response> {
    const type = request.headers.get("content-type")?.toLowerCase() ?? "";
    const isForm = type.startsWith(FORM);
    if (request.method === "POST" && !isForm && !isTus(request)) return unlockBox(box, request, connection);
    const locked = unlock.lock(box, request);
    if (locked !== null) return locked;
    if (!isRead(request)) inFlight.takeTurn(box.linkId, addressOf(request, connection));
    if (isTus(request)) return takeTus(box, request, connection);
    if (isForm && !isRead(request)) return receive(box, request, connection);
    const sent = sentNote(request);
    // The page that follows a form is not opened.
    if (sent.note === null) noteOpened(deps, box, request);
    return show(box, request, sent);
  }

  const peerOf = (request: Request, connection?: VisitorConnection): string =>
    connection?.requestIP(request)?.address ?? "unix";
  const addressOf = (request: Request, connection?: VisitorConnection): string =>
    deps.addressOf(peerOf(request, connection), request.headers.get("x-forwarded-for"));

  async function respondOrFail(linkId: number, request: Request, connection?: VisitorConnection) {
    const box = await drops.find(linkId);
    if (box !== null) return respond(box, request, connection);
    if (!isRead(request) && (isTus(request) || !isBrowser(request))) return failures.ended(request);
    const look = pages.look(request);
    return pageResponse(messagePage(look, look.texts.drop.ended), 404, request);
  }

  async function respondToFailure(linkId: number, error: unknown, request: Request): Promise<Response> {
    const { response, sentence, status, headers } = failures.describe(error, request);
    if (isTus(request)) return withVersion(response);
    if (!isBrowser(request)) return response;
    const box = await drops.find(linkId).catch(() => null);
    if (box !== null && unlock.lock(box, request) === null) {
      const shown = await show(box, request, { status, note: { kind: "warn", sentence } }).catch(() => null);
      for (const [name, value] of Object.entries(headers)) shown?.headers.set(name, value);
      if (shown !== null) return shown;
    }
    const look = pages.look(request);
    return pageResponse(
      messagePage(look, { title: look.texts.drop.title, sentence }),
      status,
      request,
      headers,
    );
  }

  return {
    /** Whether the request sends files, or asks about an upload. */
    takes: (request: Request): boolean =>
      isTus(request) ||
      (request.method === "POST" && !!request.headers.get("content-type")?.toLowerCase().startsWith(FORM)),

    form,

    /** Never rejects. */
    async respond(linkId: number, request: Request, connection?: VisitorConnection): Promise<Response> {
      const response = await respondOrFail(linkId, request, connection).catch((error: unknown) =>
        respondToFailure(linkId, error, request),
      );
      if (response.status >= 400 && hasLongBody(request)) connection?.timeout?.(request, 1);
      putBelow(
        response.headers,
        deps.prefixOf(request, () => peerOf(request, connection)),
      );
      return response;
    },
  };
}

function noteOpened({ visits, logger }: Deps, { linkId, isTwoWay }: VisitedDrop, request: Request): void {
  const isBot = isAutomatedAgent(request.headers.get("user-agent") ?? "");
  if (request.method !== "GET" || isTwoWay || isBot) return;
  const visit = { linkId, email: null, action: "open", name: null, ...visits.deviceOf(request) } as const;
  visits.note(visit).catch((err: unknown) => {
    logger.warn({ err, linkId }, "a visit of a drop box could not be noted");
  });
}

/** Addresses and cookies are those that the visitor's browser sees. */
function putBelow(headers: Headers, prefix: string): void {
  if (prefix === "") return;
  const [location, cookie] = [headers.get("Location"), headers.get("Set-Cookie")];
  if (location !== null) headers.set("Location", prefix + location);
  if (cookie !== null) headers.set("Set-Cookie", cookie.replace("; Path=/", `; Path=${prefix}/`));
}

const isRead = ({ method }: Request): boolean => method === "GET" || method === "HEAD";

const viewOfSent = ({ at, ...sent }: SentFile) => ({ ...sent, at: new Date(at).toISOString() });

const isTus = (request: Request): boolean =>
  request.headers.has("tus-resumable") ||
  ["PATCH", "DELETE", "OPTIONS"].includes(tusMethodOf(request)) ||
  (request.method === "HEAD" && uploadOf(request.url) !== null);

type DescribedFailure = {
  response: Response;
  sentence: string;
  status: number;
  headers: Record<string, string>;
};

export type DropFailureDeps = { pages: VisitorPages; clock: Clock; logger: Logger };

type Known = DropRefusal | "form" | "failed" | "storage";

/** Their messages are about the request only. */
const OF_THE_REQUEST = [
  "BadRequest",
  "InvalidMultipartData",
  "InvalidName",
  "FileNotFound",
  "Conflict",
  "NotFound",
];

export function createDropFailures({ pages, clock, logger }: DropFailureDeps) {
  const report = createFailureLog(clock, (error, suppressed) => {
    // A stack would be a dozen lines of a log that strangers fill.
    const reason = error instanceof AppError ? { reason: error.message } : { err: error };
    logger.warn({ ...reason, suppressed }, "a drop box could not take a file");
  });

  function describe(error: unknown, request: Request): DescribedFailure {
    const shown = shownAs(error, report);
    const { refused } = pages.look(request).texts.drop;
    const kind = kindOf(shown);
    // Programs get the protocol's message if it has more details.
    const sentence = kind === "form" ? refused.form : refused[kind];
    const refusal =
      kind === "form" ? shown : appError(shown.name, sentence, { details: shown.details ?? {} });
    const status = Number(shown.details?.["status"] ?? STATUS_OF_KIND[shown.kind]);
    const wait = shown.details?.["retryAfterSeconds"];
    const headers: Record<string, string> = wait === undefined ? {} : { "Retry-After": String(wait) };
    return { response: failureResponse(refusal), sentence, status, headers };
  }

  return {
    describe,
    /** The response for a box that has ended. */
    ended: (request: Request): Response => describe(dropRefusal("ended"), request).response,
  };
}

function kindOf({ details }: AppError): Known {
  return (details?.["drop"] as Known | undefined) ?? "form";
}

/** An error that strangers may see. */
function shownAs(error: unknown, report: (error: unknown) => void): AppError {
  if (error instanceof AppError) {
    if (error.details?.["drop"] !== undefined) return error;
    const { name, details } = error;
    // The account's quota or the storage's policy refused it.
    if (name === "FileTooLargeForPolicy") {
      return details?.["usedBytes"] === undefined && details?.["maxFileSize"] === undefined
        ? error
        : dropRefusal("room");
    }
    if (name === "FolderNotFound" || name === "Unauthorized" || name === "PolicyNotFound") {
      return dropRefusal("ended");
    }
    if (OF_THE_REQUEST.includes(name)) return error;
  }
  report(error);
  const name = nameOf(error);
  return appError(name, "The file can't be stored just now. Try again later.", {
    details: { drop: name === "InsufficientStorage" ? "storage" : "failed" },
  });
}

function nameOf(error: unknown): ErrorName {
  const kind = error instanceof AppError ? error.kind : "internal";
  if (kind === "bad_gateway") return "StorageUnavailable";
  if (kind === "full") return "InsufficientStorage";
  return kind === "unavailable" ? "ServiceUnavailable" : "InternalServerError";
}

export function jsonResponse(status: number, data: unknown, headers: Headers): Response {
  headers.set("Content-Type", "application/json; charset=utf-8");
  return new Response(JSON.stringify({ code: 0, message: "OK", data }), { status, headers });
}
