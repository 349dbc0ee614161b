/**
 * A second descriptor of a TCP connection that the runtime accepted. Linux only. Source: getpeername(2), fcntl(2), and
 * tcp(7) for SIOCOUTQ.
 */
import { FFIType } from "bun:ffi";
import { readdir } from "node:fs/promises";
import { parseIp } from "./ip-address.ts";
import { openLibc } from "./libc.ts";

export type AcceptedConnection = {
  localPort: number;
  peer: { address: string; port: number };
  /** Whether the runtime still has it. */
  isOpen(): boolean;
};

const { i32, u64 } = FFIType;
const pointer = FFIType.ptr;
const CALLS = {
  fcntl: { args: [i32, i32, i32], returns: i32 },
  getpeername: { args: [i32, pointer, pointer], returns: i32 },
  getsockname: { args: [i32, pointer, pointer], returns: i32 },
  ioctl: { args: [i32, u64, pointer], returns: i32 },
} as const;
type Libc = NonNullable<ReturnType<typeof openLibc<typeof CALLS>>>;

const F_DUPFD_CLOEXEC = 1030;
/** Bytes that the peer has not confirmed. */
const SIOCOUTQ = 0x5411;
const AF_INET = 2;
const AF_INET6 = 10;
/** A quarter of a millisecond. */
const LOOKED_AT_A_TURN = 500;

let opened: Libc | null | undefined;

/**
 * Null if it can't be told from another one, or if earlier answers are not through. The caller owns the descriptor.
 */
export async function duplicateConnection(connection: AcceptedConnection): Promise<number | null> {
  opened ??= openLibc(CALLS);
  const libc = opened;
  const address = parseIp(connection.peer.address);
  if (libc === null || address === null) return null;
  // Also lets the runtime send what it holds back during a turn.
  const names = await readdir("/proc/self/fd").catch(() => []);
  let found: number | null = null;
  for (const [at, name] of names.entries()) {
    if (at % LOOKED_AT_A_TURN === LOOKED_AT_A_TURN - 1) await new Promise(setImmediate);
    const descriptor = Number(name);
    if (!isConnection(libc, descriptor, connection, address)) continue;
    // Two addresses of this machine may have the same peer.
    if (found !== null) return null;
    found = descriptor;
  }
  if (found === null || !connection.isOpen() || unconfirmed(libc, found) !== 0) return null;
  const copy = libc.fcntl(found, F_DUPFD_CLOEXEC, 3);
  return copy < 0 ? null : copy;
}

const buffer = new Uint8Array(128);
const view = new DataView(buffer.buffer);
const length = new Uint32Array(1);

function isConnection(
  libc: Libc,
  descriptor: number,
  { localPort, peer }: AcceptedConnection,
  address: Uint8Array,
): boolean {
  if (!readName(libc.getpeername, descriptor) || view.getUint16(2) !== peer.port) return false;
  if (Buffer.compare(addressIn(), address) !== 0) return false;
  return readName(libc.getsockname, descriptor) && view.getUint16(2) === localPort;
}

/** Into `buffer`. False unless it is an internet socket. */
function readName(call: Libc["getpeername"], descriptor: number): boolean {
  length[0] = buffer.length;
  if (call(descriptor, buffer, length) !== 0) return false;
  const family = view.getUint16(0, true);
  return family === AF_INET || family === AF_INET6;
}

function addressIn(): Uint8Array {
  if (view.getUint16(0, true) === AF_INET6) return buffer.subarray(8, 24);
  return Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...buffer.subarray(4, 8));
}

function unconfirmed(libc: Libc, descriptor: number): number {
  const bytes = new Int32Array(1);
  return libc.ioctl(descriptor, SIOCOUTQ, bytes) === 0 ? bytes[0]! : -1;
}
