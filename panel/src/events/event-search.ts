const VIAS = ["panel", "api", "token", "cli", "import", "system"] as const;
export type EventVia = (typeof VIAS)[number];

/** The filters of the list, which live in the URL. */
export type EventSearch = {
  actor?: string;
  action?: string;
  subject?: string;
  via?: EventVia;
  /** Days, both inclusive, such as 2026-11-20. */
  from?: string;
  to?: string;
};

export const LONGEST_TEXT = 300;
const text = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value).slice(0, LONGEST_TEXT) : "";
const day = (value: unknown): string =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : "";

/** Reads the address, which anybody may have typed. */
export function readEventSearch(search: Record<string, unknown>): EventSearch {
  const via = VIAS.find((known) => known === search["via"]);
  const found = {
    actor: text(search["actor"]),
    action: text(search["action"]),
    subject: text(search["subject"]),
    from: day(search["from"]),
    to: day(search["to"]),
  };
  return {
    ...Object.fromEntries(Object.entries(found).filter(([, value]) => value !== "")),
    ...(via && { via }),
  };
}

/** The same for the API; days are those of the browser. */
export function eventFilterOf({ from, to, ...exact }: EventSearch) {
  return {
    ...exact,
    ...(from !== undefined && { from: new Date(`${from}T00:00:00`).toISOString() }),
    ...(to !== undefined && { to: new Date(`${to}T23:59:59.999`).toISOString() }),
  };
}
