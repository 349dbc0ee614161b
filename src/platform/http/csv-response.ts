/** Responses of the API as CSV, made page by page. */
import { z } from "zod";
import type { Logger } from "../../lib/logger.ts";
import { flag, isSet } from "../../lib/query-text.ts";
import type { HttpContext } from "./endpoint.ts";
import { streamResponse } from "./stream-pages.ts";

/** `raw` of its endpoint. */
export const CSV = { type: "text/csv", headers: z.object({ "Content-Disposition": z.string() }) };

/** A field for `z.object`. */
export const csvMark = { bom: flag("true: begin with a byte order mark, by which spreadsheets know UTF-8") };

/** Fields for `z.object`. An empty text counts as absent. */
export const csvColumns = (meaning: string) => ({
  columns: z
    .enum(["all", ""], "must be all")
    .optional()
    .describe(`all: ${meaning}`)
    .meta({ enum: ["all"] }),
  ...csvMark,
});

const MARK = "\u{feff}";

export async function* marked<Page extends string | Uint8Array>(
  pages: AsyncIterable<Page>,
): AsyncGenerator<Page | string, void> {
  yield MARK;
  yield* pages;
}

type CsvOptions = { fileName: string; failure: string; logger: Logger };

/** `failure` is logged if the started response is cut. */
export async function csvResponse(
  c: HttpContext,
  pages: AsyncGenerator<string | Uint8Array, void>,
  { fileName, bom, ...options }: CsvOptions & { bom?: string | undefined },
): Promise<Response> {
  return new Response(await streamResponse(c, isSet(bom) ? marked(pages) : pages, options), {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${fileName}"`,
    },
  });
}
