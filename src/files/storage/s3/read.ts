/**
 * Streams an object completely or fails. If a connection breaks, stalls or ends early, another request gets the rest of
 * the same version (If-Match), at most five times. The consumer may dispose of the chunks.
 */
import { giveAway } from "../../../lib/disposable-bytes.ts";
import type { ByteRange } from "../../byte-range.ts";
import type { ReadOptions } from "../driver.ts";
import type { S3Client } from "./client.ts";
import { S3Refusal, networkRefusal, s3Failure } from "./failure.ts";
import { contentDamaged } from "../storage-failure.ts";

type Reading = ReadOptions & { client: S3Client; key: string };

const REOPENINGS = 5;

/** Rejects unless the response matches the request. */
export async function openS3Object(reading: Reading): Promise<ReadableStream<Uint8Array>> {
  const { client, size, signal, onEnd } = reading;
  const last = reading.range?.end ?? size - 1;
  let next = reading.range?.start ?? 0;
  let etag: string | null = null;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined = await connect();
  // Not earlier: a failed `connect` would leave the timer running.
  const stallTimer = createStallTimer(client.pace.stallMs);
  let reopened = 0;

  async function connect() {
    const response = await request(reading, next, last, etag);
    etag ??= response.headers.get("etag");
    return response.body?.getReader();
  }

  async function read(): Promise<Uint8Array> {
    for (;;) {
      try {
        const result = await (reader && stallTimer.read(reader));
        if (result?.value !== undefined) return result.value;
        throw new S3Refusal(0, "Network", `the response ended ${last + 1 - next} bytes early`);
      } catch (error) {
        reader?.cancel().catch(() => undefined);
        signal?.throwIfAborted();
        reopened += 1;
        if (reopened > REOPENINGS) {
          throw s3Failure(networkRefusal(error));
        }
        reader = await connect().catch(continueElsewhere);
      }
    }
  }

  /** The object may have been moved to another storage, and removed here. */
  async function continueElsewhere(error: unknown) {
    const rest = await reading.elsewhere?.({ start: next, end: last });
    if (!rest) throw error;
    return rest.getReader();
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          if (next <= last) {
            const chunk = await read();
            if (chunk.byteLength > last + 1 - next) throw wrongResponse("more bytes than requested");
            next += chunk.byteLength;
            controller.enqueue(isWhole(chunk) ? giveAway(chunk) : chunk);
          }
          if (next <= last) return;
          controller.close();
          await end();
        } catch (error) {
          await end(error);
          throw error;
        }
      },
      cancel: () => end(),
    },
    { highWaterMark: 0 },
  );

  async function end(reason?: unknown): Promise<void> {
    stallTimer.end();
    onEnd?.(reason);
    await reader?.cancel().catch(() => undefined);
  }
}

const isWhole = ({ byteLength, buffer }: Uint8Array): boolean => byteLength === buffer.byteLength;

/** One timer per stream: thousands of reads run in a second. */
function createStallTimer(stallMs: number) {
  let giveUp: ((reason: unknown) => void) | undefined;
  const timer = setTimeout(() => giveUp?.(new S3Refusal(0, "Timeout", `silent for ${stallMs} ms`)), stallMs);
  return {
    read: <T>(reader: { read(): Promise<T> }): Promise<T> =>
      new Promise((resolve, reject) => {
        giveUp = reject;
        timer.refresh();
        reader.read().then((result) => {
          giveUp = undefined;
          resolve(result);
        }, reject);
      }),
    end: (): void => clearTimeout(timer),
  };
}

async function request(
  { client, key, size, range, signal }: Reading,
  start: number,
  end: number,
  etag: string | null,
): Promise<Response> {
  const isPart = range !== undefined || start > 0;
  const response = await client.stream({
    method: "GET",
    key,
    signal,
    headers: {
      ...(isPart && { Range: `bytes=${start}-${end}` }),
      ...(etag !== null && { "If-Match": etag }),
    },
  });
  const problem = mismatch(response, isPart ? { start, end } : null, size);
  if (problem === null) return response;
  await response.body?.cancel().catch(() => undefined);
  throw wrongResponse(problem);
}

function mismatch({ status, headers }: Response, part: ByteRange | null, size: number): string | null {
  const length = headers.get("content-length");
  const expected = part === null ? size : part.end - part.start + 1;
  if (length !== null && Number(length) !== expected) return `${length} bytes instead of ${expected}`;
  if (part === null) return status === 200 ? null : `status ${status}`;
  const given = headers.get("content-range");
  const contentRange = `bytes ${part.start}-${part.end}/${size}`;
  return status === 206 && given === contentRange
    ? null
    : `status ${status}, ${given} instead of ${contentRange}`;
}

const wrongResponse = (problem: string) =>
  contentDamaged("The stored file is damaged.", new Error(`the S3 endpoint answered with ${problem}`));
