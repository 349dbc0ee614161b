/** Reads states of a link from its events (link/events.ts), to restore them. */
import { z } from "zod";
import { parseRfc3339 } from "../../lib/rfc3339.ts";
import { isInternal } from "../link/internal-target.ts";
import type { LinkPatch } from "../link/link.ts";
import { type LinkOptions, NO_OPTIONS, REDIRECT_STATUSES } from "../link/options.ts";

const instant = z
  .string()
  .transform((text) => parseRfc3339(text))
  .optional();

const stateShape = z.object({
  target: z.string().refine((target) => !isInternal(target)),
  expires_at: instant,
  title: z.string().optional(),
  note: z.string().optional(),
  tags: z.array(z.string()).optional(),
  starts_at: instant,
  max_clicks: z.int().optional(),
  fallback_url: z.string().optional(),
  redirect_status: z.literal(REDIRECT_STATUSES).optional(),
  forward_query: z.boolean().optional(),
});

/** Without code and password, which stay. Null for the state of a share. */
export function patchOfState(
  past: Record<string, unknown>,
): (Omit<LinkPatch, "options" | "passwordHash"> & { options: LinkOptions }) | null {
  const set = Object.entries(past).filter(([, value]) => value !== null);
  const parsed = stateShape.safeParse(Object.fromEntries(set));
  if (!parsed.success) return null;
  const { data: state } = parsed;
  return {
    target: state.target,
    expiresAt: state.expires_at ?? null,
    title: state.title ?? null,
    note: state.note ?? null,
    tags: state.tags ?? [],
    options: {
      startsAt: state.starts_at ?? null,
      maxClicks: state.max_clicks ?? null,
      fallbackUrl: state.fallback_url ?? null,
      redirectStatus: state.redirect_status ?? NO_OPTIONS.redirectStatus,
      forwardQuery: state.forward_query ?? NO_OPTIONS.forwardQuery,
    },
  };
}
