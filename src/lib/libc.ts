/** System calls that the runtime lacks. Linux only. */
import { dlopen, type FFIFunction, type Library } from "bun:ffi";

const LIBRARIES = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];

/** Returns null without a known C library. */
export function openLibc<S extends Record<string, FFIFunction>>(functions: S): Library<S>["symbols"] | null {
  if (process.platform !== "linux") return null;
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, functions).symbols;
    } catch {
      // Try the next one.
    }
  }
  return null;
}
