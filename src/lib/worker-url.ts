/**
 * Finds the entry points of threads. In the compiled program all modules are one file at the root of the embedded file
 * system, and entry points lie beside it as below src/ (src/ must be the common folder of the entry points of `bun build`).
 */
const SOURCE_FOLDER = import.meta.url.endsWith("/lib/worker-url.ts") ? "../" : "./";

/** For `new Worker`. The path is relative to src/, with `.ts`. */
export const workerUrl = (path: string): string => new URL(SOURCE_FOLDER + path, import.meta.url).href;
