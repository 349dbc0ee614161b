/** The form that begins a move: its options, and a file that goes to the disk as it comes. */
import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { z } from "zod";
import type { BodyReservation } from "../../platform/http/body-memory.ts";
import { type FilePart, readMultipart } from "../../platform/http/multipart.ts";
import { appError, badField } from "../../lib/errors.ts";
import { validated } from "../../lib/validated.ts";
import type { Imports, NewImport } from "./imports.ts";
import { moveOptions, ON_CONFLICT } from "./move/state.ts";
import { PRODUCT_NAMES, PRODUCTS } from "./readers/products.ts";

const MOST_BYTES = 4 * 1024 * 1024 * 1024;
const SEND_MS = 6 * 3_600_000;
const MOST_TEXT = 2_000;

const flag = z.enum(["true", "false"]).optional();
export const importForm = z.object({
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
export async function readImportForm(
  request: Request,
  imports: Pick<Imports, "makeFolder" | "pathOf">,
  reservation: BodyReservation,
): Promise<NewImport> {
  await imports.makeFolder();
  const { fields, file } = await readMultipart(request, {
    onFile: (part) => store(part, imports.pathOf),
    reservation,
    isFile: (field) => field === "file",
    sendMs: SEND_MS,
  });
  try {
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
  const given = validated(importForm, texts, "The form");
  const reader = PRODUCTS[given.product];
  if (reader.takes.every((kind) => kind === "folder")) {
    throw badField(
      "product",
      `The files of ${reader.title} are in a folder. On that machine type: waymark import ${given.product} FOLDER`,
    );
  }
  if (file === null && (given.source === undefined || !isWebAddress(given.source, reader.schemes ?? []))) {
    throw appError("BadRequest", `Send the export of ${reader.title} in the form field 'file'.`);
  }
  return {
    product: given.product,
    source: file === null ? given.source! : file.filename,
    file: file === null ? null : file.name,
    key: given.key ?? null,
    options: validated(
      moveOptions,
      {
        map: mapOf(given.map),
        visits: given.visits === "true",
        on_conflict: given.on_conflict ?? "skip",
        disabled: given.disabled === "true",
        add_domains: given.add_domains === "true",
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
