/**
 * The kinds of values of run-time settings. A value travels and is stored as text. `canonical` turns input into the
 * stored text ("YES" → "true", " 007" → "7"), `parse` turns that into what `config.get` returns.
 */
import { asciiLower } from "../../lib/ascii-lower.ts";

/** The accepted text, or what follows the key in an error: "must be …". */
export type CheckedText =
  | string
  | {
      error: string;
      /** The item of a list that is wrong, from 0. */
      item?: number;
    };

/** A checked text; null if the setting does not allow it. */
export type CheckedValue = CheckedText | null;

export const VALUE_TYPES = ["string", "int", "float", "bool", "enum", "stringarray", "enumarray"] as const;
type ValueType = (typeof VALUE_TYPES)[number];
export type Category =
  | "auth"
  | "cookie"
  | "oidc"
  | "routes"
  | "features"
  | "privacy"
  | "tracking"
  | "cache"
  | "analytics"
  | "events"
  | "files"
  | "links"
  | "mail"
  | "cors";
export type Action = "generate_token";
export const NUMBER_UNITS = ["seconds", "minutes", "days", "characters", "clicks", "records"] as const;
type NumberUnit = (typeof NUMBER_UNITS)[number];
export type EnumOption = { value: string; label: string; description: string | null };

type About = {
  category: Category;
  description: string;
  /** A changed value is pending until the next start. */
  requiresRestart: boolean;
  /** Responses, history and logs show a mask. */
  sensitive: boolean;
  /** API, commands and imports can write it. */
  editable: boolean;
  /** The first start generates a value, which an empty text never replaces. */
  generated: boolean;
  action: Action | null;
};
type SettingInfo = Pick<About, "description"> & Partial<Omit<About, "category">>;

type Bounds = { min: number; max: number; unit?: NumberUnit };

type Kind<T> = {
  type: ValueType;
  /** Canonical. */
  defaultText: string;
  /** Longest canonical text. */
  mostBytes: number;
  /** What follows "must be" in an error. */
  allowed: string;
  /** Bounds of a number, null for other types. */
  bounds: Bounds | null;
  options: readonly EnumOption[] | null;
  canonical(text: string): CheckedText;
  parse(canonical: string): T;
};

export type Definition<T> = Readonly<Kind<T> & About>;

/** A definition before `inCategory`. */
export type SettingRow<T> = Omit<Definition<T>, "category">;

export const inCategory = <R extends Record<string, SettingRow<unknown>>>(category: Category, rows: R) =>
  Object.fromEntries(
    Object.entries(rows).map(([key, row]) => [key, Object.freeze({ ...row, category })]),
  ) as { [K in keyof R]: R[K] & { category: Category } };

/** Bounds of numbers, both inclusive. */
export const between = (min: number, max: number, unit?: NumberUnit): Bounds => ({
  min,
  max,
  ...(unit && { unit }),
});

/** Longest canonical text, unless its kind allows more. */
export const VALUE_MAX_BYTES = 8192;
const LIST_MAX_ITEMS = 100;

const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

const USUAL = {
  bounds: null,
  options: null,
  mostBytes: VALUE_MAX_BYTES,
  requiresRestart: false,
  sensitive: false,
  editable: true,
  generated: false,
  action: null,
};

type Own<T> = Pick<Kind<T>, "type" | "defaultText" | "allowed" | "parse"> &
  Partial<Pick<Kind<T>, "bounds" | "options" | "mostBytes">> & { canonical(text: string): CheckedValue };

function define<T>(about: SettingInfo, kind: Own<T>): SettingRow<T> {
  return {
    ...USUAL,
    ...kind,
    ...about,
    canonical(text: string): CheckedText {
      const refusal = { error: `must be ${kind.allowed}` };
      if (!text.isWellFormed() || CONTROL_CHARACTERS.test(text.trim())) return refusal;
      const checked = kind.canonical(text.trim()) ?? refusal;
      if (typeof checked !== "string") return checked;
      const { mostBytes = VALUE_MAX_BYTES } = kind;
      return Buffer.byteLength(checked) > mostBytes
        ? { error: `must be at most ${mostBytes} bytes long` }
        : checked;
    },
  };
}

const TRUE_WORDS = new Set(["true", "1", "yes", "on"]);
const FALSE_WORDS = new Set(["false", "0", "no", "off"]);
const BOOL_OPTIONS = [
  { value: "true", label: "Enabled", description: null },
  { value: "false", label: "Disabled", description: null },
];

export function bool(fallback: boolean, about: SettingInfo): SettingRow<boolean> {
  return define(about, {
    type: "bool",
    defaultText: String(fallback),
    allowed: "true or false",
    options: BOOL_OPTIONS,
    canonical(text) {
      const word = asciiLower(text);
      if (TRUE_WORDS.has(word)) return "true";
      return FALSE_WORDS.has(word) ? "false" : null;
    },
    parse: (text) => text === "true",
  });
}

type IntBounds = Bounds & {
  /** Allows zero, with a meaning of its own. */
  orZero?: true;
};

export function int(fallback: number, bounds: IntBounds, about: SettingInfo): SettingRow<number> {
  const { min, max, orZero = false } = bounds;
  return define(about, {
    type: "int",
    defaultText: String(fallback),
    allowed: `${orZero ? "0 or " : ""}a whole number from ${min} to ${max}`,
    bounds: { ...bounds, min: orZero ? 0 : min },
    canonical(text) {
      const value = /^[+-]?\d{1,18}$/.test(text) ? Number(text) : Number.NaN;
      const inBounds = (value >= min && value <= max) || (orZero && value === 0);
      return inBounds ? String(value === 0 ? 0 : value) : null;
    },
    parse: Number,
  });
}

/** Whole values end in ".0", as in the specification. */
const writeFloat = (value: number) => (Number.isInteger(value) ? value.toFixed(1) : String(value));

export function float(
  fallback: number,
  { min, max }: { min: number; max: number },
  about: SettingInfo,
): SettingRow<number> {
  return define(about, {
    type: "float",
    defaultText: writeFloat(fallback),
    allowed: `a number from ${min} to ${max}`,
    bounds: { min, max },
    canonical(text) {
      const value = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? writeFloat(Math.abs(value)) : null;
    },
    parse: Number,
  });
}

type TextCheck = { allowed: string; mostBytes?: number; check(text: string): CheckedValue };

/** `check` gets the trimmed text and returns its canonical form. */
export function string(
  fallback: string,
  { allowed, check, mostBytes = VALUE_MAX_BYTES }: TextCheck,
  about: SettingInfo,
): SettingRow<string> {
  return define(about, {
    type: "string",
    defaultText: fallback,
    allowed,
    mostBytes,
    canonical: check,
    parse: (value) => value,
  });
}

const pick = <V extends string>(options: readonly V[], text: string): V | undefined =>
  options.find((option) => asciiLower(option) === asciiLower(text));

/** Given as value → description. Input ignores case. */
export function choice<V extends string>(
  fallback: NoInfer<V>,
  options: Record<V, string>,
  about: SettingInfo,
): SettingRow<V> {
  const values = Object.keys(options) as V[];
  return define(about, {
    type: "enum",
    defaultText: fallback,
    allowed: `one of ${values.join(", ")}`,
    options: values.map((value) => ({ value, label: value, description: options[value] })),
    canonical: (text) => pick(values, text) ?? null,
    parse: (text) => text as V,
  });
}

/** A JSON array of texts, or items separated by commas. Drops duplicates and blank items. */
export function list(
  fallback: readonly string[],
  { items, check, hasWildcard }: { items: string; check(item: string): CheckedValue; hasWildcard?: boolean },
  about: SettingInfo,
): SettingRow<readonly string[]> {
  return define(about, listKind("stringarray", fallback, items, null, check, hasWildcard));
}

/** Input ignores case. */
export function choices<V extends string>(
  fallback: readonly NoInfer<V>[],
  options: readonly V[],
  about: SettingInfo,
): SettingRow<readonly V[]> {
  const shown = options.map((value) => ({ value, label: value, description: null }));
  const items = `of ${options.join(", ")}`;
  const check = (item: string) => pick(options, item) ?? null;
  return define(about, listKind<V>("enumarray", fallback, items, shown, check));
}

function listKind<V extends string>(
  type: ValueType,
  fallback: readonly V[],
  items: string,
  options: readonly EnumOption[] | null,
  check: (item: string) => CheckedValue,
  hasWildcard = false,
): Own<readonly V[]> {
  return {
    type,
    defaultText: JSON.stringify(fallback),
    allowed: `a list ${items}, as a JSON array or separated by commas, at most ${LIST_MAX_ITEMS}`,
    options,
    canonical(text) {
      const given = splitList(text);
      if (given === null || given.length > LIST_MAX_ITEMS) return null;
      const kept = new Set<string>();
      for (const [at, item] of given.entries()) {
        const checked = check(item) ?? { error: `must be a list ${items}` };
        if (typeof checked !== "string") return { ...checked, item: at };
        kept.add(checked);
      }
      // A wildcard includes the other items.
      return JSON.stringify(hasWildcard && kept.has("*") ? ["*"] : [...kept]);
    },
    parse: (value) => Object.freeze(JSON.parse(value) as V[]),
  };
}

function splitList(text: string): string[] | null {
  let items: unknown = text.split(",");
  if (text.startsWith("[")) {
    try {
      items = JSON.parse(text);
    } catch {
      return null;
    }
  }
  if (!Array.isArray(items) || !items.every((item) => typeof item === "string")) return null;
  return items.map((item) => item.trim()).filter((item) => item !== "");
}
