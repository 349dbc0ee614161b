/** The end of the access token as the server reported it. All tabs share it. */

/** `at`: when the server reported it, epoch ms. */
type ReportedLife = { at: number; lifeMs: number };

const KEY = "waymark-renewed";
/** A token counts as ended this long before its end. */
const MARGIN_MS = 30_000;

/** What this page received, by a monotonic clock. The clock may stop while the machine sleeps. */
let received: { reported: ReportedLife; steady: number } | null = null;

const stored = (): ReportedLife | null => {
  try {
    const reported = JSON.parse(localStorage.getItem(KEY) ?? "null") as Partial<ReportedLife> | null;
    return typeof reported?.at === "number" && typeof reported.lifeMs === "number"
      ? (reported as ReportedLife)
      : null;
  } catch {
    return null;
  }
};

/**
 * The newest report. If its time is in the future, the clock was set back, and only what this page received counts.
 */
const newest = (): ReportedLife | null => {
  const reported = stored();
  return reported !== null && reported.at <= Date.now() ? reported : (received?.reported ?? null);
};

export function noteSession(lifeMs: number): void {
  const reported = { at: Date.now(), lifeMs };
  received = { reported, steady: performance.now() };
  try {
    localStorage.setItem(KEY, JSON.stringify(reported));
  } catch {
    // Full, such as with drafts. This tab knows it; others ask the server.
  }
}

export function forgetSession(): void {
  received = null;
  localStorage.removeItem(KEY);
}

/** 0 when nothing is known. */
export const sessionToldAt = (): number => newest()?.at ?? 0;

/** `unknown`: ask the server. */
export function stateOfSession(): "fresh" | "over" | "unknown" {
  const reported = newest();
  if (reported === null) return "unknown";
  const passed = [Date.now() - reported.at];
  if (received?.reported.at === reported.at) passed.push(performance.now() - received.steady);
  const lasts = reported.lifeMs - Math.min(MARGIN_MS, reported.lifeMs / 2);
  if (Math.max(...passed) >= lasts) return "over";
  return Math.min(...passed) < 0 ? "unknown" : "fresh";
}
