import { z } from "zod";
import type { BodyReservation } from "../../http/body-memory.ts";
import { actorOf, type Endpoint, endpoint, type HttpContext } from "../../http/endpoint.ts";
import { type FilePart, readMultipart } from "../../http/multipart.ts";
import { streamPages } from "../../http/stream-pages.ts";
import { chunked } from "../../lib/chunked.ts";
import { appError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { filterFor, filterOf, filterQuery } from "../list/filter.ts";
import type { LinkCsv } from "./service.ts";
import type { ExportPage } from "./export.ts";
import { IMPORT_MODES, type ImportResult, importModeOf } from "./import.ts";

const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** For a client to send its 10 MB. */
const SEND_MS = 600_000;
/** Each holds its file in memory. */
const IMPORTS_AT_ONCE = 4;
/** A longer list of failed items is sent in pieces. */
const ITEMS_AT_ONCE = 500;

const importResult = z.object({
  total_rows: z.number().int(),
  success_count: z.number().int(),
  skipped_count: z.number().int(),
  failed_count: z.number().int(),
  failed_items: z
    .array(
      z.object({
        row: z.number().int(),
        code: z.string(),
        error: z.string(),
        error_code: z.number().int().optional(),
      }),
    )
    .describe("the first 100,000"),
});
importResult.register(z.globalRegistry, { id: "ImportResult" });

const importForm = z.object({
  file: z.string().meta({ format: "binary", contentMediaType: "text/csv" }),
  mode: z
    .enum(IMPORT_MODES)
    .optional()
    .describe(
      "what to do with existing codes; default: skip. overwrite sets every column of the file, even click_count: leave it out to keep the clicks",
    ),
});

/** Relative to {admin}/v1. Mount them before `/links/:code{.+}`. */
export function csvEndpoints(deps: { csv: LinkCsv; now(): number; logger: Logger }): Endpoint[] {
  const { csv, now, logger } = deps;
  const shared = { scope: "links", tag: "links" } as const;
  let imports = 0;
  return [
    endpoint({
      ...shared,
      method: "GET",
      path: "/links/export",
      access: "editor",
      summary:
        "Export links as CSV, ordered by code, with their password hashes; editors get their own links, with masked passwords",
      query: filterQuery.extend({
        columns: z
          .enum(["all", ""], "takes all")
          .optional()
          .describe("all: adds domain, title, tags and the other fields of a link")
          .meta({ enum: ["all"] }),
      }),
      raw: { type: "text/csv", headers: z.object({ "Content-Disposition": z.string() }) },
      async handle({ c, query, account }) {
        const actor = actorOf(account);
        const filter = filterFor(actor, filterOf(query, now(), csv.domainOf));
        const pages = textOf(
          csv.export.pages(filter, {
            maskPasswords: actor.ownOnly,
            whole: query.columns === "all",
          }),
        );
        const requestId = c.get("requestId");
        c.env.liftIdleTimeout();
        const body = await streamPages(pages, {
          onFailure: (err) => logger.warn({ err, requestId }, "a link export was cut off"),
          cut: () => c.env.cut(),
        });
        return new Response(body, {
          headers: {
            "Content-Type": "text/csv; charset=utf-8",
            "Content-Disposition": `attachment; filename="${csv.export.filename()}"`,
          },
        });
      },
    }),
    endpoint({
      ...shared,
      method: "POST",
      path: "/links/import",
      access: "admin",
      summary: "Import a CSV file of at most 10 MB",
      form: importForm,
      answer: importResult,
      async handle({ c, reservation, account }) {
        if (imports >= IMPORTS_AT_ONCE) {
          throw appError("ServiceUnavailable", "Other imports are running. Try again when they are done.");
        }
        imports++;
        try {
          const { file, fields } = await readUpload(c, reservation);
          const mode = importModeOf(fields.get("mode"));
          const result = await csv.import(file, {
            mode,
            actor: actorOf(account),
            besideRedirects: true,
            signal: c.req.raw.signal,
          });
          if (result.failed_items.length <= ITEMS_AT_ONCE) return result;
          return await longAnswer(result, () => c.env.cut());
        } finally {
          imports--;
        }
      },
    }),
  ];
}

async function readUpload(c: HttpContext, reservation: BodyReservation) {
  c.env.liftIdleTimeout();
  try {
    const { fields, file } = await readMultipart(c.req.raw, {
      onFile: (part) => readFile(part, reservation),
      reservation,
      isFile: (field) => field === "file",
      sendMs: SEND_MS,
    });
    if (file === undefined) throw appError("CsvFileMissing", "Send the CSV file in the form field 'file'.");
    if (file.length === 0) throw appError("CsvFileMissing", "The file in the form field 'file' is empty.");
    return { fields, file };
  } catch (error) {
    // The client reads the answer and stops. One that keeps sending is cut.
    c.env.cut();
    throw error;
  }
}

async function* textOf(pages: AsyncGenerator<ExportPage, void>): AsyncGenerator<string, void> {
  for await (const { text } of pages) yield text;
}

async function readFile({ field, body }: FilePart, reservation: BodyReservation): Promise<Buffer> {
  if (field !== "file") {
    throw appError(
      "CsvFileMissing",
      `The CSV file belongs in the form field 'file', not in '${field.slice(0, 100)}'.`,
    );
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_FILE_BYTES) {
      throw appError(
        "FileTooLarge",
        `The file is larger than 10 MB (${MAX_FILE_BYTES} bytes); import it in parts.`,
      );
    }
    reservation.add(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A long list in one piece would block the event loop. */
async function longAnswer(result: ImportResult, cut: () => void): Promise<Response> {
  const body = await streamPages(jsonOf(result), { onFailure: () => undefined, cut });
  return new Response(body, { headers: { "Content-Type": "application/json; charset=utf-8" } });
}

async function* jsonOf({ failed_items: items, ...counts }: ImportResult): AsyncGenerator<string, void> {
  yield `{"code":0,"message":"OK","data":${JSON.stringify(counts).slice(0, -1)},"failed_items":[`;
  let comma = "";
  for (const some of chunked(items, ITEMS_AT_ONCE)) {
    const text = JSON.stringify(some).slice(1, -1);
    await new Promise((resolve) => setImmediate(resolve));
    yield comma + text;
    comma = ",";
  }
  yield "]}}";
}
