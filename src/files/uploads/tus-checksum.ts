/**
 * Bodies with a checksum are kept whole or not at all. A storage can't take bytes back, so memory holds them until they
 * are verified.
 */
import { appError } from "../../lib/errors.ts";
import { type Checksum, verify } from "./tus-protocol.ts";
import { uploadTooLong } from "./tus-transfer.ts";

export const MOST_CHECKED_BYTES = 8 * 1024 * 1024;

/** Counts bytes in memory. @throws ServiceUnavailable beyond the bound */
export type BodyCount = { add(bytes: number): void };

export type CheckedBody = {
  bytes: AsyncIterable<Uint8Array>;
  checksum: Checksum;
  /** If the client sent one. */
  length: number | undefined;
  /** The size of the whole upload; null while it is not known. */
  size: number | null;
  left: number;
  reservation: BodyCount;
};

/** @throws 460, FileTooLargeForPolicy, ServiceUnavailable beyond the bound, errors of the body */
export async function provedBytes(body: CheckedBody): Promise<AsyncIterable<Uint8Array>> {
  if (Math.min(body.length ?? 0, body.left) > MOST_CHECKED_BYTES) throw tooMuch();
  const chunks = await gather(body);
  verify(body.checksum, chunks);
  return each(chunks);
}

async function gather({ bytes, size, left, reservation }: CheckedBody): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  let count = 0;
  for await (const chunk of bytes) {
    count += chunk.byteLength;
    if (count > left) throw uploadTooLong(size);
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
    `A request with a checksum can have at most ${MOST_CHECKED_BYTES} bytes; send smaller requests.`,
  );
