/**
 * Lets the calling thread yield to the thread that answers requests.
 *
 * On Linux `setpriority(PRIO_PROCESS, 0, n)` changes the calling thread alone, not the whole process. The step is
 * moderate on purpose: a thread of the lowest priority that holds a database lock on a busy machine would hold it
 * for many times its length.
 */
import { FFIType } from "bun:ffi";
import { openLibc } from "./libc.ts";

const PRIO_PROCESS = 0;
const THIS_THREAD = 0;
const NICENESS = 5;

/** True when the priority was lowered; false where that can't be done (another system, no C library found). */
export function lowerThreadPriority(): boolean {
  const libc = openLibc({
    setpriority: { args: [FFIType.i32, FFIType.u32, FFIType.i32], returns: FFIType.i32 },
  });
  return libc?.setpriority(PRIO_PROCESS, THIS_THREAD, NICENESS) === 0;
}
