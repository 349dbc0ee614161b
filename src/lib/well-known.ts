/** Documents that a host answers with at `/.well-known/{name}`: what is permitted, as the API and a setting take them. */
import { z } from "zod";
import { namedObject } from "./named-object.ts";

export const WELL_KNOWN = ".well-known/";
export const MOST_DOCUMENTS = 16;
const MOST_BYTES = 64 * 1024;
const LONGEST_NAME = 100;
const LONGEST_TYPE = 100;

export type WellKnownDocument = {
  /** Of the characters of codes. */
  name: string;
  /** Media type. */
  type: string;
  text: string;
};

export const documentInput = namedObject("WellKnownDocument", {
  name: z.string().max(1000).describe("what follows /.well-known/, such as assetlinks.json"),
  type: z
    .string()
    .max(1000)
    .nullish()
    .describe("media type: JSON, XML, plain text or bytes; by the name when absent"),
  text: z.string().describe("at most 64 KiB"),
});
type DocumentInput = z.output<typeof documentInput>;

const SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9_.-]+$/;
/** None of them runs anything in a browser, with the headers of `documentHeaders`. */
const TYPE =
  /^(?:application\/(?:json|xml|octet-stream|pkcs7-mime|[a-z0-9][a-z0-9.-]*\+(?:json|xml))|text\/(?:plain|xml))(?:; ?charset=utf-8)?$/;
/** Apple and Google read them as JSON, whatever their type. */
const ALWAYS_JSON = ["apple-app-site-association", "assetlinks.json"];
/** Belongs to the proofs for certificate authorities. */
const TAKEN = "acme-challenge";

type Fault = { error: string; at: number; field: keyof WellKnownDocument };

/** In the order of their names, or what is wrong: a sentence that follows the field's name. */
export function checkDocuments(given: readonly DocumentInput[]): WellKnownDocument[] | Fault {
  const names = new Set<string>();
  const documents: WellKnownDocument[] = [];
  for (const [at, { name, type, text }] of given.entries()) {
    const document = { name, type: type?.trim().toLowerCase() || usualType(name), text };
    const fault = names.has(name)
      ? ({ field: "name", error: "appears more than once" } as const)
      : faultOf(document);
    if (fault !== null) return { ...fault, at };
    names.add(name);
    documents.push(document);
  }
  return documents.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function faultOf({ name, type, text }: WellKnownDocument): Omit<Fault, "at"> | null {
  const wrong = (field: keyof WellKnownDocument, error: string) => ({ field, error });
  if (name.length > LONGEST_NAME || !name.split("/").every((segment) => SEGMENT.test(segment))) {
    return wrong("name", `must be 1 to ${LONGEST_NAME} of a-z A-Z 0-9 _ . - /, such as assetlinks.json`);
  }
  if (name === TAKEN || name.startsWith(`${TAKEN}/`)) {
    return wrong("name", `can't begin with ${TAKEN}, where certificate authorities look for proofs`);
  }
  if (type.length > LONGEST_TYPE || !TYPE.test(type)) {
    return wrong("type", "must be a type of JSON, XML, plain text or bytes, such as application/json");
  }
  if (!text.isWellFormed()) return wrong("text", "must be well-formed Unicode");
  if (Buffer.byteLength(text) > MOST_BYTES) return wrong("text", "must have at most 64 KiB");
  const isJson = ALWAYS_JSON.includes(name) || /[/+]json\b/.test(type);
  return !isJson || isParsable(text) ? null : wrong("text", "must be JSON");
}

const usualType = (name: string): string =>
  name.endsWith(".json") || ALWAYS_JSON.includes(name) ? "application/json" : "text/plain; charset=utf-8";

function isParsable(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const settingSchema = z.array(documentInput).max(MOST_DOCUMENTS);

/** The canonical text of a setting, or what is wrong: what follows "must be". */
export function checkDocumentsText(text: string): string | { error: string } {
  const what = `a JSON list of at most ${MOST_DOCUMENTS} documents {name, type, text}`;
  if (text === "") return "[]";
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return { error: what };
  }
  const parsed = settingSchema.safeParse(given);
  if (!parsed.success) return { error: what };
  const checked = checkDocuments(parsed.data);
  if (Array.isArray(checked)) return JSON.stringify(checked);
  return { error: `${what}; the ${checked.field} of document ${checked.at + 1} ${checked.error}` };
}

/** Sandboxed, so that no browser runs what a document holds. Programs of other origins may read it. */
export const documentHeaders = (type: string): Record<string, string> => ({
  "Content-Type": type,
  "Cache-Control": "public, max-age=300",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "Access-Control-Allow-Origin": "*",
});
