/**
 * On Linux `setpriority(PRIO_PROCESS, 0, n)` affects only the calling thread. The step is moderate: at the lowest
 * priority, a thread holds a database lock far too long on a busy machine.
 */
import { FFIType } from "bun:ffi";
import { openLibc } from "./libc.ts";

const PRIO_PROCESS = 0;
const THIS_THREAD = 0;
const NICENESS = 5;

/** False if the system can't. */
export function lowerThreadPriority(): boolean {
  const libc = openLibc({
    setpriority: { args: [FFIType.i32, FFIType.u32, FFIType.i32], returns: FFIType.i32 },
  });
  return libc?.setpriority(PRIO_PROCESS, THIS_THREAD, NICENESS) === 0;
}
