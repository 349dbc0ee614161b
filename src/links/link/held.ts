/** A link that leads nowhere until an administrator decides. */
import { z } from "zod";
import { formatRfc3339, parseRfc3339 } from "../../lib/rfc3339.ts";

/** `waiting`: for approval of its target. `refused`: that was refused. `taken_down`: nobody but a review changes it. */
export const HELD_STATES = ["waiting", "refused", "taken_down"] as const;
export type HeldState = (typeof HELD_STATES)[number];

export const MOST_REASON = 500;

/** `by`: who decided, or whose link waits. */
export type Held = { state: HeldState; at: number; by: string; reason: string | null };

export const heldShown = z.object({
  state: z.enum(HELD_STATES),
  at: z.iso.datetime(),
  by: z.string(),
  reason: z.string().nullable(),
});

const heldSchema = z.strictObject({
  ...heldShown.shape,
  by: z.string().max(128),
  reason: z.string().max(MOST_REASON).nullable(),
});
export type HeldInput = z.output<typeof heldSchema>;

export const heldInput = heldSchema.refine(({ at }) => parseRfc3339(at) !== null, "at must be RFC 3339");

export const showHeld = (held: Held | null): HeldInput | null =>
  held && { ...held, at: formatRfc3339(held.at) };

export const restoreHeld = (shown: HeldInput | null): Held | null =>
  shown && { ...shown, at: parseRfc3339(shown.at) ?? 0 };
