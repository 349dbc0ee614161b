import type { z } from "zod";
import { appError } from "../lib/errors.ts";

const JSON_LIMIT = 2 * 1024 * 1024;
export const BATCH_JSON_LIMIT = 16 * 1024 * 1024;

const tooLarge = (limit: number) =>
  appError(
    "PayloadTooLarge",
    `The body is larger than ${limit / 1024 / 1024} MiB; send it in smaller parts.`,
  );

/**
 * The whole body as text, at most `limit` bytes, judged by Content-Length at once and by counting otherwise.
 * @throws PayloadTooLarge, BadRequest (not UTF-8)
 */
export async function readText(request: Request, limit: number): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge(limit);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  try {
    for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > limit) throw tooLarge(limit);
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") {
      throw appError("BadRequest", "The connection ended before the body did.", { cause: error });
    }
    if (error instanceof TypeError)
      throw appError("BadRequest", "The body is not valid UTF-8.", { cause: error });
    throw error;
  }
}

/**
 * The JSON body, whatever its Content-Type says, parsed by the schema.
 * @throws PayloadTooLarge, BadRequest (broken JSON, wrong types: the message names the field)
 */
export async function readJson<S extends z.ZodType>(
  request: Request,
  schema: S,
  limit = JSON_LIMIT,
): Promise<z.output<S>> {
  const text = await readText(request, limit);
  let value: unknown;
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    throw appError("BadRequest", text === "" ? "A JSON body is required." : "The body is not valid JSON.", {
      cause: error,
    });
  }
  return parseWith(schema, value, "body");
}

/** @throws BadRequest naming the first field that does not fit. */
export function parseWith<S extends z.ZodType>(
  schema: S,
  value: unknown,
  place: "body" | "query",
): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.length ? issue.path.join(".") : place;
  throw appError("BadRequest", `${field}: ${issue?.message ?? "invalid value"}`);
}
