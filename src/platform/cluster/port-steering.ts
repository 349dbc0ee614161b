/**
 * Takes one process out of a SO_REUSEPORT group without losing a connection.
 *
 * Closing a socket of the group resets its queued connections. So a classic BPF program first selects random other
 * sockets, and the leaving one drains its queue. Sockets stand in the order of binding; the last takes the place of a
 * closed one. The kernel ignores a program that selects a missing place. Source: socket(7), SO_ATTACH_REUSEPORT_CBPF;
 * net/core/sock_reuseport.c.
 */
import { FFIType, ptr } from "bun:ffi";
import { openLibc } from "../../lib/libc.ts";

const SOL_SOCKET = 1;
const SO_ATTACH_REUSEPORT_CBPF = 51;
const RANDOM = 0xff_ff_f0_00 + 56;

/**
 * @param descriptor of another listening socket of the group. False if the system can't: a few connections may be reset
 */
export function steerAway(descriptor: number, leaving: number, groupSize: number): boolean {
  if (process.platform !== "linux" || groupSize < 2) return false;
  try {
    return attach(descriptor, programAvoiding(leaving, groupSize));
  } catch {
    return false;
  }
}

/** `return random % (n - 1)`, plus one from `leaving` on. */
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
