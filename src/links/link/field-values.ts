/** What follows from the table of fields (fields.ts). */
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { type At, emptyValues, fieldKey, type Fields, type Values } from "./field-kinds.ts";
import { COLUMNS, CONTENT, LINK_FIELDS, OPTIONS, TAGS } from "./fields.ts";

type FieldName = keyof typeof LINK_FIELDS;

export const FIELDS = Object.entries(LINK_FIELDS as Fields).map(([name, field]) => ({
  ...field,
  name: name as FieldName,
  key: fieldKey(name),
}));
type Field = (typeof FIELDS)[number];

export const schemasOf = <F extends Fields, P extends "input" | "shown">(fields: F, part: P) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field[part]])) as {
    [N in keyof F]: F[N][P];
  };
/** Schemas of the fields in requests. */
export const linkFields = schemasOf(CONTENT, "input");
/** Schemas of the fields in responses. */
export const linkFieldsView = schemasOf(LINK_FIELDS, "shown");
type View = { [N in FieldName]: z.output<(typeof linkFieldsView)[N]> };

/** Without the options. */
export type FieldContent = Values<typeof COLUMNS & typeof TAGS>;
export const NO_FIELDS: FieldContent = emptyValues({ ...COLUMNS, ...TAGS });

/** Only what changes. */
export type LinkFields = Partial<FieldContent & { createdBy: string | null }> & {
  options: Partial<LinkOptions>;
};
type Stored = FieldContent & { options: string | null };

/** @param valueOf undefined keeps a value */
function changes(valueOf: (field: Field) => unknown): LinkFields {
  const [fields, options]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}];
  for (const field of FIELDS) {
    const value = valueOf(field);
    if (value !== undefined) (field.name in OPTIONS ? options : fields)[field.key] = value;
  }
  return { ...fields, options };
}

/** @param input passed the schemas  @throws InvalidDateFormat, LinkInvalidUrl, BadRequest (tags) */
export const parseLinkFields = (
  input: { readonly [N in FieldName]?: unknown },
  at: Omit<At, "name">,
): LinkFields =>
  changes(({ name, empty, parse }) => {
    const given = input[name];
    if (given === undefined) return undefined;
    return given === null || given === "" ? empty : parse(given, { ...at, name });
  });

/** @param state the contents of events, which passed `linkFieldsView`; absent fields are empty */
export const restoredFields = (state: Readonly<Record<string, unknown>>): LinkFields =>
  changes(({ name, empty, restore }) => {
    if (!(name in CONTENT)) return undefined;
    return state[name] === undefined ? empty : restore(state[name]);
  });

/** Values of all fields by their keys. */
export const fieldValues = (link: Stored): Readonly<Record<string, unknown>> => ({
  ...link,
  ...readOptions(link.options),
});

export function viewOfFields(link: Stored & { createdBy: string | null }): View {
  const view: Record<string, unknown> = {};
  const options = readOptions(link.options) as Record<string, unknown>;
  for (const { name, key, show } of FIELDS)
    view[name] = show(name in OPTIONS ? options[key] : link[key as keyof typeof link]);
  return view as View;
}

const RECORDED = FIELDS.filter(({ name }) => name in COLUMNS || name in OPTIONS).map((field) => ({
  ...field,
  isOption: field.name in OPTIONS,
}));
type Recorded = (typeof RECORDED)[number];
type Kept = Readonly<Record<string, unknown>>;

const shownOrNull = ({ empty, show }: Recorded, value: unknown) =>
  value === empty ? null : (show(value) ?? null);

/** Reads stored values of a link, from its columns or its options, without a copy of it. */
function readerOf(link: Stored): (field: Recorded) => unknown {
  const options = readOptions(link.options) as Kept;
  return ({ isOption, key }) => (isOption ? options : (link as Kept))[key];
}

/** The fields in events; null for empty ones. Tags have rules of their own. */
export function recordedFields(link: Stored) {
  const valueOf = readerOf(link);
  const fields: Record<string, unknown> = {};
  for (const field of RECORDED) fields[field.name] = shownOrNull(field, valueOf(field));
  return fields;
}

/** Those of recordedFields that differ: their names with the values of both. */
export function differingFields(before: Stored, after: Stored) {
  const [valueBefore, valueAfter] = [readerOf(before), readerOf(after)];
  const differing: [name: string, before: unknown, after: unknown][] = [];
  for (const field of RECORDED) {
    const [old, now] = [valueBefore(field), valueAfter(field)];
    if (old === now) continue;
    const shown = [shownOrNull(field, old), shownOrNull(field, now)] as const;
    if (!isDeepStrictEqual(...shown)) differing.push([field.name, ...shown]);
  }
  return differing;
}

type Column = keyof typeof COLUMNS;
export const FIELD_COLUMNS = Object.keys(COLUMNS) as Column[];

/** The columns of the fields in the row of a link. */
export const columnsOf = (link: Values<typeof COLUMNS>) =>
  Object.fromEntries(FIELD_COLUMNS.map((name) => [name, link[fieldKey(name)]])) as {
    [N in Column]: (typeof COLUMNS)[N]["empty"];
  };

/** One nullable column holds the options, so that other links cost nothing. */
export type LinkOptions = Values<typeof OPTIONS>;
export type RedirectStatus = LinkOptions["redirectStatus"];

export const NO_OPTIONS: LinkOptions = emptyValues(OPTIONS);

/** Writes the column; null without options. */
export function writeOptions(options: LinkOptions): string | null {
  const set = Object.entries(options).filter(
    ([name, value]) => value !== NO_OPTIONS[name as keyof LinkOptions],
  );
  return set.length === 0 ? null : JSON.stringify(Object.fromEntries(set));
}

let lastRead: { text: string; options: Readonly<LinkOptions> } | undefined;

/** From the column. Callers share the result: a write reads the options of one link, or equal ones, several times. */
export function readOptions(text: string | null): Readonly<LinkOptions> {
  if (text === null) return NO_OPTIONS;
  if (lastRead?.text !== text) {
    lastRead = { text, options: { ...NO_OPTIONS, ...(JSON.parse(text) as Partial<LinkOptions>) } };
  }
  return lastRead.options;
}
