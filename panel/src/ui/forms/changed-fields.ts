import type { Event } from "../../base/api.ts";

const MASK = "[REDACTED]";

type States = Pick<Event, "before" | "after">;

/** Whether a secret got another value. Of secrets events tell a mask; the old one may be left out. */
export const isNewSecret = ({ before, after }: States, field: string): boolean =>
  before !== undefined && after?.[field] === MASK && before[field] !== null;

/** Fields that differ between the two states of an event; none if one state is missing. */
export function changedFields(event: States): string[] {
  const { before, after } = event;
  if (before === undefined || after === undefined) return [];
  return Object.keys({ ...before, ...after }).filter(
    (field) =>
      isNewSecret(event, field) ||
      JSON.stringify(before[field] ?? null) !== JSON.stringify(after[field] ?? null),
  );
}
