/**
 * Reads links back into the table after a large change, so that an outage finds them there. Codes wait in a set and are
 * read one statement at a time. A link that changes during the read is skipped: the change requests it again.
 */
import { isUnavailable } from "../../platform/db/failures.ts";
import type { Logger } from "../../lib/logger.ts";
import type { StoredLink } from "./cached-link.ts";

type Deps = {
  /** At most CODES_AT_ONCE. Unknown ones are missing. */
  load(codes: readonly string[]): Promise<readonly StoredLink[]>;
  put(link: StoredLink): void;
  /** In links. */
  room(): number;
  logger: Logger;
};

/** Less than a millisecond of the event loop. */
const CODES_AT_ONCE = 500;
const RETRY_MS = 500;

export function createLinkRefill({ load, put, room, logger }: Deps) {
  const wanted = new Set<string>();
  /** Codes of the running statement, unchanged since it began. */
  let reading = new Set<string>();
  let running = false;
  let closed = false;
  let retry: ReturnType<typeof setTimeout> | undefined;

  async function run(): Promise<void> {
    running = true;
    try {
      while (wanted.size > 0 && !closed) await loadSome();
    } catch (error) {
      for (const code of reading) wanted.add(code);
      if (!isUnavailable(error)) logger.warn({ err: error }, "changed links could not be read; retrying");
      retry = setTimeout(start, RETRY_MS);
      retry.unref();
    }
    running = false;
  }

  async function loadSome(): Promise<void> {
    reading = new Set(wanted.values().take(CODES_AT_ONCE));
    for (const code of reading) wanted.delete(code);
    for (const link of await load([...reading])) if (reading.has(link.code)) put(link);
    reading = new Set();
  }

  function start(): void {
    clearTimeout(retry);
    if (!running && !closed) void run();
  }

  return {
    /** Does nothing without room. Call it after the table has forgotten them. */
    want(codes: Iterable<string>): void {
      for (const code of codes) {
        if (wanted.size + reading.size >= room()) break;
        wanted.add(code);
      }
      start();
    },
    awaits: (code: string): boolean => wanted.has(code) || reading.has(code),
    /** A running read of this link may be old. */
    changed: (code: string): void => void reading.delete(code),
    /** Any link may have changed: cancels all requests. */
    clear(): void {
      wanted.clear();
      reading.clear();
    },
    close(): void {
      closed = true;
      clearTimeout(retry);
    },
  };
}
