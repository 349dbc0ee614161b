/** Bytes of a client that come before their turn. A client that sends too many of them waits. */
import type { WireSocket } from "./connection-owner.ts";

const MOST_BYTES = 64 * 1024;

export type Inflow = ReturnType<typeof createInflow>;

export function createInflow(socket: Pick<WireSocket, "pause" | "resume">) {
  let held: Buffer | null = null;
  let isPaused = false;
  let isClosed = false;

  function pause(): void {
    if (isPaused || isClosed) return;
    isPaused = true;
    socket.pause();
  }

  return {
    pause,
    resume(): void {
      if (!isPaused || isClosed) return;
      isPaused = false;
      socket.resume();
    },
    hold(bytes: Buffer): void {
      if (bytes.length === 0) return;
      // A small rest would keep all bytes that came with it.
      const isSmall = bytes.length < bytes.buffer.byteLength / 2;
      if (held !== null) held = Buffer.concat([held, bytes]);
      else held = isSmall ? Buffer.from(bytes) : bytes;
      if (held.length > MOST_BYTES) pause();
    },
    /** What is held is given once. */
    take(): Buffer | null {
      const bytes = held;
      held = null;
      return bytes;
    },
    isEmpty: (): boolean => held === null,
    close(): void {
      isClosed = true;
      held = null;
    },
  };
}
