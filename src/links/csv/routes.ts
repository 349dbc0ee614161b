import { z } from "zod";
import type { BodyReservation } from "../../platform/http/body-memory.ts";
import { CSV, csvResponse, csvColumns } from "../../platform/http/csv-response.ts";
import {
  actorOf,
  type Caller,
  type Endpoint,
  endpoint,
  type HttpContext,
} from "../../platform/http/endpoint.ts";
import { type FilePart, readMultipart } from "../../platform/http/multipart.ts";
import { toAppError } from "../../platform/http/errors.ts";
import { streamPages } from "../../platform/http/stream-pages.ts";
import { appError, type AppError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { filterFor, filterOf, filterQuery } from "../list/filter.ts";
import type { ExportPage, LinkCsv } from "./service.ts";
import {
  IMPORT_MODES,
  importModeOf,
  type ImportProgress,
  type ImportResult,
  specifiedResult,
  type SpecifiedResult,
} from "./import-plan.ts";
import { LENIENT_COLUMNS } from "./csv-file.ts";
import { refuseIgnored } from "../../lib/strict-handling.ts";
import { namedObject } from "../../lib/named-object.ts";
import { chunked } from "../../lib/chunked.ts";

const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** The time in which a client has to send its 10 MB. */
const SEND_MS = 600_000;
const IMPORT_ID = /^[\w-]{1,64}$/;
/** Each holds its file in memory. */
const IMPORTS_AT_ONCE = 4;

const importResult = namedObject("ImportResult", {
  total_rows: z.int(),
  success_count: z.int(),
  overwritten_count: z
    .int()
    .optional()
    .describe("of those: rows that replace a link or an earlier row; with dry_run or progress"),
  skipped_count: z.int(),
  failed_count: z.int(),
  failed_items: z
    .array(
      z.object({
        row: z.int(),
        code: z.string(),
        error: z.string(),
        error_code: z.int().optional(),
      }),
    )
    .describe("the first 100,000"),
  unread_count: z.int().describe("filled cells of successful rows that can't be read and so count as empty"),
  unread_items: z
    .array(
      z.object({
        row: z.int(),
        code: z.string(),
        column: z.enum(LENIENT_COLUMNS),
        value: z.string().describe("cut to 100 characters"),
      }),
    )
    .describe("the first 100,000"),
  ignored_columns: z.array(z.string()).describe("columns of the file that are not imported, the first 100"),
});

const importForm = z.object({
  file: z.string().meta({ format: "binary", contentMediaType: "text/csv" }),
  mode: z
    .enum(IMPORT_MODES)
    .optional()
    .describe(
      "what to do with existing codes; default: skip. overwrite sets every column of the file, even click_count: leave it out to keep the clicks",
    ),
  import_id: z
    .string()
    .regex(IMPORT_ID)
    .optional()
    .describe(
      "recorded in the event links.import together with the rows; if the response is lost, the event shows what was written",
    ),
  dry_run: z.enum(["true", "false"]).optional().describe("true: check and count, but change nothing"),
  progress: z
    .enum(["true", "false"])
    .optional()
    .describe(
      "true: the response begins at once and reports progress, one line each; a later failure has status 200 and the fields of an error",
    ),
});

const progress = namedObject("ImportProgress", {
  stage: z.enum(["passwords", "links"]),
  done: z.int().describe("bytes of the file"),
  total: z.int(),
});

/** Relative to {admin}/v1. Mount them before `/links/:code{.+}`. */
export function csvEndpoints(deps: { csv: LinkCsv; now(): number; logger: Logger }): Endpoint[] {
  const { csv, now, logger } = deps;
  const shared = { scope: "links", tag: "links" } as const;
  let imports = 0;
  return [
    endpoint("GET /links/export", {
      ...shared,
      access: "editor",
      summary:
        "Export links as CSV, ordered by code; editors get their own links. Password hashes are for administrators' sessions and tokens with the scope admin, for others the column is empty",
      query: filterQuery.extend(csvColumns("adds domain, title, tags and the other fields of a link")),
      raw: CSV,
      async handle({ c, query, account }) {
        const actor = actorOf(account);
        const filter = filterFor(actor, filterOf(await csv.owners.resolved(query), now(), csv.domainOf));
        const pages = textOf(
          csv.export.pages(filter, {
            withPasswords: mayReadHashes(account),
            whole: query.columns === "all",
          }),
        );
        const fileName = csv.export.filename();
        return csvResponse(c, pages, {
          fileName,
          bom: query.bom,
          failure: "a link export was cut off",
          logger,
        });
      },
    }),
    endpoint("POST /links/import", {
      ...shared,
      access: "admin",
      summary:
        "Import a CSV file of at most 10 MB. A date or number that can't be read, or an owner that does not exist, counts as empty and is named; with Prefer: handling=strict its row fails",
      form: importForm,
      response: importResult,
      beside: { progress: z.array(progress).optional().describe("with progress=true, if it takes a while") },
      async handle({ c, reservation, account }) {
        if (imports >= IMPORTS_AT_ONCE) {
          throw appError("ServiceUnavailable", "Other imports are running. Try again when they are done.");
        }
        imports++;
        const upload = await readUpload(c, reservation).catch((error: unknown) => {
          imports--;
          throw error;
        });
        const { dryRun, reportsProgress } = upload;
        let latest: ImportProgress | undefined;
        const work = csv
          .import(upload.file, {
            mode: importModeOf(upload.fields.get("mode")),
            dryRun,
            isStrict: c.get("isStrict") === true,
            ...(upload.id !== undefined && { id: upload.id }),
            actor: actorOf(account),
            onProgress: (at) => void (latest = at),
            signal: c.req.raw.signal,
          })
          .then((result) => (dryRun || reportsProgress ? result : specifiedResult(result)))
          .finally(() => void imports--);
        const cut = (): void => c.env.cut();
        const going = { latest: () => latest, failureOf: toAppError };
        if (reportsProgress) return respondInPieces(importPiecesAsItGoes(work, going), cut);
        const result = await work;
        return isLongResponse(result) ? respondInPieces(importPieces(result), cut) : result;
      },
    }),
  ];
}

const mayReadHashes = ({ role, token }: Caller): boolean =>
  role === "admin" && (token === undefined || token.scopes.includes("admin"));

function idOf(text = ""): string | undefined {
  if (text === "" || IMPORT_ID.test(text)) return text || undefined;
  throw appError("BadRequest", "import_id must have 1 to 64 letters, digits, '_' and '-'.");
}

/** @throws BadRequest for a text that may mean true: a rehearsal must not become an import */
function flagOf(fields: ReadonlyMap<string, string>, name: string): boolean {
  const text = fields.get(name)?.trim() ?? "";
  if (text === "true") return true;
  if (text === "" || text === "false") return false;
  throw appError("BadRequest", `${name} must be true or false.`);
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
    if (c.get("isStrict")) await refuseIgnored(importForm, Object.fromEntries(fields));
    const [dryRun, reportsProgress] = [flagOf(fields, "dry_run"), flagOf(fields, "progress")];
    return { fields, file, dryRun, reportsProgress, id: idOf(fields.get("import_id")) };
  } catch (error) {
    // The client reads the response and stops. One that keeps sending is cut.
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

async function respondInPieces(pieces: AsyncGenerator<string, void>, cut: () => void): Promise<Response> {
  const body = await streamPages(pieces, { onFailure: () => undefined, cut });
  const headers = {
    "Content-Type": "application/json; charset=utf-8",
    // Otherwise buffering proxies hold the progress back.
    "X-Accel-Buffering": "no",
  };
  return new Response(body, { headers });
}

export type ReportedResult = SpecifiedResult & Partial<ImportResult>;

/** A longer list is sent in pieces: in one piece it would block the event loop. */
const ITEMS_AT_ONCE = 500;
const PACE_MS = 400;

const isLongResponse = ({ failed_items: failed, unread_items: unread }: ReportedResult): boolean =>
  failed.length + unread.length > ITEMS_AT_ONCE;

const importPieces = (result: ReportedResult): AsyncGenerator<string, void> => piecesOf("{", result);

type Going = { latest(): ImportProgress | undefined; failureOf(thrown: unknown): AppError };

/**
 * `{"progress":[…],` with a line for each while the work runs, then the rest of the usual envelope, or that of a
 * failure. The response to work that ends at once has no progress. A client that leaves ends nothing.
 */
export async function* importPiecesAsItGoes(
  work: Promise<ReportedResult>,
  { latest, failureOf }: Going,
): AsyncGenerator<string, void> {
  const isOver = work.then(
    () => true,
    () => true,
  );
  let opening = `{"progress":[\n`;
  while (!(await Promise.race([isOver, Bun.sleep(PACE_MS).then(() => false)]))) {
    const now = latest();
    if (now === undefined) continue;
    yield `${opening}${JSON.stringify(now)}\n`;
    opening = ",";
  }
  // Before the first line a failure has its own status.
  if (opening !== ",") return yield* piecesOf("{", await work);
  const result = await work.catch(failureOf);
  if (result instanceof Error) yield `],${failure(result)}`;
  else yield* piecesOf("],", result);
}

const failure = ({ code, name, message, details }: AppError): string =>
  JSON.stringify({ code, error: name, message, data: details?.["data"] }).slice(1);

async function* piecesOf(
  opening: string,
  { failed_items: failed, unread_items: unread, ...counts }: ReportedResult,
): AsyncGenerator<string, void> {
  yield `${opening}"code":0,"message":"OK","data":${JSON.stringify(counts).slice(0, -1)}`;
  yield* listPieces("failed_items", failed);
  yield* listPieces("unread_items", unread);
  yield "}}";
}

async function* listPieces(name: string, items: readonly object[]): AsyncGenerator<string, void> {
  yield `,"${name}":[`;
  let comma = "";
  for (const some of chunked(items, ITEMS_AT_ONCE)) {
    const text = JSON.stringify(some).slice(1, -1);
    await new Promise((resolve) => setImmediate(resolve));
    yield comma + text;
    comma = ",";
  }
  yield "]";
}
