import { z } from "zod";
import { CSV, csvResponse } from "../../platform/http/csv-response.ts";
import {
  actorOf,
  CursorPage,
  type Endpoint,
  endpoint,
  type HttpContext,
} from "../../platform/http/endpoint.ts";
import { csvLine } from "../../lib/csv.ts";
import { cursorQuery, cursorText, limitOf, placeOf } from "../../lib/cursor.ts";
import { appError } from "../../lib/errors.ts";
import { given } from "../../lib/given.ts";
import { idParameter } from "../../lib/id-parameter.ts";
import type { Logger } from "../../lib/logger.ts";
import { namedObject } from "../../lib/named-object.ts";
import { toSpreadsheetCell } from "../../lib/spreadsheet-text.ts";
import { importView, viewOfImport } from "./import-view.ts";
import type { Imports } from "./imports.ts";
import { moveOptions, NOTE_KINDS, noteView } from "./move/state.ts";
import { importForm, readImportForm } from "./import-upload.ts";

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
          const made = await readImportForm(c.req.raw, imports, reservation);
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
      raw: CSV,
      failures: [404],
      async handle({ c }) {
        const { id } = await imports.find(idOf(c));
        const options = { fileName: `import-${id}.csv`, failure: "a report was cut off", logger };
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
