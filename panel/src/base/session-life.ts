/** The end of the access token as the server reported it. All tabs share it. */

/** `at`: when the server reported it, epoch ms. */
type Told = { at: number; lifeMs: number };

const KEY = "waymark-renewed";
/** A token counts as ended this long before its end. */
const MARGIN_MS = 30_000;

/** What this page received, by a monotonic clock. The clock may stop while the machine sleeps. */
let heard: { told: Told; steady: number } | null = null;

const stored = (): Told | null => {
  try {
    const told = JSON.parse(localStorage.getItem(KEY) ?? "null") as Partial<Told> | null;
    return typeof told?.at === "number" && typeof told.lifeMs === "number" ? (told as Told) : null;
  } catch {
    return null;
  }
};

/**
 * The newest report. If its time is in the future, the clock was set back, and only what this page received counts.
 */
const newest = (): Told | null => {
  const told = stored();
  return told !== null && told.at <= Date.now() ? told : (heard?.told ?? null);
};

export function noteSession(lifeMs: number): void {
  const told = { at: Date.now(), lifeMs };
  heard = { told, steady: performance.now() };
  try {
    localStorage.setItem(KEY, JSON.stringify(told));
  } catch {
    // Full, such as with drafts. This tab knows it; others ask the server.
  }
}

export function forgetSession(): void {
  heard = null;
  localStorage.removeItem(KEY);
}

/** 0 when nothing is known. */
export const sessionToldAt = (): number => newest()?.at ?? 0;

/** `unknown`: ask the server. */
export function stateOfSession(): "fresh" | "over" | "unknown" {
  const told = newest();
  if (told === null) return "unknown";
  const passed = [Date.now() - told.at];
  if (heard?.told.at === told.at) passed.push(performance.now() - heard.steady);
  const lasts = told.lifeMs - Math.min(MARGIN_MS, told.lifeMs / 2);
  if (Math.max(...passed) >= lasts) return "over";
  return Math.min(...passed) < 0 ? "unknown" : "fresh";
}
