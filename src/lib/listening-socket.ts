/**
 * The process's listening socket. The runtime spins when descriptors run out; an empty event mask in its epoll set
 * pauses it. Linux only. Source: epoll_ctl(2), proc(5) for fdinfo.
 */
import { FFIType } from "bun:ffi";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { openLibc } from "./libc.ts";

export type ListeningSocket = {
  readonly descriptor: number;
  /** New connections wait in the system's queue. */
  pause(): void;
  resume(): void;
  /** Answers and closes at most `most` waiting connections; returns their number. */
  refuse(most: number, answer: Uint8Array | null): number;
  setBacklog(length: number): void;
  /** Ends accepted TCP connections in this range that have sent nothing for `silentMs`. */
  endSilent(fromDescriptor: number, toDescriptor: number, silentMs: number): void;
};

const { i32, u64, i64 } = FFIType;
const pointer = FFIType.ptr;
const CALLS = {
  accept4: { args: [i32, pointer, pointer, i32], returns: i32 },
  close: { args: [i32], returns: i32 },
  epoll_ctl: { args: [i32, i32, i32, pointer], returns: i32 },
  getsockname: { args: [i32, pointer, pointer], returns: i32 },
  getsockopt: { args: [i32, i32, i32, pointer, pointer], returns: i32 },
  listen: { args: [i32, i32], returns: i32 },
  recv: { args: [i32, pointer, u64, i32], returns: i64 },
  send: { args: [i32, pointer, u64, i32], returns: i64 },
  shutdown: { args: [i32, i32], returns: i32 },
} as const;
type Libc = NonNullable<ReturnType<typeof openLibc<typeof CALLS>>>;

const EPOLL_CTL_MOD = 3;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const SHUT_WR = 1;
const SHUT_RDWR = 2;
const SOCK_CLOEXEC = 0o2_000_000;
const AF_UNIX = 1;
const SOL_SOCKET = 1;
const SO_ACCEPTCONN = 30;
const IPPROTO_TCP = 6;
const TCP_INFO = 11;
/** Offsets in struct tcp_info: milliseconds since the last data (or the start), and bytes received. */
const LAST_DATA_RECEIVED = 52;
const BYTES_RECEIVED = 128;

/** `data` is the runtime's. */
type Registration = { epoll: number; socket: number; events: number; data: bigint };

/** Port 0: a unix socket. Null if there is none, or on another system. */
export function findListeningSocket(port: number): ListeningSocket | null {
  const libc = openLibc(CALLS);
  if (libc === null) return null;
  try {
    const listens = ({ socket }: Registration) =>
      isListening(libc, socket) && localPort(libc, socket) === port;
    const found = registrations().find(listens);
    return found === undefined ? null : listeningSocket(libc, found);
  } catch {
    // Without /proc.
    return null;
  }
}

function listeningSocket(libc: Libc, { epoll, socket, events, data }: Registration): ListeningSocket {
  const watch = (mask: number) => void libc.epoll_ctl(epoll, EPOLL_CTL_MOD, socket, eventOf(mask, data));
  const received = new Uint8Array(16 * 1024);
  const port = localPort(libc, socket);

  /** Reads first: closing with unread bytes resets the connection and may lose the answer. */
  function refuseOne(connection: number, answer: Uint8Array | null): void {
    if (answer !== null) {
      libc.recv(connection, received, received.length, MSG_DONTWAIT);
      libc.send(connection, answer, answer.length, MSG_DONTWAIT | MSG_NOSIGNAL);
      libc.shutdown(connection, SHUT_WR);
    }
    libc.close(connection);
  }

  return {
    descriptor: socket,
    pause: () => watch(0),
    resume: () => watch(events),
    refuse(most, answer) {
      for (let count = 0; count < most; count++) {
        const connection = libc.accept4(socket, null, null, SOCK_CLOEXEC);
        if (connection < 0) return count;
        refuseOne(connection, answer);
      }
      return most;
    },
    setBacklog: (length) => void libc.listen(socket, length),
    endSilent(from, to, silentMs) {
      for (let descriptor = from; descriptor < to; descriptor++) {
        if (descriptor === socket || !isSilent(libc, descriptor, silentMs)) continue;
        // The runtime sees the end and closes it.
        if (localPort(libc, descriptor) === port) libc.shutdown(descriptor, SHUT_RDWR);
      }
    },
  };
}

/** struct epoll_event, packed on x86-64 only. */
function eventOf(events: number, data: bigint): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, events, true);
  view.setBigUint64(process.arch === "x64" ? 4 : 8, data, true);
  return bytes;
}

function isListening(libc: Libc, socket: number): boolean {
  const option = new Uint32Array(1);
  const length = new Uint32Array([4]);
  return libc.getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, option, length) === 0 && option[0] === 1;
}

function isSilent(libc: Libc, descriptor: number, silentMs: number): boolean {
  const info = new Uint8Array(256);
  const length = new Uint32Array([info.length]);
  if (libc.getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, info, length) !== 0) return false;
  if (length[0]! < BYTES_RECEIVED + 8) return false;
  const view = new DataView(info.buffer);
  return (
    view.getBigUint64(BYTES_RECEIVED, true) === 0n && view.getUint32(LAST_DATA_RECEIVED, true) >= silentMs
  );
}

/** 0 for a unix socket. IPv4 and IPv6 have the port at the same offset. */
function localPort(libc: Libc, descriptor: number): number {
  const address = new Uint8Array(128);
  const length = new Uint32Array([address.length]);
  if (libc.getsockname(descriptor, address, length) !== 0) return -1;
  const view = new DataView(address.buffer);
  return view.getUint16(0, true) === AF_UNIX ? 0 : view.getUint16(2);
}

const TARGET = /^tfd:\s*(\d+) events:\s*([\da-f]+) data:\s*([\da-f]+)/gm;

function registrations(): Registration[] {
  const sets = readdirSync("/proc/self/fd").filter((name) => linkOf(name) === "anon_inode:[eventpoll]");
  return sets.flatMap((set) =>
    [...readFileSync(`/proc/self/fdinfo/${set}`, "utf8").matchAll(TARGET)].map(
      ([, socket, events, data]): Registration => ({
        epoll: Number(set),
        socket: Number(socket),
        events: Number.parseInt(events!, 16),
        data: BigInt(`0x${data}`),
      }),
    ),
  );
}

/** A descriptor may close meanwhile. */
function linkOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}
