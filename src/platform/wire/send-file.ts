/**
 * Sends a part of a file without copying it through the process: sendfile(2) makes downloads as fast as those of other
 * servers. Linux only; elsewhere and with TLS the file is read.
 */
import { FFIType } from "bun:ffi";
import { closeSync, openSync, readSync } from "node:fs";
import type { FileRange } from "../../lib/file-response.ts";
import { openLibc } from "../../lib/libc.ts";
import type { Outbox } from "./outbox.ts";

const { i32, u64, i64 } = FFIType;
const CALLS = { sendfile: { args: [i32, i32, FFIType.ptr, u64], returns: i64 } } as const;
/** Sent in one call, which holds the event loop. */
const PIECE_BYTES = 512 * 1024;
/** They wait in memory for a slow client. */
const READ_BYTES = 16 * 1024;

let opened: ReturnType<typeof openLibc<typeof CALLS>> | undefined;

export function canSendFiles(): boolean {
  opened ??= openLibc(CALLS);
  return opened !== null;
}

/** Opened before the head of the response, so that a missing file gets a proper response. */
export function openFilePart({ path, start, length }: FileRange) {
  const file = openSync(path, "r");
  const offset = new BigInt64Array([BigInt(start)]);
  const end = start + length;

  /** Serves where the system can't send this file. @throws if it is shorter */
  function read(at: number): Uint8Array {
    const bytes = new Uint8Array(Math.min(READ_BYTES, end - at));
    const size = readSync(file, bytes, 0, bytes.length, at);
    if (size === 0) throw tooShort(path);
    return bytes.subarray(0, size);
  }

  return {
    /** `progressed` after each piece. @throws if the file is shorter than announced */
    async send(socket: { readonly fd: number }, outbox: Outbox, progressed: () => void): Promise<void> {
      for (let at = start; at < end && !outbox.isClosed(); ) {
        const sent = Number(opened!.sendfile(socket.fd, file, offset, Math.min(PIECE_BYTES, end - at)));
        if (sent === 0) throw tooShort(path);
        if (sent > 0) {
          at += sent;
          await new Promise(setImmediate);
        } else {
          // The system takes no more now. The runtime reports when it has taken these bytes.
          const bytes = read(at);
          at += bytes.length;
          offset[0] = BigInt(at);
          outbox.send(bytes);
          await outbox.sent();
        }
        progressed();
      }
    },
    close: () => closeSync(file),
  };
}

const tooShort = (path: string): Error => new Error(`${path} is shorter than announced`);
