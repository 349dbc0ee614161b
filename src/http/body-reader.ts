/**
 * The bytes of a request as the runtime has them, read so that little of them lies in this process. While nobody reads,
 * the runtime takes about a megabyte from the client before it stops it, hands all of it over as one chunk, and, while
 * that one waits in the stream for its reader, takes another megabyte. Two reads at once leave it with nothing, and
 * from then on it hands on small pieces of the one megabyte it has. So the read behind a large chunk is begun at once,
 * and behind the first one, in front of which the runtime had time to gather.
 */
import { giveAway } from "../lib/disposable-bytes.ts";

/** Whose turn it is to read on, where many clients send at once. */
export type BodyReadQueue = {
  isFree(): boolean;
  /** Resolves when it may be read on. */
  wait(): Promise<void>;
  /** So many bytes have been read; the result is called, once, when nobody has them any more. */
  hold(bytes: number): () => void;
};

/** More than the runtime hands over when it had nothing to gather. */
const LARGE_BYTES = 256 * 1024;
/** A body that says it is no longer than this waits for no turn. */
const SHORT_BYTES = 256 * 1024;

export type BodyReader = ReturnType<typeof createBodyReader>;

export function createBodyReader(
  body: ReadableStream<Uint8Array>,
  headers: Headers,
  queue: BodyReadQueue | undefined,
) {
  const reader = body.getReader();
  const length = headers.get("content-length");
  const pace = length !== null && Number(length) <= SHORT_BYTES ? undefined : queue;
  let ahead: ReturnType<typeof reader.read> | undefined;
  let letGo: (() => void) | undefined;

  /** Lets go of them once: when they are disposed of, or with the next read, or at the end. */
  function hold(bytes: number): () => void {
    let end = pace?.hold(bytes);
    letGo = () => {
      end?.();
      end = undefined;
    };
    return letGo;
  }

  return {
    /** Resolves when it may be read on. What was read before counts as used up. */
    async turn(): Promise<void> {
      letGo?.();
      if (pace !== undefined && ahead === undefined && !pace.isFree()) await pace.wait();
    },
    /** Bytes that the caller may dispose of, and as a rule should; null at the end. */
    async read(): Promise<Uint8Array | null> {
      const reading = ahead ?? reader.read();
      ahead = undefined;
      const { value } = await reading;
      if (value === undefined) return null;
      const isFirstOfLong = letGo === undefined && pace !== undefined;
      if (isFirstOfLong || value.byteLength > LARGE_BYTES) {
        ahead = reader.read();
        ahead.catch(() => undefined);
      }
      const gone = hold(isFirstOfLong ? LARGE_BYTES : value.byteLength);
      return value.byteLength === value.buffer.byteLength ? giveAway(value, gone) : value;
    },
    cancel(): void {
      reader.cancel().catch(() => undefined);
    },
    /** Nothing is read any more. */
    close: () => letGo?.(),
  };
}
