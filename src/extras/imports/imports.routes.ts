import { z } from "zod";
import { CSV, csvMark, csvResponse } from "../../platform/http/csv-response.ts";
import {
  actorOf,
  CursorPage,
  type Endpoint,
  endpoint,
  type HttpContext,
} from "../../platform/http/endpoint.ts";
import { csvLine } from "../../lib/csv.ts";
import { cursorQuery, cursorText, limitOf, placeOf } from "../../lib/cursor.ts";
import { appError, badField } from "../../lib/errors.ts";
import { given } from "../../lib/given.ts";
import { idParameter } from "../../lib/id-parameter.ts";
import type { Logger } from "../../lib/logger.ts";
import { namedObject } from "../../lib/named-object.ts";
import { refuseIgnored } from "../../lib/strict-handling.ts";
import { toSpreadsheetCell } from "../../lib/spreadsheet-text.ts";
import { importView, viewOfImport } from "./import-view.ts";
import type { Imports, NewImport } from "./imports.ts";
import { moveOptions, NOTE_KINDS, noteView, ON_CONFLICT } from "./move/state.ts";
import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import type { BodyReservation } from "../../platform/http/body-memory.ts";
import { type FilePart, readMultipart } from "../../platform/http/multipart.ts";
import { validated } from "../../lib/validated.ts";
import { PRODUCT_NAMES, PRODUCTS } from "./readers/products.ts";

const AT_ONCE = 4;

const change = namedObject("ImportChange", moveOptions.partial().shape);

const cursorShape = z.object({ id: z.int() });
const idOf = (c: HttpContext): number => idParameter(c, "NotFound", "There is no import with this number.");

/** Relative to {admin}/v1. */
type Deps = { imports: Imports; logger: Logger };
const shared = { access: "admin", scope: "admin", tag: "imports" } as const;

export function importEndpoints(deps: Deps): Endpoint[] {
  const { imports } = deps;
  let uploads = 0;

  const action = (name: "start" | "undo" | "confirm", summary: string): Endpoint =>
    endpoint(`POST /imports/:id/${name}`, {
      ...shared,
      summary,
      response: importView,
      failures: [404, 409],
      async handle({ c }) {
        const row = await imports.actions[name](idOf(c));
        imports.begin(row.id);
        return viewOfImport(row);
      },
    });

  return [
    endpoint("POST /imports", {
      ...shared,
      summary: "Prepare an import from another product, and begin its preview",
      form: importForm,
      status: 201,
      response: importView,
      failures: [413, 503],
      async handle({ c, account, reservation }) {
        if (uploads >= AT_ONCE)
          throw appError("ServiceUnavailable", "Other uploads are running. Try again when they are done.");
        uploads++;
        try {
          c.env.liftIdleTimeout();
          const made = await readImportForm(c, imports, reservation);
          const row = await imports.create(made, actorOf(account), "previewing");
          imports.begin(row.id);
          return viewOfImport(row);
        } finally {
          uploads--;
        }
      },
    }),
    endpoint("GET /imports", {
      ...shared,
      summary: "Imports from other products, newest first",
      query: z.object(cursorQuery),
      response: z.array(importView),
      paged: "cursor",
      async handle({ query: { cursor, limit } }) {
        const most = limitOf(limit);
        const rows = await imports.page(placeOf(cursorShape, cursor)?.id ?? null, most + 1);
        const next = rows.length > most ? cursorText({ id: rows[most - 1]!.id }) : null;
        return new CursorPage(rows.slice(0, most).map(viewOfImport), next);
      },
    }),
    endpoint("GET /imports/:id", {
      ...shared,
      summary: "One import: its preview, progress or report",
      response: importView,
      failures: [404],
      handle: async ({ c }) => viewOfImport(await imports.find(idOf(c))),
    }),
    endpoint("PATCH /imports/:id", {
      ...shared,
      summary: "Change the options of an import before it starts, and preview it again",
      body: change,
      response: importView,
      failures: [404, 409],
      async handle({ c, body }) {
        const row = await imports.actions.change(idOf(c), given(body));
        imports.begin(row.id);
        return viewOfImport(row);
      },
    }),
    endpoint("DELETE /imports/:id", {
      ...shared,
      summary:
        "Forget an import that imported nothing, or that is undone or confirmed; links stay as they are",
      done: "The import is forgotten.",
      failures: [404, 409],
      handle: ({ c }) => imports.actions.drop(idOf(c)),
    }),
    action("start", "Import the links; continues a stopped import"),
    action("undo", "Undo an import, except for links that were changed since"),
    action("confirm", "Confirm an import: it can't be undone any more"),
    ...noteEndpoints(deps),
  ];
}

function noteEndpoints({ imports, logger }: Deps): Endpoint[] {
  return [
    endpoint("GET /imports/:id/notes", {
      ...shared,
      summary: "What was not imported, or not as it was, with reasons",
      query: z.object({ ...cursorQuery, kind: z.enum([...NOTE_KINDS, ""]).optional() }),
      response: z.array(noteView),
      paged: "cursor",
      failures: [404],
      async handle({ c, query: { cursor, limit, kind } }) {
        const { id } = await imports.find(idOf(c));
        const most = limitOf(limit);
        const notes = await imports.notes(id, kind || null, placeOf(cursorShape, cursor)?.id ?? 0, most + 1);
        const next = notes.length > most ? cursorText({ id: notes[most - 1]!.id }) : null;
        return new CursorPage(
          notes
            .slice(0, most)
            .map(({ position, kind: what, code, reason }) => ({ position, kind: what, code, reason })),
          next,
        );
      },
    }),
    endpoint("GET /imports/:id/report", {
      ...shared,
      summary: "The notes of an import as CSV",
      query: z.object(csvMark),
      raw: CSV,
      failures: [404],
      async handle({ c, query }) {
        const { id } = await imports.find(idOf(c));
        const options = { ...query, fileName: `import-${id}.csv`, failure: "a report was cut off", logger };
        return csvResponse(c, reportOf(imports, id), options);
      },
    }),
  ];
}

export async function* reportOf(imports: Pick<Imports, "actions">, id: number): AsyncGenerator<string, void> {
  yield csvLine(["position", "kind", "code", "reason"]);
  for await (const notes of imports.actions.allNotes(id)) {
    yield notes
      .map(({ position, kind, code, reason }) =>
        csvLine([String(position), kind, toSpreadsheetCell(code), reason]),
      )
      .join("");
  }
}

const MOST_BYTES = 4 * 1024 * 1024 * 1024;
const SEND_MS = 6 * 3_600_000;
const MOST_TEXT = 2_000;

const flag = z.enum(["true", "false"]).optional();
const importForm = z.object({
  product: z.enum(PRODUCT_NAMES),
  file: z.string().meta({ format: "binary" }).optional().describe("the export; at most 4 GiB"),
  source: z
    .string()
    .max(MOST_TEXT)
    .optional()
    .describe("instead of a file: the address of its server, for products that have an API"),
  key: z
    .string()
    .max(MOST_TEXT)
    .optional()
    .describe("key of that API; kept encrypted until the import is done"),
  map: z
    .string()
    .max(MOST_TEXT * 10)
    .optional()
    .describe('of a CSV file: JSON, such as {"code": "Short", "target": "Long URL"}'),
  visits: flag.describe("import visits with their dates, where the source has them; default: false"),
  on_conflict: z.enum(ON_CONFLICT).optional().describe("what to do with taken codes; default: skip"),
  disabled: flag.describe("links lead nowhere until they are approved; default: false"),
  add_domains: flag.describe("add the domains that the source has and Waymark lacks; default: false"),
});

/** @throws what the form lacks; no file stays then */
async function readImportForm(
  c: HttpContext,
  imports: Pick<Imports, "makeFolder" | "pathOf">,
  reservation: BodyReservation,
): Promise<NewImport> {
  await imports.makeFolder();
  const { fields, file } = await readMultipart(c.req.raw, {
    onFile: (part) => store(part, imports.pathOf),
    reservation,
    isFile: (field) => field === "file",
    sendMs: SEND_MS,
  });
  try {
    if (c.get("isStrict")) await refuseIgnored(importForm, Object.fromEntries(fields));
    return newImport(fields, file ?? null);
  } catch (error) {
    if (file !== undefined) await rm(imports.pathOf(file.name), { force: true });
    throw error;
  }
}

type Upload = { name: string; filename: string };

async function store({ filename, body }: FilePart, pathOf: (file: string) => string): Promise<Upload> {
  const name = randomUUID();
  const file = await open(pathOf(name), "wx", 0o640);
  let size = 0;
  try {
    for await (const bytes of body) {
      size += bytes.length;
      if (size > MOST_BYTES)
        throw appError(
          "FileTooLarge",
          "The file is larger than 4 GiB; import it with the command waymark import.",
        );
      await file.write(bytes);
    }
    if (size === 0) throw appError("CsvFileMissing", "The file is empty.");
    await file.sync();
  } catch (error) {
    await rm(pathOf(name), { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return { name, filename: (filename ?? "").slice(0, 200) || "upload" };
}

function newImport(fields: ReadonlyMap<string, string>, file: Upload | null): NewImport {
  const texts = Object.fromEntries(
    [...fields].filter(([name, text]) => name in importForm.shape && text !== ""),
  );
  const form = validated(importForm, texts, "The form");
  const reader = PRODUCTS[form.product];
  if (reader.takes.every((kind) => kind === "folder")) {
    throw badField(
      "product",
      `The files of ${reader.title} are in a folder. On that machine type: waymark import ${form.product} FOLDER`,
    );
  }
  if (file === null && (form.source === undefined || !isWebAddress(form.source, reader.schemes ?? []))) {
    throw appError("BadRequest", `Send the export of ${reader.title} in the form field 'file'.`);
  }
  return {
    product: form.product,
    source: file === null ? form.source! : file.filename,
    file: file === null ? null : file.name,
    key: form.key ?? null,
    options: validated(
      moveOptions,
      {
        map: mapOf(form.map),
        visits: form.visits === "true",
        on_conflict: form.on_conflict ?? "skip",
        disabled: form.disabled === "true",
        add_domains: form.add_domains === "true",
      },
      "The form",
    ),
  };
}

/** Databases are reached by commands only. */
const isWebAddress = (source: string, schemes: readonly string[]): boolean =>
  /^https?:\/\//i.test(source) && schemes.some((scheme) => source.toLowerCase().startsWith(`${scheme}:`));

function mapOf(text: string | undefined): unknown {
  if (text === undefined) return {};
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw appError("BadRequest", 'map must be JSON, such as {"code": "Short", "target": "Long URL"}.', {
      cause,
    });
  }
}
