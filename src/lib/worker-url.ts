/**
 * Where a thread's entry point is. From source that is a path below src/. In the compiled program every module is
 * one file at the root of the embedded file system, and the entry points lie beside it as they lay below src/ (the
 * entry points given to `bun build` must have src/ as their common folder).
 */
const SOURCE_FOLDER = import.meta.url.endsWith("/lib/worker-url.ts") ? "../" : "./";

/** The URL for `new Worker`; the path is relative to src/, with its `.ts`. */
export const workerUrl = (path: string): string => new URL(SOURCE_FOLDER + path, import.meta.url).href;
