/** The C library of the machine, for the few system calls that the runtime does not offer. Linux only. */
import { dlopen, type FFIFunction, type Library } from "bun:ffi";

const LIBRARIES = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];

/** The functions, or null on another system or where no C library is found. They stay loaded. */
export function openLibc<S extends Record<string, FFIFunction>>(functions: S): Library<S>["symbols"] | null {
  if (process.platform !== "linux") return null;
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, functions).symbols;
    } catch {
      // Not this C library; the next one may be there.
    }
  }
  return null;
}
