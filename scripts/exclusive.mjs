// Work that one process at a time does in a clone, for Node and Bun without packages. The lock is a file with the
// number of its process. A lock of a process that is gone, or of half an hour ago, is taken over.
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const LOOK_MS = 200;
const LONGEST_MS = 30 * 60_000;
/** Between the creation of a file and its content. */
const EMPTY_MS = 10_000;

/** Waits for the lock with one line on standard error, then works. */
export async function exclusively(path, { waiting, work }) {
  const own = `${process.pid} ${randomUUID()}`;
  mkdirSync(dirname(path), { recursive: true });
  for (let looks = 0; !take(path, own); looks++) {
    if (looks === 0) console.error(`waymark: ${waiting} (${path})`);
    await sleep(LOOK_MS);
  }
  const release = () => {
    if (read(path) === own) rmSync(path, { force: true });
  };
  process.once("exit", release);
  try {
    return await work();
  } finally {
    process.off("exit", release);
    release();
  }
}

function take(path, own) {
  if (create(path, own)) return true;
  const held = read(path);
  if (held === null || !isStale(path, held)) return false;
  // Several may see the same stale lock. One creates the claim on it, and looks again.
  const claim = `${path}.${held.split(" ")[1] ?? ""}`;
  if (!create(claim, own)) return false;
  try {
    if (read(path) !== held) return false;
    const next = `${path}.${process.pid}`;
    writeFileSync(next, own);
    renameSync(next, path);
    return true;
  } finally {
    rmSync(claim, { force: true });
  }
}

function create(path, content) {
  try {
    writeFileSync(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** Null if there is none. */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

function isStale(path, held) {
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (age > LONGEST_MS) return true;
  return held === "" ? age > EMPTY_MS : !isRunning(Number(held.split(" ")[0]));
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's.
    return error.code === "EPERM";
  }
}
