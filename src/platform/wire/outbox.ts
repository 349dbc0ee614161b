/** Bytes on their way to a client. What the system does not take at once waits here, so callers wait for `sent`. */
import { isShared } from "../../lib/shared-bytes.ts";

export type RawSocket = {
  readonly fd: number;
  /** The number of bytes taken; negative when closed. */
  write(bytes: Uint8Array, offset: number, length: number): number;
  write(text: string, encoding: "latin1"): number;
};

/** Largest text that leaves with its head in one write. */
export const MOST_JOINED_BYTES = 64 * 1024;
/** A page leaves from here, because bytes of its own would be garbage. */
let page: Buffer | undefined;

export type Outbox = ReturnType<typeof createOutbox>;

/**
 * @param broken called when the system accepts nothing any more, which the runtime does not report for a paused socket.
 * Called during a write, whose bytes wait like others
 * @param changed called with the change of `unread`
 */
export function createOutbox(socket: RawSocket, broken: () => void, changed: (bytes: number) => void) {
  let waiting: Uint8Array[] = [];
  let unread = 0;
  let isClosed = false;
  let wake: (() => void) | undefined;
  let woken: Promise<void> | undefined;
  let atClose: (() => void) | null = null;

  /** False when the system took a part only. */
  function write(bytes: Uint8Array): boolean {
    const taken = socket.write(bytes, 0, bytes.length);
    if (taken === bytes.length) return true;
    if (taken < 0) broken();
    keep(taken > 0 ? bytes.subarray(taken) : bytes);
    return false;
  }

  function keep(bytes: Uint8Array): void {
    waiting.push(bytes);
    if (isShared(bytes)) return;
    unread += bytes.length;
    changed(bytes.length);
  }

  function takeWaiting(): Uint8Array[] {
    const pieces = waiting;
    waiting = [];
    changed(-unread);
    unread = 0;
    return pieces;
  }

  function drain(): void {
    const pieces = takeWaiting();
    for (let at = 0; at < pieces.length; at++) {
      if (write(pieces[at]!)) continue;
      for (const piece of pieces.slice(at + 1)) keep(piece);
      return;
    }
    settle();
  }

  function settle(): void {
    const done = wake;
    wake = undefined;
    woken = undefined;
    done?.();
  }

  return {
    send(bytes: Uint8Array): void {
      if (isClosed) return;
      if (waiting.length > 0) keep(bytes);
      else write(bytes);
    },
    /** One byte a character. */
    sendText(text: string): void {
      if (isClosed || text === "") return;
      const taken = waiting.length > 0 ? 0 : socket.write(text, "latin1");
      if (taken < text.length) keep(Buffer.from(text.slice(Math.max(taken, 0)), "latin1"));
      if (taken < 0) broken();
    },
    /** A head of one byte a character with a text, `size` bytes together: at most MOST_JOINED_BYTES. */
    sendPage(head: string, text: string, size: number): void {
      if (isClosed) return;
      page ??= Buffer.allocUnsafeSlow(MOST_JOINED_BYTES);
      page.write(head, 0, "latin1");
      page.write(text, head.length, "utf8");
      const taken = waiting.length > 0 ? 0 : socket.write(page, 0, size);
      if (taken < size) keep(new Uint8Array(page.subarray(Math.max(taken, 0), size)));
      if (taken < 0) broken();
    },
    /** Resolves when the system has all bytes, or the connection is closed. */
    sent(): Promise<void> | undefined {
      if (waiting.length === 0 || isClosed) return undefined;
      woken ??= new Promise((resolve) => (wake = resolve));
      return woken;
    },
    /** Bytes that wait and are held for this client only. */
    unread: (): number => unread,
    isEmpty: (): boolean => waiting.length === 0,
    isClosed: (): boolean => isClosed,
    drain,
    /** Replaces the one before. At once, if it is closed. */
    onClose(call: (() => void) | null): void {
      if (isClosed) call?.();
      else atClose = call;
    },
    close(): void {
      isClosed = true;
      takeWaiting();
      settle();
      atClose?.();
    },
  };
}
