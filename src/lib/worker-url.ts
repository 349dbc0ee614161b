/**
 * Entry points of threads. The compiled program is one file at the root of the embedded file system, with its entry
 * points beside it. `bun build` keeps their paths below src/, their common folder.
 */
const SOURCE_FOLDER = import.meta.url.endsWith("/lib/worker-url.ts") ? "../" : "./";

/** The path is relative to src/, with `.ts`. */
export const workerUrl = (path: string): string => new URL(SOURCE_FOLDER + path, import.meta.url).href;
