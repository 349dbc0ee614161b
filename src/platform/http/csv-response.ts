/** Responses of the API as CSV, made page by page. */
import { z } from "zod";
import type { Logger } from "../../lib/logger.ts";
import type { HttpContext } from "./endpoint.ts";
import { streamResponse } from "./stream-pages.ts";

/** `raw` of its endpoint. */
export const CSV = { type: "text/csv", headers: z.object({ "Content-Disposition": z.string() }) };

/** Fields for `z.object`. An empty text counts as absent. */
export const csvColumns = (meaning: string) => ({
  columns: z
    .enum(["all", ""], "must be all")
    .optional()
    .describe(`all: ${meaning}`)
    .meta({ enum: ["all"] }),
});

/** `failure` is logged if the started response is cut. */
export async function csvResponse(
  c: HttpContext,
  pages: AsyncGenerator<string | Uint8Array, void>,
  { fileName, ...options }: { fileName: string; failure: string; logger: Logger },
): Promise<Response> {
  return new Response(await streamResponse(c, pages, options), {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${fileName}"`,
    },
  });
}
