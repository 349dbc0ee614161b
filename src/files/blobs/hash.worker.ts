/** The hash thread: SHA-256 of bytes in shared memory, for any number of uploads at once. */
// oxlint-disable unicorn/require-post-message-target-origin -- that is for windows; a worker has no origin
import type { HashRequest } from "./hash.thread.ts";

/** Where most bytes are. Told once: to be given shared memory costs the collector much. */
let memory: SharedArrayBuffer | undefined;
const hashers = new Map<number, Bun.CryptoHasher>();

addEventListener("message", ({ data }: MessageEvent<HashRequest>) => {
  if (data.type === "memory") {
    memory = data.memory;
    return;
  }
  const { hash } = data;
  if (data.type === "forget") {
    hashers.delete(hash);
    return;
  }
  let hasher = hashers.get(hash);
  if (hasher === undefined) hashers.set(hash, (hasher = new Bun.CryptoHasher("sha256")));
  if (data.type === "update") {
    hasher.update("bytes" in data ? data.bytes : new Uint8Array(memory!, data.at, data.length));
    postMessage(null);
  } else {
    hashers.delete(hash);
    postMessage(hasher.digest("hex"));
  }
});
