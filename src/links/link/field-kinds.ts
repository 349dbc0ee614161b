/** Kinds of fields of a link, for the rows of fields.ts. */
import { z } from "zod";
import { asciiLower } from "../../lib/ascii-lower.ts";
import { csvLine, readCsv } from "../../lib/csv.ts";
import { appError } from "../../lib/errors.ts";
import { isLegibleText } from "../../lib/file-name.ts";
import { checkHttpUrl, HTTP_URL_FORM } from "../../lib/http-url.ts";
import { formatRfc3339, LATEST_INSTANT, parseRfc3339 } from "../../lib/rfc3339.ts";
import { parseRules, type Rule, rulesSchema, rulesShown } from "../rules/rule.ts";
import { checkTags, tagList } from "../tags/tag.ts";
import { type Held, type HeldInput, heldInput, heldShown, restoreHeld, showHeld } from "./held.ts";
import { parseDuration } from "../../lib/duration.ts";
import { parseTableTime } from "../../lib/table-time.ts";

const MOST_OF_URL = 2048;

const cardText = (most: number) =>
  z
    .string()
    .max(most)
    .refine(
      (given) => given.trim() === "" || isLegibleText(given),
      "must show something, on one line, without control characters and those that change the direction of text",
    )
    .nullish();

/** What previews of messengers and networks show of a link: they get a page with it instead of the redirect. */
const cardSchema = z.strictObject({
  title: cardText(200),
  description: cardText(500),
  image: z
    .string()
    .max(MOST_OF_URL)
    .meta({ format: "uri", pattern: "^\\s*[hH][tT]{2}[pP][sS]://" })
    .or(z.literal(""))
    .nullish()
    .describe("https URL of a picture"),
});
type CardInput = z.input<typeof cardSchema>;

const cardShown = z.object({
  title: z.string().nullable(),
  description: z.string().nullable(),
  image: z.string().nullable(),
});
type Card = z.output<typeof cardShown>;

/** Returns null for a card that shows nothing. @throws LinkInvalidUrl */
function parseCard(given: CardInput, { name }: { name: string }): Card | null {
  const image = given.image?.trim() || null;
  const checked = image === null ? null : checkHttpUrl(image);
  const fault = checked === null || typeof checked === "string" ? null : checked.error;
  if (fault !== null || (image !== null && !/^https:/i.test(image))) {
    const message = `${name}.image: ${fault ?? "The URL must begin with https://."}`;
    throw appError("LinkInvalidUrl", message, { field: `${name}.image` });
  }
  const card = { title: given.title?.trim() || null, description: given.description?.trim() || null, image };
  return Object.values(card).every((value) => value === null) ? null : card;
}

const INSTANT_FORM =
  "an instant such as 2026-11-20T13:00:00Z, until the year 9999, or a duration such as 7d or 1d2h30m";

/** Epoch ms. Takes RFC 3339, even past, or a duration from `now`, with blanks around. Null for other texts. */
export function instantOf(text: string, now: number): number | null {
  const length = parseDuration(text.trim());
  const instant = length === null ? parseRfc3339(text.trim()) : now + length;
  return instant !== null && instant <= LATEST_INSTANT ? instant : null;
}

/** As instantOf. Null for an empty text: no expiry. @throws LinkInvalidExpireTime */
export function parseExpiry(text: string, now: number): number | null {
  if (text === "") return null;
  if (parseDuration(text.trim()) === 0) {
    throw appError("LinkInvalidExpireTime", "expires_at must be a duration longer than zero.");
  }
  const instant = instantOf(text, now);
  if (instant === null) throw appError("LinkInvalidExpireTime", `expires_at must be ${INSTANT_FORM}.`);
  return instant;
}

/** What people read about a field. */
type Row = {
  /** Description in the OpenAPI document. */
  is?: string;
  /** The option of commands. Without one the command has its own. */
  option?: readonly [flags: string, about: string, details?: { values: readonly number[] }];
  /** What the opposite of a flag does. */
  off?: string;
  /** Heading in `links get`, unless the field is empty; a flag shows the word. */
  heading?: string;
  word?: string;
  /** The option may name a file that has its value, or `-`. */
  isLong?: boolean;
};

/** `schemes`: of targets besides http and https. */
export type At = { name: string; now: number; schemes: readonly string[] };

type LinkField<Given = unknown, Stored = unknown, Shown = unknown> = Row & {
  /** The schema in requests: absent keeps the value, null or an empty text empties it. */
  input: z.ZodOptional<z.ZodNullable<z.ZodType<Given, Given>>>;
  /** The schema in responses and events. Events have null for an empty field. */
  shown: z.ZodType<Shown>;
  empty: Stored;
  /** @throws AppError */
  parse(given: Given, at: At): Stored;
  show(value: Stored): Shown;
  restore(shown: Shown): Stored;
  /** The cell in CSV. */
  cell(value: Stored): string;
  /** What `input` takes, from a cell or an option. */
  fromText(given: string): unknown;
};
export type Fields = Readonly<Record<string, LinkField>>;

type Camel<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S;
/** `starts_at` becomes `startsAt`. */
export const fieldKey = <S extends string>(name: S): Camel<S> =>
  name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as Camel<S>;

/** Values of fields by their keys. */
export type Values<F extends Fields> = { [N in keyof F & string as Camel<N>]: F[N]["empty"] };

export const emptyValues = <F extends Fields>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([name, { empty }]) => [fieldKey(name), empty])) as Values<F>;

const same = <T>(value: T): T => value;

type Own<Given, Stored, Shown> = Pick<LinkField<Given, Stored, Shown>, "shown" | "empty"> &
  Partial<LinkField<Given, Stored, Shown>>;

/** Shown, stored and given alike, unless it declares otherwise. Cells are trimmed. */
function field<Given, Stored, Shown = Stored>(
  row: Row,
  given: z.ZodType<Given, Given>,
  own: Own<Given, Stored, Shown>,
): LinkField<Given, Stored, Shown> {
  const alike = {
    input: row.is === undefined ? given.nullish() : given.nullish().describe(row.is),
    parse: same,
    show: same,
    restore: same,
    cell: (value: Stored) => String((own.show ?? same)(value) ?? ""),
    fromText: (cell: string) => cell.trim() || null,
  };
  return { ...row, ...(alike as object), ...own } as LinkField<Given, Stored, Shown>;
}

/** Other texts fail the schema. */
const numberIn = (cell: string) => (/^\s*\d{1,16}\s*$/.test(cell) ? Number(cell) : cell.trim() || null);

const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** A text of at most `most` code points, as in JSON Schema. With `lines`, blanks around it stay. */
export function textField({ most, lines = false, ...row }: Row & { most: number; lines?: boolean }) {
  const schema = z
    .string()
    .refine((given) => given.length <= most || (given.length <= 2 * most && [...given].length <= most), {
      message: `must have at most ${most} characters`,
      abort: true,
    })
    .refine(
      (given) =>
        given.isWellFormed() &&
        (lines ? !CONTROL_BUT_LINES.test(given) : given.trim() === "" || isLegibleText(given)),
      lines
        ? "must have no control characters"
        : "must show something, without control characters and those that change the direction of text",
    )
    .meta({ maxLength: most });
  return field<string, string | null>(row, schema, {
    shown: z.string().nullable(),
    empty: null,
    parse: (given) => (lines ? given : given.trim()) || null,
    ...(lines && { fromText: (cell: string) => cell || null }),
  });
}

export const timeField = (row: Row) =>
  field<string, number | null, string | null>(row, z.string(), {
    shown: z.iso.datetime().nullable(),
    empty: null,
    parse(given, { name, now }) {
      const instant = instantOf(given, now);
      if (instant !== null) return instant;
      throw appError("InvalidDateFormat", `${name} must be ${INSTANT_FORM}.`);
    },
    fromText(text) {
      const instant = parseTableTime(text.trim());
      return instant === null ? text.trim() || null : formatRfc3339(instant);
    },
    show: (value) => (value === null ? null : formatRfc3339(value)),
    restore: (shown) => parseRfc3339(shown!),
  });

export const countField = (row: Row) =>
  field<number, number | null>(row, z.int().min(1), {
    shown: z.int().nullable(),
    empty: null,
    fromText: numberIn,
  });

export const urlField = (row: Row) =>
  field<string, string | null>(row, z.string().meta(HTTP_URL_FORM).or(z.literal("")), {
    shown: z.string().nullable(),
    empty: null,
    parse(given, { name }) {
      const checked = checkHttpUrl(given);
      if (typeof checked === "string") return checked;
      throw appError("LinkInvalidUrl", `${name}: ${checked.error}`);
    },
  });

/** Empty is `normal`. */
export const choiceField = <N extends number>(numbers: readonly N[], normal: N, row: Row) =>
  field<N, N>(row, z.literal(numbers), {
    shown: z.literal(numbers),
    empty: normal,
    fromText: numberIn,
  });

export const flagField = (row: Row) =>
  field<boolean, boolean>(row, z.boolean(), {
    shown: z.boolean(),
    empty: false,
    fromText: parseFlagCell,
  });

/** Null for an empty cell, the text for another word. */
export function parseFlagCell(cell: string): boolean | string | null {
  const word = asciiLower(cell.trim());
  return TRUE_WORDS.includes(word) || (!FALSE_WORDS.includes(word) && (word.slice(0, 100) || null));
}

/** Spreadsheets write true and false in the language of their user, in capitals. */
const TRUE_WORDS = ["true", "wahr", "vrai", "verdadero", "vero", "1"];
const FALSE_WORDS = ["false", "falsch", "faux", "falso", "0"];

const MOST_CELL_BYTES = 8 * 1024;

export const tagsField = () =>
  field<string[], readonly string[], string[]>({}, tagList, {
    shown: z.array(z.string()),
    empty: [],
    parse: checkTags,
    show: (value) => [...value],
    // A record of its own, because tags may hold commas.
    cell: (value) => csvLine(value).trimEnd(),
    fromText(cell) {
      if (cell.trim() === "") return null;
      const [record] = readCsv(Buffer.from(cell.trim()), MOST_CELL_BYTES);
      if (record && record.problem === null) return record.fields;
      throw appError("BadRequest", "tags must be separated by commas; put a tag with a comma in quotes.");
    },
  });

const MOST_JSON_TEXT = 64 * 1024;

/** Cells and options have JSON. `what`: for a refusal. */
const jsonField = <Given, Stored, Shown = Stored>(
  row: Row,
  given: z.ZodType<Given, Given>,
  { what, ...own }: Own<Given, Stored | null, Shown | null> & { what: [name: string, value: string] },
) =>
  field<Given, Stored | null, Shown | null>({ ...row, isLong: true }, given, {
    cell(value) {
      const shown = (own.show ?? same)(value as never);
      return shown === null ? "" : JSON.stringify(shown);
    },
    fromText(cell) {
      if (cell.trim() === "") return null;
      try {
        if (cell.length <= MOST_JSON_TEXT) return JSON.parse(cell) as unknown;
      } catch {}
      const [name, value] = what;
      throw appError("BadRequest", `${name} must be ${value} as JSON.`, { field: name });
    },
    ...own,
  });

export const rulesField = (row: Row) =>
  jsonField<Rule[], readonly Rule[]>(row, rulesSchema, {
    what: ["rules", "a list of rules"],
    shown: rulesShown.nullable() as z.ZodType<readonly Rule[] | null>,
    empty: null,
    parse: (given, { name, schemes }) => parseRules(given, { name, schemes }),
  });

export const cardField = (row: Row) =>
  jsonField<CardInput, Card>(row, cardSchema, {
    what: ["card", "an object of title, description and image"],
    shown: cardShown.nullable(),
    empty: null,
    parse: parseCard,
  });

export const heldField = (row: Row) =>
  jsonField<HeldInput, Held, HeldInput>(row, heldInput, {
    what: ["held", "an object of state, at, by and reason"],
    shown: heldShown.nullable(),
    empty: null,
    parse: restoreHeld,
    show: showHeld,
    restore: restoreHeld,
  });
