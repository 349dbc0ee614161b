/** When the access token ends, as the server told this browser. All tabs share it. */

/** `at`: when the server said so, in epoch ms. */
type Told = { at: number; lifeMs: number };

const KEY = "waymark-renewed";
/** Before its end a token counts as ended. */
const MARGIN_MS = 30_000;

/** What this page heard, with a clock that nobody sets. It may stop while the machine sleeps. */
let heard: { told: Told; steady: number } | null = null;

const stored = (): Told | null => {
  try {
    const told = JSON.parse(localStorage.getItem(KEY) ?? "null") as Partial<Told> | null;
    return typeof told?.at === "number" && typeof told.lifeMs === "number" ? (told as Told) : null;
  } catch {
    return null;
  }
};

/** The newest news. Of a time that has not come yet only what this page heard counts: the clock was set back. */
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

/** `unknown`: the server has to be asked. */
export function stateOfSession(): "fresh" | "over" | "unknown" {
  const told = newest();
  if (told === null) return "unknown";
  const passed = [Date.now() - told.at];
  if (heard?.told.at === told.at) passed.push(performance.now() - heard.steady);
  const lasts = told.lifeMs - Math.min(MARGIN_MS, told.lifeMs / 2);
  if (Math.max(...passed) >= lasts) return "over";
  return Math.min(...passed) < 0 ? "unknown" : "fresh";
}
