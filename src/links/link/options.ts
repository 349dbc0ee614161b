/** One nullable column holds the options, so that other links cost nothing. */
import { z } from "zod";

export const REDIRECT_STATUSES = [301, 302, 307, 308] as const;
export type RedirectStatus = (typeof REDIRECT_STATUSES)[number];

export type LinkOptions = {
  /** Epoch milliseconds. Before it the code leads nowhere. */
  startsAt: number | null;
  /** People who may pass. */
  maxClicks: number | null;
  /** For expired, used-up and not yet started links. */
  fallbackUrl: string | null;
  redirectStatus: RedirectStatus;
  /** All pairs of the request's query go to the target. */
  forwardQuery: boolean;
};

export const NO_OPTIONS: LinkOptions = {
  startsAt: null,
  maxClicks: null,
  fallbackUrl: null,
  redirectStatus: 307,
  forwardQuery: false,
};

const stored = z.object({
  startsAt: z.number().nullable().catch(null),
  maxClicks: z.number().nullable().catch(null),
  fallbackUrl: z.string().nullable().catch(null),
  redirectStatus: z.literal(REDIRECT_STATUSES).catch(307),
  forwardQuery: z.boolean().catch(false),
});

/** For the column; null without options. */
export function writeOptions(options: LinkOptions): string | null {
  const set = Object.entries(options).filter(
    ([name, value]) => value !== NO_OPTIONS[name as keyof LinkOptions],
  );
  return set.length === 0 ? null : JSON.stringify(Object.fromEntries(set));
}

/** From the column. */
export const readOptions = (text: string | null): LinkOptions =>
  text === null ? NO_OPTIONS : stored.parse(JSON.parse(text));
