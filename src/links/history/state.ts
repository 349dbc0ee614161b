/** Reads states of a link from its events (link/events.ts), to restore them. */
import { z } from "zod";
import { parseRfc3339 } from "../../lib/rfc3339.ts";
import { type LinkFields, linkFieldsView, restoredFields } from "../link/field-values.ts";

const stateShape = z
  .object({ ...linkFieldsView, expires_at: z.string().transform((text) => parseRfc3339(text)) })
  .partial()
  .extend({ target: z.string() });

/** Without code and password, which stay. Null for what no link has. */
export function patchOfState(
  past: Record<string, unknown>,
): (LinkFields & { target: string; expiresAt: number | null }) | null {
  const set = Object.entries(past).filter(([, value]) => value !== null);
  const parsed = stateShape.safeParse(Object.fromEntries(set));
  if (!parsed.success) return null;
  const { target, expires_at: expiresAt = null, ...fields } = parsed.data;
  return { target, expiresAt, ...restoredFields(fields) };
}
