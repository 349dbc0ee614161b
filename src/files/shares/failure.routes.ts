/** Responses for what can't be served, in the visitor's language. */
import { STATUS_OF_KIND } from "../../platform/http/errors.ts";
import { AppError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { VisitorPages } from "../../visitors/look.ts";
import { messagePage } from "../../visitors/messages.ts";
import { pageResponse } from "../../visitors/page.ts";

export type Trouble = "notFound" | "usedUp" | "damaged" | "away" | "notNow" | "failed";

type Deps = { pages: VisitorPages; logger: Logger };

export function createFailurePages({ pages, logger }: Deps) {
  const page = (trouble: Trouble, status: number, request: Request): Response => {
    const look = pages.look(request);
    return pageResponse(messagePage(look, look.texts.share[trouble]), status, request);
  };
  return {
    page,
    /** Logs what the administrator must know. */
    failure(error: unknown, request: Request): Response {
      if (!(error instanceof AppError) || error.kind === "internal") {
        logger.error({ err: error }, "a share could not be served");
        return page("failed", 500, request);
      }
      if (error.kind === "bad_gateway") logger.warn({ err: error }, "a share could not be served");
      return page(troubleOf(error), STATUS_OF_KIND[error.kind], request);
    },
  };
}

function troubleOf({ kind, details }: AppError): Trouble {
  if (kind === "not_found") return "notFound";
  if (kind !== "bad_gateway") return "notNow";
  return details?.["isDamaged"] === true ? "damaged" : "away";
}
