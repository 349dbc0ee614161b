/**
 * Bodies that come with a checksum. All of such a body is kept or nothing of it, and a storage can't take back what it
 * has: so they are gathered in memory until they are proved, each within a bound and all of a process within another.
 */
import { appError } from "../../lib/errors.ts";
import { type Checksum, verify } from "./tus-protocol.ts";
import { tooLong } from "./tus-transfer.ts";

const MOST_BYTES = 8 * 1024 * 1024;
/** Of all bodies that are gathered at once. */
const MOST_GATHERED_BYTES = 64 * 1024 * 1024;

type CheckedBody = {
  bytes: AsyncIterable<Uint8Array>;
  checksum: Checksum;
  /** As the client says; undefined when it doesn't. */
  length: number | undefined;
  /** What the upload has room for. */
  left: number;
};

export function createCheckedBodies() {
  let gathered = 0;
  return {
    /**
     * Hands out the proved bytes, which count until `use` has ended.
     * @throws 460, FileTooLargeForPolicy, ServiceUnavailable while too much is gathered, what the body throws
     */
    async prove<T>(body: CheckedBody, use: (bytes: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
      const share = Math.min(body.length ?? MOST_BYTES, body.left);
      if (share > MOST_BYTES) throw tooMuch();
      if (gathered + share > MOST_GATHERED_BYTES) {
        throw appError("ServiceUnavailable", "Too much is being checked at once. Try again in a moment.", {
          details: { retryAfterSeconds: 1 },
        });
      }
      gathered += share;
      try {
        const chunks = await gather(body);
        verify(body.checksum, chunks);
        return await use(each(chunks));
      } finally {
        gathered -= share;
      }
    },
  };
}

async function gather({ bytes, left }: CheckedBody): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  let count = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    count += chunk.byteLength;
    if (count > left) throw tooLong();
    if (count > MOST_BYTES) throw tooMuch();
  }
  return chunks;
}

async function* each(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  yield* chunks;
}

const tooMuch = () =>
  appError(
    "FileTooLargeForPolicy",
    `A request with a checksum takes ${MOST_BYTES} bytes at most; send smaller ones.`,
  );
