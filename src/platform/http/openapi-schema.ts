import { z } from "zod";
import { nameOfChoice, pascal } from "./openapi-names.ts";

export type Json = Record<string, unknown>;
export type Direction = "input" | "output";

/** Bytes, in the form that generators know. */
export const BINARY: Json = { type: "string", format: "binary" };

const DEFINITION = "#/$defs/";
const COMPONENT = "#/components/schemas/";

/** The named schemas of a document: those with `.meta({ id })`, and those that the document names. */
export type NamedSchemas = ReturnType<typeof createNamedSchemas>;

export function createNamedSchemas(given: Record<string, Json> = {}) {
  const schemas: Record<string, Json> = { ...given };

  const isFree = (name: string, schema: Json) =>
    schemas[name] === undefined || Bun.deepEquals(schemas[name], schema);

  /** If a schema's input differs from its output, the name of the input ends in Input. */
  function keep(found: Record<string, Json>, json: Json): Json {
    for (const suffix of ["", "Input"]) {
      const renamed = (part: unknown) => withReferences(part, suffix) as Json;
      const entries = Object.entries(found).map(([name, one]) => [name + suffix, renamed(one)] as const);
      if (!entries.every(([name, one]) => isFree(name, one))) continue;
      Object.assign(schemas, Object.fromEntries(entries));
      return renamed(json);
    }
    throw new Error(`Two schemas of the API have one of these names: ${Object.keys(found).join(", ")}`);
  }

  return {
    schemas,
    /** With references to named schemas. A part without a form in JSON Schema is any value. */
    schemaOf(schema: z.ZodType, direction: Direction): Json {
      const { $schema: _, ...json } = z.toJSONSchema(schema, { io: direction, unrepresentable: "any" });
      const found: Record<string, Json> = {};
      return keep(found, takeDefinitions(json, found) as Json);
    },
    /** Stores the schema under `name` unless it has a name, and returns the reference. */
    named(name: string, schema: Json): Json {
      if ("$ref" in schema) return schema;
      if (!isFree(name, schema)) throw new Error(`Two schemas of the API have the name ${name}`);
      schemas[name] = schema;
      return { $ref: COMPONENT + name };
    },
    resolve(schema: Json): Json {
      const { $ref } = schema;
      return typeof $ref === "string" ? schemas[$ref.slice(COMPONENT.length)]! : schema;
    },
  };
}

export const referenceTo = (name: string): Json => ({ $ref: COMPONENT + name });

const mapped = (value: unknown, change: (part: Json) => Json): unknown => {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (typeof value !== "object" || value === null) return value;
  const parts = Object.entries(change(value as Json));
  return Object.fromEntries(parts.map(([key, part]) => [key, mapped(part, change)]));
};

/** Moves `$defs` at any depth to `found`. */
const takeDefinitions = (value: unknown, found: Record<string, Json>): unknown =>
  mapped(value, ({ $defs, ...rest }) => {
    for (const [name, schema] of Object.entries(($defs ?? {}) as Record<string, Json>)) {
      found[name] = takeDefinitions(schema, found) as Json;
    }
    return rest;
  });

const withReferences = (value: unknown, suffix: string): unknown =>
  mapped(value, (part) => {
    const { $ref } = part;
    if (typeof $ref !== "string" || !$ref.startsWith(DEFINITION)) return part;
    return { ...part, $ref: COMPONENT + $ref.slice(DEFINITION.length) + suffix };
  });

type Choice = { schema: Json; places: Set<string> };

/**
 * Moves each list of choices that stands in a place into a named schema and puts a reference there: generators of
 * clients name what has no name by its place, and end at two places of one name.
 */
export function nameChoices(operations: readonly Json[], schemas: Record<string, Json>): void {
  const choices = new Map<string, Choice>();
  const found: { choice: Choice; at: Json }[] = [];
  for (const { operationId, parameters, requestBody, responses } of operations) {
    const owner = pascal(String(operationId));
    for (const { name, schema } of parameters as Json[]) collect(schema, owner, String(name));
    collect([requestBody, responses], owner, "");
  }
  for (const [name, schema] of Object.entries(schemas)) if (!("enum" in schema)) collect(schema, name, "");
  const names = new Map([...choices.values()].map((choice) => [choice, nameOfChoice(choice.places)]));
  for (const [{ schema }, name] of names) {
    if (name in schemas) throw new Error(`A choice of the API has the name of a schema: ${name}`);
    schemas[name] = schema;
  }
  for (const { choice, at } of found) {
    delete at["type"];
    delete at["enum"];
    Object.assign(at, referenceTo(names.get(choice)!));
  }

  /** @param field the innermost property or parameter around `value` */
  function collect(value: unknown, owner: string, field: string): void {
    if (typeof value !== "object" || value === null) return;
    const { enum: values, type } = value as Json;
    if (Array.isArray(values) && values.length > 1) {
      const key = JSON.stringify(values);
      const choice = choices.get(key) ?? { schema: { type, enum: values }, places: new Set() };
      choices.set(key, choice);
      choice.places.add(`${owner}.${field}`);
      found.push({ choice, at: value as Json });
      return;
    }
    for (const [key, part] of Object.entries(value)) {
      if (key === "properties")
        for (const [name, one] of Object.entries(part as Json)) collect(one, owner, name);
      else if (!NOT_SCHEMAS.has(key)) collect(part, owner, field);
    }
  }
}

const NOT_SCHEMAS = new Set(["default", "example", "examples", "const"]);
