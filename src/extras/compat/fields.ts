/** The fields of a query and a form. Those of the form win. */
import { appError } from "../../lib/errors.ts";
import type { BodyMemory } from "../../platform/http/body-memory.ts";
import type { HttpContext } from "../../platform/http/context.ts";
import { readText } from "../../platform/http/read-body.ts";

const LONGEST_FORM = 64 * 1024;
const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

/** Bodies of other types count as empty. @throws PayloadTooLarge, BadRequest */
export async function readFields(c: HttpContext, bodies: BodyMemory): Promise<ReadonlyMap<string, string>> {
  const request = c.req.raw;
  const fields = new Map(new URL(request.url).searchParams);
  const type = c.req.header("Content-Type") ?? "";
  if (c.req.method !== "POST" || !FORM.test(type)) return fields;
  const reservation = bodies.enter();
  try {
    const source = { request, arrived: c.req.arrived, reservation, cut: () => c.env.cut() };
    const text = await readText(source, LONGEST_FORM);
    const form = await new Response(text, { headers: { "Content-Type": type } }).formData();
    for (const [name, value] of form) if (typeof value === "string") fields.set(name, value);
  } catch (error) {
    if (error instanceof TypeError) throw appError("BadRequest", "The form can't be read.");
    throw error;
  } finally {
    reservation.leave();
  }
  return fields;
}
