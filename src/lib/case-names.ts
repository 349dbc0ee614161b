/** Fields named in code (`createdAt`) and in tables and JSON (`created_at`). Not nested. */
import type { z } from "zod";
import { remembered } from "./remembered.ts";
import { formatRfc3339 } from "./rfc3339.ts";

type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;
type Snake<Name> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : Name;
export type CamelCased<T> = { [Name in keyof T as Camel<Name> & string]: T[Name] };
type SnakeCased<T> = { [Name in keyof T as Snake<Name> & string]: T[Name] };

/** What a view shows. A time is a number of epoch milliseconds, as RFC 3339 in the view. */
export type ViewFields<View> = {
  [Name in keyof View as Camel<Name> & string]: Name extends "at" | `${string}_at`
    ? Exclude<View[Name], string> | number
    : View[Name];
};

/** Names are those of the code. Changing them took most of the time of a row. */
const NAMES = { most: 5_000 };
const camel = remembered((name) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()), NAMES);
const snake = remembered((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), NAMES);

function renamed(fields: object, nameOf: (name: string) => string): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) named[nameOf(name)] = (fields as Record<string, unknown>)[name];
  return named;
}

export const camelCased = <T extends object>(fields: T) => renamed(fields, camel) as CamelCased<T>;

export const snakeCased = <T extends object>(fields: T) => renamed(fields, snake) as SnakeCased<T>;

/** Shows the fields of the schema only. */
export function createView<View extends z.ZodObject>(schema: View) {
  const fields = Object.keys(schema.shape).map((name) => ({
    name,
    field: camel(name),
    isTime: /(^|_)at$/.test(name),
  }));
  return (shown: ViewFields<z.output<View>>): z.output<View> => {
    const view: Record<string, unknown> = {};
    for (const { name, field, isTime } of fields) {
      const value = (shown as Record<string, unknown>)[field];
      view[name] = isTime && typeof value === "number" ? formatRfc3339(value) : value;
    }
    return view as z.output<View>;
  };
}
