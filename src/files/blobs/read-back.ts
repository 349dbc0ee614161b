import { dispose } from "../../lib/disposable-bytes.ts";
import type { Drivers } from "../policies/drivers.ts";
import { type createHashes, measured } from "./hashes.ts";
import type { StoredBlob } from "./repository.ts";

type Deps = { drivers: Drivers; hashes: ReturnType<typeof createHashes> };

type ReadBack = {
  /** Slows the bytes down. */
  through(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  signal: AbortSignal;
};

/** The SHA-256 of an object, as its storage returns it now: hex digits. @throws StorageUnavailable */
export const createReadBack =
  ({ drivers, hashes }: Deps) =>
  async (
    { policyId, objectKey, size }: Pick<StoredBlob, "policyId" | "objectKey" | "size">,
    { through, signal }: ReadBack,
  ): Promise<string | null> => {
    const driver = await drivers.forReading(policyId);
    const body = await driver.open(objectKey, { size, signal });
    const stream = body instanceof Blob ? body.stream() : body;
    const source = through(stream as unknown as AsyncIterable<Uint8Array>);
    const { blocks } = hashes;
    const meter = hashes.create();
    try {
      const whole = { meter, blocks, from: 0, isWhole: true, maxBytes: 0, signal };
      for await (const chunk of measured(source, whole)) dispose(chunk);
      return await meter.digest();
    } catch (error) {
      meter.drop();
      throw error;
    }
  };
