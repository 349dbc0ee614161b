/**
 * A lost network may leave a request hanging for minutes. It is aborted when the browser goes offline, or after a
 * silence.
 */
const SILENCE_MS = 120_000;

/** Its signal aborts with `stop`, when the network goes, and this long after the last `touch`. Call `end`. */
export function beginAttempt(stop: AbortSignal) {
  const lost = new AbortController();
  const lose = () => lost.abort();
  let timer = setTimeout(lose, SILENCE_MS);
  addEventListener("offline", lose);
  return {
    signal: AbortSignal.any([stop, lost.signal]),
    touch(): void {
      clearTimeout(timer);
      timer = setTimeout(lose, SILENCE_MS);
    },
    end(): void {
      clearTimeout(timer);
      removeEventListener("offline", lose);
    },
  };
}
