/** Hears that an operation took so many seconds, whether it succeeded or failed. */
export type OperationObserver = (operation: string, seconds: number) => void;

type AnyFunction = (...args: never[]) => unknown;

/**
 * The same object with the named methods timed under an operation's name: until their promise settles, or, where
 * they return an async iterable, for each of its steps. Other methods stay as they are.
 */
export function timeMethods<T extends object>(
  target: T,
  operations: { [K in keyof T]?: string },
  observe: OperationObserver,
): T {
  const timed: Partial<T> = {};
  for (const name of Object.keys(operations) as (keyof T)[]) {
    timed[name] = timeFunction(target[name] as AnyFunction, operations[name]!, observe) as T[keyof T];
  }
  return { ...target, ...timed };
}

export function timeFunction<F extends AnyFunction>(
  run: F,
  operation: string,
  observe: OperationObserver,
): F {
  const timed = (...args: Parameters<F>): unknown => {
    const begun = performance.now();
    const end = () => observe(operation, (performance.now() - begun) / 1000);
    let result: unknown;
    try {
      result = run(...args);
    } catch (error) {
      end();
      throw error;
    }
    if (isAsyncIterable(result)) return timeSteps(result, operation, observe);
    if (result instanceof Promise) return result.finally(end);
    end();
    return result;
  };
  return timed as F;
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

async function* timeSteps(
  source: AsyncIterable<unknown>,
  operation: string,
  observe: OperationObserver,
): AsyncGenerator<unknown> {
  let begun = performance.now();
  for await (const step of source) {
    observe(operation, (performance.now() - begun) / 1000);
    yield step;
    begun = performance.now();
  }
}
