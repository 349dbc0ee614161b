/** A prefix in a bucket: keys, lists and tails of suspended uploads. */
import type { StoredObject } from "../driver.ts";
import { STAGING } from "../object-key.ts";
import type { S3Client } from "./client.ts";
import { type HashedBytes, putObject } from "./parts.ts";
import { elementsOf, textOf } from "./xml.ts";
import { invalidResponse } from "./failure.ts";
import { withStorageFailures } from "../storage-failure.ts";

export type S3Location = ReturnType<typeof createS3Location>;

export function createS3Location(client: S3Client, prefix: string) {
  const full = (key: string): string => (prefix === "" ? key : `${prefix}/${key}`);
  const tailKey = (id: string, offset: number) => full(`${STAGING}/${id}.${offset}`);

  /** Keys that start with `below`, ascending, in pages. */
  async function* list(below: string): AsyncGenerator<StoredObject[]> {
    const skip = full("").length;
    let token: string | undefined;
    do {
      const xml = await client.text({
        method: "GET",
        query: {
          "list-type": "2",
          prefix: full(below),
          "max-keys": "1000",
          ...(token !== undefined && { "continuation-token": token }),
        },
      });
      yield elementsOf(xml, "Contents").map((one) => ({
        key: (textOf(one, "Key") ?? "").slice(skip),
        size: Number(textOf(one, "Size")),
        modifiedAt: Date.parse(textOf(one, "LastModified") ?? "") || Number.POSITIVE_INFINITY,
      }));
      token = textOf(xml, "NextContinuationToken");
      if (textOf(xml, "IsTruncated") === "true" && token === undefined) {
        throw invalidResponse("a list that can't be continued");
      }
    } while (token !== undefined);
  }

  async function remove(key: string): Promise<void> {
    await client.head({ method: "DELETE", key, accept: [404] });
  }

  return {
    client,
    /** The key in the bucket. */
    full,
    list,
    /** Takes a key of the bucket. Also resolves without such an object. */
    remove,
    async putTail(id: string, offset: number, body: HashedBytes): Promise<void> {
      await putObject(client, tailKey(id, offset), body);
    },
    /** The tail at this offset, or null if there is none. */
    async readTail(id: string, offset: number): Promise<Uint8Array | null> {
      const response = await client.stream({ method: "GET", key: tailKey(id, offset), accept: [404] });
      if (response.status === 404) {
        await response.body?.cancel();
        return null;
      }
      return withStorageFailures(async () => new Uint8Array(await response.arrayBuffer()));
    },
    async removeTails(id: string): Promise<void> {
      for await (const page of list(`${STAGING}/${id}.`)) {
        for (const { key } of page) await remove(full(key));
      }
    },
  };
}
