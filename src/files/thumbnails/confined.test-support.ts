/** A confined process that tries what it should not be able to. Prints what worked, and what the kernel says of it. */
import { FFIType, ptr } from "bun:ffi";
import { readFileSync, writeSync } from "node:fs";
import { openLibc } from "../../lib/libc.ts";
import { confine } from "./confine.ts";

const { i32, ptr: address } = FFIType;
const libc = openLibc({
  open: { args: [address, i32], returns: i32 },
  unlink: { args: [address], returns: i32 },
  rename: { args: [address, address], returns: i32 },
  mkdir: { args: [address, i32], returns: i32 },
  chmod: { args: [address, i32], returns: i32 },
  truncate: { args: [address, FFIType.i64], returns: i32 },
  symlink: { args: [address, address], returns: i32 },
  socket: { args: [i32, i32, i32], returns: i32 },
  kill: { args: [i32, i32], returns: i32 },
  fork: { args: [], returns: i32 },
  _exit: { args: [i32], returns: FFIType.void },
  memfd_create: { args: [address, i32], returns: i32 },
});

export async function tryEverything(victim: string): Promise<void> {
  const status = () => readFileSync("/proc/self/status", "latin1");
  if (libc === null || !/^Seccomp:/m.test(status())) return print({ worked: [] });
  const texts = [victim, `${victim}.new`, "name"].map((text) => Buffer.from(`${text}\0`));
  const [file, other, name] = texts.map((text) => ptr(text)) as [never, never, never];
  const calls = {
    open: () => libc.open(file, 0),
    socket: () => libc.socket(2, 1, 0),
    chmod: () => libc.chmod(file, 0o600),
    truncate: () => libc.truncate(file, 0),
    symlink: () => libc.symlink(file, other),
    mkdir: () => libc.mkdir(other, 0o700),
    rename: () => libc.rename(file, other),
    unlink: () => libc.unlink(file),
    kill: () => libc.kill(process.ppid, 0),
    fork: () => libc.fork(),
    memfd_create: () => libc.memfd_create(name, 0),
  };
  confine();
  const worked = Object.entries(calls).flatMap(([called, call]) => {
    const result = call();
    // A forked process ends.
    if (called === "fork" && result === 0) libc._exit(0);
    return result >= 0 ? [called] : [];
  });
  // The collector stops threads by signals, and threads begin later.
  Bun.gc(true);
  await Promise.all(
    Array.from({ length: 8 }, () => crypto.subtle.digest("SHA-256", new Uint8Array(1_000_000))),
  );
  print({ worked });
}

/** With the limits of the process, a file could not be written. */
function print(value: unknown): void {
  writeSync(1, JSON.stringify(value));
}

if (import.meta.main) await tryEverything(process.argv[2]!);
