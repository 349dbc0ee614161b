/**
 * Takes from this process what a decoder does not need, for the case that a picture takes it over: on Linux limits, the
 * end with its parent, and a filter of system calls (seccomp) for all threads. It refuses files by path, sockets,
 * programs, other processes and whatever is newer than the list. Without seccomp the limits remain. A list of refusals,
 * because what the runtime needs differs by C library and architecture.
 */
import { FFIType, ptr } from "bun:ffi";
import { writeFileSync } from "node:fs";
import { openLibc } from "../../lib/libc.ts";

const RLIMIT_FSIZE = 1;
const RLIMIT_CORE = 4;
const RLIMIT_NOFILE = 7;
const PR_SET_PDEATHSIG = 1;
const PR_SET_NO_NEW_PRIVS = 38;
const SIGKILL = 9;

/** Call it when all threads run and everything is loaded. @throws Error if a limit can't be set */
export function confine(): void {
  const { i32, ptr: address, i64 } = FFIType;
  const libc = openLibc({
    setrlimit: { args: [i32, address], returns: i32 },
    prctl: { args: [i32, i64, i64, i64, i64], returns: i32 },
    syscall: { args: [i64, i64, i64, address], returns: i64 },
  });
  if (libc === null) return;
  writeFileSync("/proc/self/oom_score_adj", "1000");
  const none = new BigUint64Array(2);
  for (const limit of [RLIMIT_FSIZE, RLIMIT_CORE, RLIMIT_NOFILE]) {
    if (libc.setrlimit(limit, ptr(none)) !== 0) throw new Error("The process can't give up its rights.");
  }
  libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const abi = ABIS[process.arch];
  if (abi === undefined) return;
  const filter = programFor(abi, process.pid);
  // struct sock_fprog: the number of instructions, and at the next multiple of eight their address.
  const program = new BigUint64Array([BigInt(filter.length / 8), BigInt(ptr(filter))]);
  libc.syscall(abi.seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, ptr(program));
}

const SECCOMP_SET_MODE_FILTER = 1;
const SECCOMP_FILTER_FLAG_TSYNC = 1;

type Abi = { audit: number; seccomp: number; clone: number; tgkill: number; refused: string };

/**
 * Numbers of system calls (asm/unistd.h), below FIRST_NEW. Refused are those that open, name or change files, open or join
 * connections, start programs or processes, signal or read other processes, share memory with them, raise limits, or
 * administer the machine.
 */
const ABIS: Partial<Record<NodeJS.Architecture, Abi>> = {
  x64: {
    audit: 0xc000003e,
    seccomp: 317,
    clone: 56,
    tgkill: 234,
    refused:
      "2 29-31 41-43 49-50 53 57-59 62 64-71 76-77 82-94 101 129 132-133 153-156 160-161 163-180 188-200 235 246 " +
      "248-250 253-255 257-261 263-269 272 278 280 285 288 297-298 300-305 308 310-313 316-317 319-323",
  },
  arm64: {
    audit: 0xc00000b7,
    seccomp: 277,
    clone: 220,
    tgkill: 131,
    refused:
      "5-16 33-42 45-56 58 60 75 78 88-89 97 104-106 117 129-130 138 142 161-162 164 170-171 186-203 217-219 221 " +
      "224-225 240-242 261-266 268 270-273 276-277 279-282 294",
  },
};

/** From here on the numbers are the same everywhere. The runtime takes refused ones for those of an older kernel. */
const FIRST_NEW = 424;
const EPOLL_PWAIT2 = 441;

const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_ABOVE = 0x25;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const NOT_PERMITTED = 0x00050001;
const NOT_IMPLEMENTED = 0x00050026;
/** Offsets in struct seccomp_data; the lower half of the argument. */
const [NUMBER, ARCHITECTURE, FIRST_ARGUMENT] = [0, 4, 16];
const CLONE_THREAD = 0x10000;

type Instruction = readonly [code: number, k: number, skipIfSo?: number, skipIfNot?: number];

/** struct sock_filter[]. */
function programFor({ audit, clone, tgkill, refused }: Abi, pid: number): Uint8Array {
  const only = (call: number, test: number, value: number): Instruction[] => [
    [IF_EQUAL, call, 0, 4],
    [LOAD, FIRST_ARGUMENT],
    [test, value, 1, 0],
    [RETURN, NOT_PERMITTED],
    [RETURN, ALLOW],
  ];
  const ranges = refused.split(" ").map((text) => text.split("-").map(Number));
  const program: Instruction[] = [
    [LOAD, ARCHITECTURE],
    [IF_EQUAL, audit, 1, 0],
    [RETURN, KILL_PROCESS],
    [LOAD, NUMBER],
    [IF_EQUAL, EPOLL_PWAIT2, 0, 1],
    [RETURN, ALLOW],
    [IF_AT_LEAST, FIRST_NEW, 0, 1],
    [RETURN, NOT_IMPLEMENTED],
    // Threads, no processes; and signals to them, with which the garbage collector stops them.
    ...only(clone, IF_ANY_BIT, CLONE_THREAD),
    ...only(tgkill, IF_EQUAL, pid),
    ...ranges.flatMap(([first, last = first]): Instruction[] => [
      [IF_AT_LEAST, first!, 0, 2],
      [IF_ABOVE, last!, 1, 0],
      [RETURN, NOT_PERMITTED],
    ]),
    [RETURN, ALLOW],
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, [code, k, skipIfSo = 0, skipIfNot = 0]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.set([skipIfSo, skipIfNot], at * 8 + 2);
    bytes.writeUInt32LE(k, at * 8 + 4);
  }
  return bytes;
}
