/**
 * Bodies that come with a checksum. All of such a body is kept or nothing of it, and a storage can't take back what it
 * has: so they are gathered in memory until they are proved.
 */
import { appError } from "../../lib/errors.ts";
import { type Checksum, verify } from "./tus-protocol.ts";
import { uploadTooLong } from "./tus-transfer.ts";

export const MOST_CHECKED_BYTES = 8 * 1024 * 1024;

/** Counts bytes in memory. @throws ServiceUnavailable when there are too many */
export type BodyCount = { add(bytes: number): void };

export type CheckedBody = {
  bytes: AsyncIterable<Uint8Array>;
  checksum: Checksum;
  /** As the client says; undefined when it doesn't. */
  length: number | undefined;
  /** What the upload has room for. */
  left: number;
  /** Where the bytes count until the caller leaves it. */
  reservation: BodyCount;
};

/**
 * The body's bytes, proved.
 * @throws 460, FileTooLargeForPolicy, ServiceUnavailable while too much is gathered, what the body throws
 */
export async function provedBytes(body: CheckedBody): Promise<AsyncIterable<Uint8Array>> {
  if (Math.min(body.length ?? 0, body.left) > MOST_CHECKED_BYTES) throw tooMuch();
  const chunks = await gather(body);
  verify(body.checksum, chunks);
  return each(chunks);
}

async function gather({ bytes, left, reservation }: CheckedBody): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  let count = 0;
  for await (const chunk of bytes) {
    count += chunk.byteLength;
    if (count > left) throw uploadTooLong();
    if (count > MOST_CHECKED_BYTES) throw tooMuch();
    reservation.add(chunk.byteLength);
    chunks.push(chunk);
  }
  return chunks;
}

async function* each(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  yield* chunks;
}

const tooMuch = () =>
  appError(
    "FileTooLargeForPolicy",
    `A request with a checksum takes ${MOST_CHECKED_BYTES} bytes at most; send smaller ones.`,
  );
