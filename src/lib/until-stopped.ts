/** Resolves with null if the work lasts longer than `ms` after the signal. */
export function untilStopped<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T | null> {
  const stopped = Promise.withResolvers<null>();
  const stop = () => void setTimeout(() => stopped.resolve(null), ms);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  return Promise.race([work, stopped.promise]).finally(() => signal.removeEventListener("abort", stop));
}
