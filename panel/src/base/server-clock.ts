/** The server's time. The clock of the browser's machine may be wrong, but ranges and ends are the server's. */

let offsetMs = 0;

/** By an answer's Date, which has whole seconds. The nearest offset that it allows counts. */
export function noteServerTime(response: Response, requestedAt: number): void {
  const serverTime = Date.parse(response.headers.get("Date") ?? "");
  if (Number.isNaN(serverTime)) return;
  offsetMs = Math.min(Math.max(offsetMs, serverTime - Date.now()), serverTime + 1_000 - requestedAt);
}

/** Epoch milliseconds. */
export const serverNow = (): number => Date.now() + offsetMs;
