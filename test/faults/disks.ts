/** Small disks that can be filled, made read-only or slow. They need the right to mount. */
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./row.ts";

const MIB = new Uint8Array(1024 * 1024);

export type Disk = { path: string; remove(): void };

const folderFor = (kind: string): string => mkdtempSync(join(tmpdir(), `waymark-${kind}-`));

export function memoryDisk(megabytes: number): Disk {
  const path = folderFor("disk");
  run(["mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "waymark-test", path]);
  return {
    path,
    remove() {
      Bun.spawnSync(["umount", "-l", path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Writes a file until the disk is full, at last byte by byte; `empty` removes it. */
export function fillDisk(folder: string): { fill(): void; empty(): void } {
  const filler = join(folder, "filler");
  return {
    fill() {
      const file = openSync(filler, "a");
      try {
        for (let size = MIB.length; size > 0; ) {
          try {
            if (writeSync(file, MIB, 0, size) < size) size >>= 1;
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
            size >>= 4;
          }
        }
      } finally {
        closeSync(file);
      }
    },
    empty: () => rmSync(filler, { force: true }),
  };
}

/** An ext4 file system that `abort` makes read-only under its open files, as the kernel does after a failed write. */
export function failingDisk(megabytes: number): Disk & { abort(): void; repair(): void } {
  const folder = folderFor("ext4");
  const [image, path] = [join(folder, "image"), join(folder, "disk")];
  mkdirSync(path);
  run(["truncate", "-s", `${megabytes}M`, image]);
  run(["mkfs.ext4", "-q", image]);
  const mount = () => run(["mount", "-o", "loop", image, path]);
  mount();
  return {
    path,
    abort: () => void run(["mount", "-o", "remount,abort", path]),
    /** When nothing is open there. */
    repair() {
      run(["umount", path]);
      Bun.spawnSync(["e2fsck", "-p", image]);
      mount();
    },
    remove() {
      Bun.spawnSync(["umount", "-l", path]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Preloaded into a program, it makes each sync to disk take `delayMs` while the file `on` is there. */
const SLOW = String.raw`
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static void wait_if_slow(void) {
  struct timespec pause = { DELAY / 1000, (DELAY % 1000) * 1000000L };
  if (access(ON, F_OK) == 0) nanosleep(&pause, 0);
}
#define SLOWLY(name, parameters, arguments)                        \
  int name parameters {                                            \
    static int (*real) parameters;                                 \
    if (!real) real = (int(*) parameters)dlsym(RTLD_NEXT, #name);  \
    wait_if_slow();                                                \
    return real arguments;                                         \
  }
SLOWLY(fsync, (int file), (file))
SLOWLY(fdatasync, (int file), (file))
SLOWLY(msync, (void *from, size_t length, int flags), (from, length, flags))
SLOWLY(ftruncate, (int file, off_t length), (file, length))
`;

export function slowDisk(delayMs: number): {
  env: Record<string, string>;
  slow(is: boolean): void;
  remove(): void;
} {
  const folder = folderFor("slow");
  const [source, library, on] = ["slow.c", "slow.so", "on"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(source, SLOW);
  run([
    "gcc",
    "-shared",
    "-fPIC",
    "-O1",
    `-DDELAY=${delayMs}`,
    `-DON="${on}"`,
    "-o",
    library,
    source,
    "-ldl",
  ]);
  return {
    env: { LD_PRELOAD: library },
    slow: (is) => (is ? writeFileSync(on, "") : rmSync(on, { force: true })),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
