/**
 * Starts the process that makes thumbnails when there is a picture, and lets it end when there was none for a while.
 * Kills it when a picture takes too long or too much memory, so that the next one meets a new process.
 */
import type { Subprocess } from "bun";
import { endLarge } from "../../lib/end-large.ts";
import { HEAD_BYTES, headOf, HEIF_MAKER, lengthIn, MOST_THUMBNAIL_BYTES } from "./frame.ts";

export type PictureToMake = {
  /** In bytes, at most MOST_SOURCE_BYTES. */
  size: number;
  /** The longer side of what is made. */
  side: number;
  /** HEIC or AVIF, by its type. */
  isHeif: boolean;
};

export type Maker = {
  /**
   * Not more than one at a time. Null: this picture has no thumbnail. @throws what reading the picture throws
   */
  make(picture: ReadableStream<Uint8Array>, what: PictureToMake): Promise<Uint8Array | null>;
  close(): void;
};

export type MakerLimits = {
  /** The time for a picture, from its first byte on. */
  pictureMs: number;
  idleMs: number;
  /** Resident. */
  memoryBytes: number;
};

const LIMITS: MakerLimits = { pictureMs: 10_000, idleMs: 15_000, memoryBytes: 256 * 1024 * 1024 };
/** A HEIC file of 64 megapixels that is not in tiles, and an AVIF file of 20 megapixels. */
const HEIF_LIMITS: MakerLimits = { ...LIMITS, pictureMs: 20_000, memoryBytes: 512 * 1024 * 1024 };
const WATCH_MS = 50;

/** As for the server: see bin/waymark. */
const ENV = { MIMALLOC_PURGE_DELAY: "3", MIMALLOC_ARENA_PURGE_MULT: "1", BUN_JSC_forceRAMSize: "134217728" };

type Child = Subprocess<"pipe", "pipe", "ignore">;
type Running = { child: Child; output: ReadableStreamDefaultReader<Uint8Array> };

/** HEIC and AVIF have a process of their own, so that others cost no memory of their decoders. */
export function createMakers(command: readonly string[]): Maker {
  const [plain, heif] = [createMaker(command), createMaker([...command, HEIF_MAKER], HEIF_LIMITS)];
  return {
    make: (picture, what) => (what.isHeif ? heif : plain).make(picture, what),
    close() {
      plain.close();
      heif.close();
    },
  };
}

export function createMaker(command: readonly string[], limits = LIMITS) {
  let running: Running | null = null;
  let idle: ReturnType<typeof setTimeout> | undefined;

  function start(): Running {
    // Its environment has no secrets.
    const child = Bun.spawn([...command], { stdin: "pipe", stdout: "pipe", stderr: "ignore", env: ENV });
    child.unref();
    return { child, output: child.stdout.getReader() };
  }

  function end(): void {
    running?.child.kill("SIGKILL");
    running = null;
  }

  return {
    async make(
      picture: ReadableStream<Uint8Array>,
      what: Omit<PictureToMake, "isHeif">,
    ): Promise<Uint8Array | null> {
      clearTimeout(idle);
      const { child, output } = (running ??= start());
      let isRead = false;
      const timer = setTimeout(() => child.kill("SIGKILL"), limits.pictureMs);
      const watch = setInterval(() => void endLarge(child, limits.memoryBytes), WATCH_MS);
      try {
        const thumbnail = readThumbnail(output);
        // If the process ends, what is being written fails too.
        await Promise.race([write(child, picture, what).then(() => (isRead = true)), thumbnail]);
        const made = await thumbnail;
        if (made === null) end();
        return made === null || made.length === 0 ? null : made;
      } catch (error) {
        end();
        // Reading fails before everything was written; then the picture is not to blame.
        if (!isRead) throw error;
        return null;
      } finally {
        clearTimeout(timer);
        clearInterval(watch);
        idle = setTimeout(end, limits.idleMs).unref();
      }
    },

    /** The id of the process, or null if none runs. */
    pid: (): number | null => running?.child.pid ?? null,

    close(): void {
      clearTimeout(idle);
      end();
    },
  };
}

/** Errors of the pipe count as an end of the process, which `readThumbnail` reports. */
async function write(
  { stdin }: Child,
  picture: ReadableStream<Uint8Array>,
  { size, side }: Omit<PictureToMake, "isHeif">,
): Promise<void> {
  const put = async (bytes: Uint8Array): Promise<void> => {
    try {
      stdin.write(bytes);
      await stdin.flush();
    } catch {
      // See above.
    }
  };
  await put(headOf(size, side));
  for await (const chunk of picture) await put(chunk);
}

/** Reads one thumbnail. Null if the process ended, or sent an invalid one. */
async function readThumbnail(output: Running["output"]): Promise<Uint8Array | null> {
  let bytes = new Uint8Array(0);
  for (;;) {
    const length = bytes.length < HEAD_BYTES ? HEAD_BYTES : HEAD_BYTES + lengthIn(bytes);
    if (length > HEAD_BYTES + MOST_THUMBNAIL_BYTES) return null;
    if (bytes.length >= HEAD_BYTES && bytes.length >= length) return bytes.slice(HEAD_BYTES, length);
    const { done, value } = await output.read();
    if (done) return null;
    bytes = new Uint8Array(Buffer.concat([bytes, value]));
  }
}
