/**
 * Takes one of several processes that share a port out of service without losing a connection.
 *
 * Linux spreads new connections over the listening sockets of a SO_REUSEPORT group. When one of them closes, the
 * connections that wait in its queue are reset. So before it closes, a tiny program (classic BPF) is attached to the
 * group that picks a random socket other than the leaving one; the leaving process accepts what is in its queue, and
 * closes. Sockets stand in the group in the order in which they were bound; the place of one that closes is taken by
 * the last. A program that picks a place that is not there is ignored, so an old one does no harm.
 * Source: Linux socket(7), SO_ATTACH_REUSEPORT_CBPF; net/core/sock_reuseport.c.
 */
import { FFIType, ptr } from "bun:ffi";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { openLibc } from "./libc.ts";

const SOL_SOCKET = 1;
const SO_ATTACH_REUSEPORT_CBPF = 51;
const LISTENING = "0A";
/** Where a filter finds a random number instead of a byte of the packet. */
const RANDOM = 0xff_ff_f0_00 + 56;

/**
 * Steers new connections of the group away from the socket at `leaving`; to be called by a process that has another
 * socket of the group. False where the system can't do it: then a few connections may be reset.
 */
export function steerAway(port: number, leaving: number, groupSize: number): boolean {
  if (process.platform !== "linux" || groupSize < 2) return false;
  try {
    const descriptor = listeningDescriptor(port);
    return descriptor !== null && attach(descriptor, programAvoiding(leaving, groupSize));
  } catch {
    return false;
  }
}

/** `return random % (n - 1)`, with the places from `leaving` on moved up by one. */
function programAvoiding(leaving: number, groupSize: number): Uint8Array {
  const instructions = [
    { code: 0x20, jumpTrue: 0, jumpFalse: 0, k: RANDOM }, // A = random
    { code: 0x94, jumpTrue: 0, jumpFalse: 0, k: groupSize - 1 }, // A %= n - 1
    { code: 0x35, jumpTrue: 0, jumpFalse: 1, k: leaving }, // if A >= leaving
    { code: 0x04, jumpTrue: 0, jumpFalse: 0, k: 1 }, //   A += 1
    { code: 0x16, jumpTrue: 0, jumpFalse: 0, k: 0 }, // return A
  ];
  const bytes = new Uint8Array(instructions.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [at, { code, jumpTrue, jumpFalse, k }] of instructions.entries()) {
    view.setUint16(at * 8, code, true);
    view.setUint8(at * 8 + 2, jumpTrue);
    view.setUint8(at * 8 + 3, jumpFalse);
    view.setUint32(at * 8 + 4, k, true);
  }
  return bytes;
}

function attach(descriptor: number, program: Uint8Array): boolean {
  const { i32, u32 } = FFIType;
  const libc = openLibc({ setsockopt: { args: [i32, i32, i32, FFIType.ptr, u32], returns: i32 } });
  // struct sock_fprog: the number of instructions, padding, their address.
  const argument = new DataView(new ArrayBuffer(16));
  argument.setUint16(0, program.length / 8, true);
  argument.setBigUint64(8, BigInt(ptr(program)), true);
  return (
    libc?.setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, ptr(argument), argument.byteLength) ===
    0
  );
}

/** This process's descriptor of the socket that listens on the port. */
function listeningDescriptor(port: number): number | null {
  const sockets = new Set(
    ["/proc/self/net/tcp", "/proc/self/net/tcp6"].flatMap((table) => listening(table, port)),
  );
  for (const name of readdirSync("/proc/self/fd")) {
    const inode = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/self/fd/${name}`))?.[1];
    if (inode !== undefined && sockets.has(inode)) return Number(name);
  }
  return null;
}

/** Inodes of the sockets that listen on the port. Columns: see proc(5), /proc/net/tcp. */
function listening(table: string, port: number): string[] {
  return readFileSync(table, "utf8")
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, local, , state]) => state === LISTENING && Number.parseInt(local?.split(":")[1] ?? "", 16) === port,
    )
    .flatMap((columns) => columns[9] ?? []);
}

/** Descriptors come and go while they are listed. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
