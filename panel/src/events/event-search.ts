/** The filters of the list, which live in the URL. */
export type EventSearch = { actor?: string; subject?: string };

/** Of an address, which anybody may have typed. */
export function readEventSearch(search: Record<string, unknown>): EventSearch {
  const text = (value: unknown) =>
    typeof value === "string" || typeof value === "number" ? String(value) : "";
  const [actor, subject] = [text(search["actor"]), text(search["subject"])];
  return { ...(actor !== "" && { actor }), ...(subject !== "" && { subject }) };
}
