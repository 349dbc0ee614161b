/**
 * Claims as providers send them: lists, texts with commas, objects whose keys are the values, and flags as texts. They
 * are as hostile as any other input, so what is read of them is bounded. claims.test.ts names the providers.
 */
import { asciiLower } from "../../lib/ascii-lower.ts";

export type Claims = Readonly<Record<string, unknown>>;

const MOST_VALUES = 10_000;
const LONGEST_JSON = 65_536;
const MOST_SHOWN = 10;
const LONGEST_SHOWN = 100;

export const textIn = (claims: Claims, name: string): string | null =>
  typeof claims[name] === "string" ? claims[name] : null;

/** Null: the provider does not say. */
export function flagIn(claims: Claims, name: string): boolean | null {
  const value = Object.hasOwn(claims, name) ? claims[name] : null;
  if (value === null || value === undefined) return null;
  return value === true || value === 1 || (typeof value === "string" && TRUE.has(asciiLower(value)));
}

const TRUE: ReadonlySet<string> = new Set(["true", "1"]);

/** The texts of a list; a text is a list of one. */
export const textsIn = (claims: Claims, name: string): readonly string[] => textsOf(claims[name]);

/** The values of a claim for roles or groups, whatever its form. `name` may be a path such as `realm_access.roles`. */
export function valuesIn(claims: Claims, name: string): readonly string[] {
  const value = claimAt(claims, name);
  if (typeof value === "string") return [...new Set([value, ...partsOf(value)])];
  return isObject(value) ? keysOf(value) : textsOf(value);
}

/** What a refusal tells administrators of a claim: its values, or that it is not there, and which are. */
export function describeClaim(claims: Claims, name: string): string {
  const value = claimAt(claims, name);
  if (value === undefined || value === null) {
    const elsewhere = claims["_claim_names"];
    const isElsewhere = isObject(elsewhere) && Object.hasOwn(elsewhere, name);
    const why = isElsewhere ? ", because it has more values than a token holds (_claim_names)" : "";
    return `The provider sent no claim ${name}${why}. It sent: ${Object.keys(claims).slice(0, MOST_NAMES).map(shortened).join(", ")}.`;
  }
  const values = valuesIn(claims, name);
  if (values.length === 0) return `The claim ${name} has no values.`;
  const more = values.length > MOST_SHOWN ? ` and ${values.length - MOST_SHOWN} more` : "";
  return `The claim ${name} has ${values.slice(0, MOST_SHOWN).map(shownValue).join(", ")}${more}.`;
}

const MOST_NAMES = 50;
const shortened = (text: string): string => text.slice(0, LONGEST_SHOWN);
export const shownValue = (value: unknown): string => JSON.stringify(value).slice(0, LONGEST_SHOWN + 2);

/** A name with dots may be that of a claim, or lead through objects, whose names may have dots too. */
function claimAt(value: unknown, name: string): unknown {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, name)) return value[name];
  for (let dot = name.lastIndexOf("."); dot > 0; dot = name.lastIndexOf(".", dot - 1)) {
    const first = name.slice(0, dot);
    if (Object.hasOwn(value, first)) return claimAt(value[first], name.slice(dot + 1));
  }
  return undefined;
}

function textsOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value.slice(0, MOST_VALUES) : [value];
  return list.filter((one) => typeof one === "string");
}

/** A role that the provider turns off is none. */
const keysOf = (value: Claims): string[] =>
  Object.keys(value)
    .slice(0, MOST_VALUES)
    .filter((key) => value[key] !== false && value[key] !== null);

/** `a, b`, `[a, b]` and `["a", "b"]`. Blanks part nothing: names of groups have them. */
function partsOf(text: string): string[] {
  const isBracketed = text.startsWith("[") && text.endsWith("]");
  const listed = isBracketed && text.length <= LONGEST_JSON ? jsonIn(text) : null;
  if (Array.isArray(listed)) return textsOf(listed);
  const parts = (isBracketed ? text.slice(1, -1) : text).split(",", MOST_VALUES);
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Claims =>
  typeof value === "object" && value !== null && !Array.isArray(value);
