/** What is counted of codes that lead nowhere. */

/** Codes of a day. */
export const MOST_MISSING = 1_000;
/** The key of requests of further codes. */
export const FURTHER = "";

/** What is not stored yet. */
export type MissingCount = { human: number; automated: number; seenAt: number };
