/**
 * Text or bytes made page by page as the body of an answer. Nothing is made before the client has taken what came
 * before, so memory stays flat for any length; a client that goes away, or takes no page for two minutes, ends the making.
 * When a page fails the connection is cut without the end mark of chunked encoding, so a cut text can't pass for a
 * whole one. The server's own idle timeout counts from the beginning of an answer, whatever flows: lift it before.
 * Bytes that were given away (lib/disposable-bytes.ts) are disposed of once they are taken.
 */
import { dispose } from "../lib/disposable-bytes.ts";

export type PageStreamOptions = {
  /** Hears why a started answer was cut. */
  onFailure(error: unknown): void;
  /** Ends the connection: an answer that waits for its client can't fail before the client takes it. */
  cut(): void;
  /** How long the client may take nothing, in milliseconds; two minutes unless told. */
  stallMs?: number;
  /** Pause before each page but the first, in milliseconds; 2 unless told. 0 for what costs nothing to make. */
  restMs?: number;
};

type Page = string | Uint8Array;

const STALL_MS = 120_000;
/** Between pages, which take half a millisecond each. */
const REST_MS = 2;

/** Resolves when the first page is there, so that what fails until then can still be answered with its error. */
export async function streamPages(
  pages: AsyncGenerator<Page, void>,
  { onFailure, cut, stallMs = STALL_MS, restMs = REST_MS }: PageStreamOptions,
): Promise<ReadableStream<Uint8Array>> {
  let next: IteratorResult<Page, void> | undefined = await pages.next();
  let stall: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let given: Page = "";
  const later = async (): Promise<IteratorResult<Page, void>> => {
    // What was given before goes out first; a short answer would else be sent whole, with a length. And a long one
    // takes a fifth of the event loop at most: redirects matter more.
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    return pages.next();
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    clearTimeout(stall);
    // It has been sent, or copied to be.
    if (typeof given !== "string") dispose(given);
    given = "";
    try {
      const page = next ?? (await later());
      next = undefined;
      // The client may have gone while the page was made.
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
    const error = new Error(`The client took nothing for ${stallMs / 1000} seconds.`);
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
  /** Never rejects: nobody would hear of it, and that ends a program. */
  const end = async (): Promise<void> => {
    try {
      await pages.return();
    } catch (error) {
      onFailure(error);
    }
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}
