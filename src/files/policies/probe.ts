import { appError } from "../../lib/errors.ts";
import type { Drivers } from "./drivers.ts";
import { newContentGeneration, newStagingId } from "../storage/object-key.ts";

/** Writes, reads and removes an object. @throws StorageUnavailable with the reason */
export const createProbe =
  (drivers: Drivers) =>
  async (policyId: number): Promise<void> => {
    const driver = await drivers.verify(policyId, { mark: false });
    const bytes = new TextEncoder().encode(
      `Waymark checks whether it can store files here: ${crypto.randomUUID()}\n`,
    );
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    const tag = await drivers.tag();
    const staging = await driver.stage(newStagingId(tag));
    let key: string;
    try {
      await staging.append(one(bytes));
      key = await staging.finish({ sha256, generation: newContentGeneration(tag) });
    } catch (error) {
      await staging.abort();
      throw error;
    }
    try {
      const body = await driver.open(key, { size: bytes.length });
      const read = await new Response(body).text().catch(() => "");
      if (read !== new TextDecoder().decode(bytes)) {
        throw appError("StorageUnavailable", "The storage does not return what was written.");
      }
    } finally {
      await driver.remove(key);
    }
    if ((await driver.stat(key)) !== null) {
      throw appError("StorageUnavailable", "The storage keeps deleted objects.");
    }
  };

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
