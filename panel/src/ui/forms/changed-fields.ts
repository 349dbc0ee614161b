import type { Event } from "../../base/api.ts";

/** Fields that differ between the two states of an event; none if one state is missing. */
export function changedFields({ before, after }: Event): string[] {
  if (before === undefined || after === undefined) return [];
  return Object.keys({ ...before, ...after }).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
}
