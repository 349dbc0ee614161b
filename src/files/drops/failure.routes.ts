/** What strangers learn of a failure: nothing about the owner, the folder or the storage. */
import { failureResponse, STATUS_OF_KIND } from "../../platform/http/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, appError, type ErrorName } from "../../lib/errors.ts";
import { createFailureLog } from "../../lib/failure-log.ts";
import type { Logger } from "../../lib/logger.ts";
import type { VisitorPages } from "../../visitors/look.ts";
import { type DropRefusal, dropRefusal } from "./drop.ts";

type Told = { response: Response; sentence: string; status: number; headers: Record<string, string> };

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

  function told(error: unknown, request: Request): Told {
    const shown = shownAs(error, report);
    const { refused } = pages.look(request).texts.drop;
    const kind = kindOf(shown);
    // Programs get the protocol's message if it says more.
    const sentence = kind === "form" ? refused.form : refused[kind];
    const said = kind === "form" ? shown : appError(shown.name, sentence, { details: shown.details ?? {} });
    const status = Number(shown.details?.["status"] ?? STATUS_OF_KIND[shown.kind]);
    const wait = shown.details?.["retryAfterSeconds"];
    const headers: Record<string, string> = wait === undefined ? {} : { "Retry-After": String(wait) };
    return { response: failureResponse(said), sentence, status, headers };
  }

  return {
    told,
    /** Answers for a box that has ended. */
    ended: (request: Request): Response => told(dropRefusal("ended"), request).response,
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
