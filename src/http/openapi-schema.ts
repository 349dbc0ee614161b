import { z } from "zod";

export type Json = Record<string, unknown>;

/** A part without a form in JSON Schema is any value. */
export function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return json;
}
