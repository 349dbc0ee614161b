import { expect, test } from "bun:test";
import { dispose } from "../../lib/disposable-bytes.ts";
import { bytesOf, inChunks, sha256 } from "../storage/driver-contract.test-support.ts";
import { createHashes, measured } from "./hashes.ts";

const MIB = 1024 * 1024;

test.each([1, 2])("passing bytes are hashed, with %d cores", async (cores) => {
  const hashes = createHashes({ cores });
  for (const size of [0, 1, 100_000, 3 * MIB + 17]) {
    const bytes = bytesOf(size, size + cores);
    const meter = hashes.create();
    let received = 0;
    const options = { meter, blocks: hashes.blocks, from: 0, isWhole: true, maxBytes: 0 };
    for await (const chunk of measured(inChunks(bytes), options)) {
      received += chunk.byteLength;
      dispose(chunk);
    }
    expect(received).toBe(size);
    expect(await meter.digest()).toBe(sha256(bytes));
  }
});
