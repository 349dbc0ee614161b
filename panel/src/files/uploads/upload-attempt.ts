/** A lost network may leave a request hanging for minutes: it is given up when the browser says so, or in silence. */
const SILENCE_MS = 120_000;

/** Its signal ends with `stop`, when the network goes, and so long after the last `touch`. Call `end`. */
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
