import { appError, type ErrorName } from "./errors.ts";

/** Parameter `id` of the path, a whole number from `least`. @throws the given error for an impossible one */
export function idParameter(
  c: { req: { param(name: "id"): string | undefined } },
  error: ErrorName,
  message: string,
  least: 0 | 1 = 1,
): number {
  const text = c.req.param("id") ?? "";
  const id = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id) || id < least) throw appError(error, message);
  return id;
}
