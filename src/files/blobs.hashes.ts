/**
 * SHA-256 of what passes by. An upload that comes in several requests keeps its hash between them in this process, as
 * long as all of its bytes came through here; otherwise its bytes are read once more at its end.
 */
import { appError } from "../lib/errors.ts";

/** A hash of the first `bytes` bytes of something. */
export type Meter = {
  readonly bytes: number;
  update(chunk: Uint8Array): void;
  digest(): string;
};

/** Each holds about a hundred bytes. */
const KEPT = 10_000;

export function createHashes() {
  const kept = new Map<string, Meter>();
  return {
    create: createMeter,
    put(id: string, meter: Meter): void {
      kept.set(id, meter);
      if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
    },
    /** Null unless it was kept, for just so many bytes. It is not kept any longer. */
    take(id: string, bytes: number): Meter | null {
      const meter = kept.get(id);
      kept.delete(id);
      return meter?.bytes === bytes ? meter : null;
    },
  };
}

function createMeter(): Meter {
  const hasher = new Bun.CryptoHasher("sha256");
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    update(chunk) {
      hasher.update(chunk);
      bytes += chunk.byteLength;
    },
    digest: () => hasher.digest("hex"),
  };
}

type Limits = {
  /** Bytes that came before. */
  from: number;
  /** 0 is no limit. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
};

/** The source, hashed when there is a meter, ended by its limits. @throws FileTooLargeForPolicy */
export async function* measured(
  source: AsyncIterable<Uint8Array>,
  meter: Meter | null,
  { from, maxBytes, signal }: Limits,
): AsyncGenerator<Uint8Array> {
  let bytes = from;
  for await (const chunk of source) {
    signal?.throwIfAborted();
    bytes += chunk.byteLength;
    if (maxBytes > 0 && bytes > maxBytes) {
      throw appError(
        "FileTooLargeForPolicy",
        `The file is larger than the ${maxBytes} bytes that are allowed here.`,
      );
    }
    meter?.update(chunk);
    yield chunk;
  }
}
