/** The server's time. The clock of the browser's machine may be wrong, but ranges and ends are the server's. */

let offsetMs = 0;

/** By an answer's Date, which has whole seconds. The nearest offset that it allows counts. */
export function noteServerTime(answer: Response, requestedAt: number): void {
  const told = Date.parse(answer.headers.get("Date") ?? "");
  if (Number.isNaN(told)) return;
  offsetMs = Math.min(Math.max(offsetMs, told - Date.now()), told + 1_000 - requestedAt);
}

/** Epoch milliseconds. */
export const serverNow = (): number => Date.now() + offsetMs;
