import { createRpc, type RpcMessage } from "../../lib/rpc.ts";
import type { HashCalls } from "./hash.thread.ts";

let memory: SharedArrayBuffer | undefined;
const hashers = new Map<number, Bun.CryptoHasher>();

function hasherOf(hash: number): Bun.CryptoHasher {
  let hasher = hashers.get(hash);
  if (hasher === undefined) hashers.set(hash, (hasher = new Bun.CryptoHasher("sha256")));
  return hasher;
}

const handlers: HashCalls = {
  memory: (shared) => void (memory = shared),
  update(piece) {
    const bytes = "bytes" in piece ? piece.bytes : new Uint8Array(memory!, piece.at, piece.length);
    hasherOf(piece.hash).update(bytes);
  },
  digest(hash) {
    const hasher = hasherOf(hash);
    hashers.delete(hash);
    return hasher.digest("hex");
  },
  forget: (hash) => void hashers.delete(hash),
};

const rpc = createRpc({ send: (message) => postMessage(message), handlers });
addEventListener("message", ({ data }: MessageEvent<RpcMessage>) => rpc.receive(data));
