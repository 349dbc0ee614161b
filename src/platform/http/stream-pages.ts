/**
 * Makes each page after the client has taken the previous one. A client that leaves, or takes nothing for two minutes,
 * ends the stream. A failed page cuts the connection before the announced length or the last chunk, so a cut text
 * can't pass for a whole one. Lift the server's idle timeout first. Disposes of given bytes (lib/disposable-bytes.ts).
 */
import { dispose } from "../../lib/disposable-bytes.ts";
import type { Logger } from "../../lib/logger.ts";
import type { HttpContext } from "./endpoint.ts";

export type PageStreamOptions = {
  /** If a started response is cut. */
  onFailure(error: unknown): void;
  /** Closes the connection: a waiting stream can't report an error. */
  cut(): void;
  /** Longest silence of the client; default two minutes. */
  stallMs?: number;
  /** Before each page but the first; default 2. Use 0 for cheap pages. */
  restMs?: number;
};

type Page = string | Uint8Array;

const STALL_MS = 120_000;
/** Between pages of half a millisecond each. */
const REST_MS = 2;

/** Responds to `c` with the pages, without idle timeout. `failure` is logged if the started response is cut. */
export function streamResponse(
  c: HttpContext,
  pages: AsyncGenerator<Page, void>,
  { logger, failure, restMs = REST_MS }: { logger: Logger; failure: string; restMs?: number },
): Promise<ReadableStream<Uint8Array>> {
  const requestId = c.get("requestId");
  c.env.liftIdleTimeout();
  return streamPages(pages, {
    onFailure: (err) => logger.warn({ err, requestId }, failure),
    cut: () => c.env.cut(),
    restMs,
  });
}

/** Resolves with the first page, so that earlier errors get a proper response. */
export async function streamPages(
  pages: AsyncGenerator<Page, void>,
  { onFailure, cut, stallMs = STALL_MS, restMs = REST_MS }: PageStreamOptions,
): Promise<ReadableStream<Uint8Array>> {
  let next: IteratorResult<Page, void> | undefined = await pages.next();
  let stall: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let given: Page = "";
  const later = async (): Promise<IteratorResult<Page, void>> => {
    // Lets the previous page out first: a short response would otherwise be sent whole, with a length. Also limits a
    // long one to a fifth of the event loop.
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    return pages.next();
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    clearTimeout(stall);
    // The previous page was sent or copied.
    if (typeof given !== "string") dispose(given);
    given = "";
    try {
      const page = next ?? (await later());
      next = undefined;
      // The client may have left meanwhile.
      if (isOver) return;
      if (page.done) return controller.close();
      given = page.value;
      controller.enqueue(typeof given === "string" ? Buffer.from(given) : given);
      stall = setTimeout(giveUp, stallMs, controller);
    } catch (error) {
      if (isOver) return;
      onFailure(error);
      throw error;
    }
  };
  const giveUp = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    const error = new Error(`The client read nothing for ${stallMs / 1000} seconds.`);
    isOver = true;
    onFailure(error);
    controller.error(error);
    cut();
    void end();
  };
  const cancel = (): Promise<void> => {
    isOver = true;
    clearTimeout(stall);
    return end();
  };
  /** Never rejects: an unhandled rejection would end the program. */
  const end = async (): Promise<void> => void (await pages.return().catch(onFailure));
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}
