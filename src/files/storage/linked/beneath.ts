/**
 * Opens what lies below a folder of the server, by descriptor, so that nothing that is renamed, linked or mounted
 * meanwhile leads outside. On Linux openat2 does it in one call (no link, no other mount, nothing above the folder).
 * Where that fails, each step is opened by itself without following links, and the mount is compared; that is as safe,
 * and says what is wrong.
 */
import { FFIType, ptr } from "bun:ffi";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import type { DiskKind } from "../disk.ts";
import { openLibc } from "../../../lib/libc.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const O_CLOEXEC = process.platform === "linux" ? 0o2000000 : 0;
const FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK;
/** Waits for no pipe. */
const FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

const OPENAT2 = 437;
const NO_XDEV = 0x01;
const NO_MAGICLINKS = 0x02;
const NO_SYMLINKS = 0x04;
const BENEATH = 0x08;
/** struct open_how: flags, mode, resolve. */
const HOW_BYTES = 24n;

/** A name below the folder is as stored: text, or "/" and the hex digits of what is not UTF-8. */
export const bytesOfName = (name: string): Buffer =>
  name.startsWith("/") ? Buffer.from(name.slice(1), "hex") : Buffer.from(name);

/** The opposite of bytesOfName. */
export function nameOfBytes(bytes: Buffer): string {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : `/${bytes.toString("hex")}`;
}

/** Opens the folder itself. No part of its path is a link. @throws errors of the file system */
export function openRoot(path: string): number {
  const names = path.split("/").filter((name) => name !== "");
  const start = openSync("/", FOLDER);
  try {
    return (
      openQuickly(start, names.map(bytesOfText), FOLDER, NO_SYMLINKS) ??
      openSteps(start, names.map(bytesOfText), FOLDER)
    );
  } finally {
    closeSync(start);
  }
}

/** `atOnce` false: step by step. @throws errors of the file system; ELOOP for links, EXDEV for mounts, EINVAL for names that lead elsewhere */
export function openBeneath(
  root: number,
  names: readonly string[],
  kind: DiskKind,
  { atOnce = true } = {},
): number {
  const flags = kind === "folder" ? FOLDER : FILE;
  const steps = names.map(bytesOfName);
  if (steps.some(leadsElsewhere)) throw failure("EINVAL");
  const resolve = BENEATH | NO_SYMLINKS | NO_XDEV | NO_MAGICLINKS;
  const quick = atOnce ? openQuickly(root, steps, flags, resolve) : null;
  if (quick !== null) return quick;
  const opened = openSteps(root, steps, flags);
  if (mountOf(opened) === mountOf(root)) return opened;
  closeSync(opened);
  throw failure("EXDEV");
}

/** A name in its folder, which is opened: close `fd`. @throws like openBeneath */
export function placeBeneath(root: number, names: readonly string[]): { fd: number; path: Buffer } {
  const name = bytesOfName(names.at(-1) ?? "");
  if (leadsElsewhere(name)) throw failure("EINVAL");
  const fd = openBeneath(root, names.slice(0, -1), "folder");
  return { fd, path: pathBelow(fd, name) };
}

/** Of a name in an open folder. */
export const pathBelow = (fd: number, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${descriptors()}/${fd}/`), name]);

const bytesOfText = (name: string): Buffer => Buffer.from(name);

const leadsElsewhere = (name: Buffer): boolean =>
  name.length === 0 || name.includes(0) || name.includes("/") || name.equals(DOT) || name.equals(DOTS);
const DOT = Buffer.from(".");
const DOTS = Buffer.from("..");
const SLASH = Buffer.from("/");
const NUL = Buffer.alloc(1);

const failure = (code: string): Error =>
  Object.assign(new Error(`${code}: the path leads outside`), { code });

const { i64, ptr: address } = FFIType;
const libc = openLibc({ syscall: { args: [i64, i64, address, address, i64], returns: i64 } });

/** Null if the system can't, or it failed. */
function openQuickly(from: number, names: readonly Buffer[], flags: number, resolve: number): number | null {
  if (libc === null) return null;
  const path = Buffer.concat([...(names.length === 0 ? [DOT] : between(names)), NUL]);
  const how = new BigUint64Array([BigInt(flags | O_CLOEXEC), 0n, BigInt(resolve)]);
  const opened = Number(libc.syscall(OPENAT2, from, ptr(path), ptr(how), HOW_BYTES));
  return opened < 0 ? null : opened;
}

const between = (names: readonly Buffer[]): Buffer[] =>
  names.flatMap((name, at) => (at === 0 ? [name] : [SLASH, name]));

function openSteps(from: number, names: readonly Buffer[], flags: number): number {
  let at = openSync(`${descriptors()}/${from}/.`, FOLDER);
  for (const [index, name] of names.entries()) {
    try {
      const next = openSync(pathBelow(at, name), index === names.length - 1 ? flags : FOLDER);
      closeSync(at);
      at = next;
    } catch (error) {
      closeSync(at);
      throw error;
    }
  }
  return at;
}

/** A name below one of them is relative to the open folder. */
export const descriptors = (): string => "/proc/self/fd";

/** Tells apart what is mounted. */
export function mountOf(fd: number): string {
  const info = readFileSync(`/proc/self/fdinfo/${fd}`, "utf8");
  return /^mnt_id:\s*(\d+)/m.exec(info)?.[1] ?? String(fstatSync(fd).dev);
}
