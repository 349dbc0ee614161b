/** Takes the times of successes and failures. */
export type TimeObserver = (seconds: number) => void;

type AnyFunction = (...args: never[]) => unknown;

/** Times the given methods until their promise settles or, for an async iterable, each step. */
export function timeMethods<T extends object>(target: T, observers: { [K in keyof T]?: TimeObserver }): T {
  const timed: Partial<T> = {};
  for (const name of Object.keys(observers) as (keyof T)[]) {
    timed[name] = timeFunction(target[name] as AnyFunction, observers[name]!) as T[keyof T];
  }
  return { ...target, ...timed };
}

export function timeFunction<F extends AnyFunction>(run: F, observe: TimeObserver): F {
  const timed = (...args: Parameters<F>): unknown => {
    const begun = performance.now();
    const end = () => observe((performance.now() - begun) / 1000);
    let result: unknown;
    try {
      result = run(...args);
    } catch (error) {
      end();
      throw error;
    }
    if (isAsyncIterable(result)) return timeSteps(result, observe);
    if (result instanceof Promise) return result.finally(end);
    end();
    return result;
  };
  return timed as F;
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

async function* timeSteps(source: AsyncIterable<unknown>, observe: TimeObserver): AsyncGenerator<unknown> {
  let begun = performance.now();
  for await (const step of source) {
    observe((performance.now() - begun) / 1000);
    yield step;
    begun = performance.now();
  }
}
