import { invalidResponse, s3RefusalOf } from "./failure.ts";
import type { S3Client, S3Request } from "./client.ts";
import { storageFailure } from "../storage-failure.ts";
import { type Part, type MultipartUpload, sizeOf } from "./multipart-uploads.ts";
import { escapeXml } from "../../../lib/escape-xml.ts";

const MIB = 1024 * 1024;

/** From 1. S3 requires at least 5 MiB, except of the last. */
export function partBytes(number: number): number {
  if (number <= 1_000) return 5 * MIB;
  if (number <= 2_500) return 16 * MIB;
  return number <= 6_000 ? 32 * MIB : 64 * MIB;
}

export type HashedBytes = { bytes: Uint8Array<ArrayBuffer>; sha256: string };

/** Returns the ETag. Something that sends none is not S3. */
async function put(client: S3Client, request: Pick<S3Request, "key" | "query" | "body">): Promise<string> {
  const { headers } = await client.head({ ...request, method: "PUT" });
  const etag = headers.get("etag");
  if (etag === null) throw invalidResponse("no ETag for a PUT");
  return etag;
}

export const putPart = (
  client: S3Client,
  { key, uploadId }: Pick<MultipartUpload, "key" | "uploadId">,
  number: number,
  body: HashedBytes,
): Promise<string> => put(client, { key, query: { partNumber: String(number), uploadId }, body });

export async function putObject(client: S3Client, key: string, body: HashedBytes): Promise<void> {
  await put(client, { key, body });
}

/** Checks the object's size, so a lost response is not a failure. */
export async function completeUpload(
  client: S3Client,
  { key, uploadId }: Pick<MultipartUpload, "key" | "uploadId">,
  parts: readonly Part[],
): Promise<void> {
  const list = parts.map(
    ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
  );
  const xml = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${list.join("")}</CompleteMultipartUpload>`;
  const bytes = new TextEncoder().encode(xml);
  const size = sizeOf(parts);
  try {
    await client.text({
      method: "POST",
      key,
      query: { uploadId },
      body: { bytes, sha256: hashOf(bytes) },
      timeoutMs: client.pace.completeMs,
    });
  } catch (error) {
    if (s3RefusalOf(error)?.word !== "NoSuchUpload") throw error;
  }
  const found = await objectSize(client, key);
  if (found !== size) {
    throw storageFailure(
      new Error(`the combined object has ${found} bytes instead of ${size}`),
      "The S3 endpoint did not store the whole file.",
    );
  }
}

/** The size of an object in bytes, or null if there is none. */
export async function objectSize(client: S3Client, key: string): Promise<number | null> {
  const { status, headers } = await client.head({ method: "HEAD", key, accept: [404] });
  return status === 404 ? null : Number(headers.get("content-length"));
}

export const hashOf = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
