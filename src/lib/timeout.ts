/** `late()` after `timeoutMs`. The work continues. */
export function withTimeout<T>(timeoutMs: number, work: Promise<T>, late: () => T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  return Promise.race([work, promise.then(late)]).finally(() => clearTimeout(timer));
}

export const throwTimeout = (): never => {
  throw new Error("no answer in time");
};

/** Undefined when it failed or took longer. The work continues. */
export const inTime = <T>(timeoutMs: number, work: Promise<T>): Promise<T | undefined> =>
  withTimeout<T | undefined>(timeoutMs, work, () => undefined).catch(() => undefined);
