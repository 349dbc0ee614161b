/** Uploads in parts, as the endpoint knows them. Each call is one request, or a few where lists are long. */
import { s3RefusalOf } from "./failure.ts";
import type { S3Client } from "./client.ts";
import { elementsOf, escapeXml, textOf } from "./xml.ts";
import { storageFailure } from "../storage-failure.ts";

export type Part = { number: number; etag: string; size: number };
export type MultipartUpload = { key: string; uploadId: string; initiatedAt: number };

const MIB = 1024 * 1024;
/** An object has at most 10,000 parts; growing ones reach 387 GiB with that and keep small uploads small. */
export const MAX_PARTS = 10_000;

/** How many bytes the part of this number (from 1) takes, unless it is the last. At least 5 MiB, by S3's rules. */
export function partBytes(number: number): number {
  if (number <= 1_000) return 5 * MIB;
  if (number <= 2_500) return 16 * MIB;
  return number <= 6_000 ? 32 * MIB : 64 * MIB;
}

export async function beginUpload(client: S3Client, key: string): Promise<string> {
  const xml = await client.text({ method: "POST", key, query: { uploads: "" } });
  const uploadId = textOf(xml, "UploadId");
  if (!uploadId)
    throw storageFailure(new Error("no UploadId in the answer"), "The S3 endpoint answers wrongly.");
  return uploadId;
}

export type HashedBytes = { bytes: Uint8Array<ArrayBuffer>; sha256: string };

/** Returns the part's ETag. */
export async function putPart(
  client: S3Client,
  { key, uploadId }: Pick<MultipartUpload, "key" | "uploadId">,
  number: number,
  body: HashedBytes,
): Promise<string> {
  const { headers } = await client.head({
    method: "PUT",
    key,
    query: { partNumber: String(number), uploadId },
    body,
  });
  const etag = headers.get("etag");
  if (etag === null)
    throw storageFailure(new Error("no ETag for a part"), "The S3 endpoint answers wrongly.");
  return etag;
}

/** Makes the parts one object. An answer that got lost is not taken for a failure. */
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
  const size = parts.reduce((sum, part) => sum + part.size, 0);
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
      new Error(`the object in parts has ${found} bytes instead of ${size}`),
      "The S3 endpoint did not store the whole file.",
    );
  }
}

/** Null when there is no such object. */
export async function objectSize(client: S3Client, key: string): Promise<number | null> {
  const { status, headers } = await client.head({ method: "HEAD", key, accept: [404] });
  return status === 404 ? null : Number(headers.get("content-length"));
}

/** Ends all unfinished uploads of the key and removes their parts. */
export async function abortUploads(client: S3Client, key: string): Promise<void> {
  for await (const page of listMultipartUploads(client, key)) {
    for (const upload of page) {
      if (upload.key !== key) continue;
      const query = { uploadId: upload.uploadId };
      await client.head({ method: "DELETE", key, query, accept: [404] });
    }
  }
}

/** The unfinished uploads of keys with this prefix, in pages. */
export async function* listMultipartUploads(
  client: S3Client,
  prefix: string,
): AsyncGenerator<MultipartUpload[]> {
  let after: Record<string, string> = {};
  for (;;) {
    const query = { uploads: "", prefix, "max-uploads": "1000", ...after };
    const xml = await client.text({ method: "GET", query });
    yield elementsOf(xml, "Upload").map((one) => ({
      key: textOf(one, "Key") ?? "",
      uploadId: textOf(one, "UploadId") ?? "",
      initiatedAt: Date.parse(textOf(one, "Initiated") ?? "") || Number.POSITIVE_INFINITY,
    }));
    const key = textOf(xml, "NextKeyMarker");
    if (textOf(xml, "IsTruncated") !== "true" || !key) return;
    after = { "key-marker": key, "upload-id-marker": textOf(xml, "NextUploadIdMarker") ?? "" };
  }
}

/** The parts that are there, by number, and when the newest of them came (epoch milliseconds, 0 without parts). */
export async function partsOf(
  client: S3Client,
  { key, uploadId }: Pick<MultipartUpload, "key" | "uploadId">,
): Promise<{ parts: Part[]; newestAt: number }> {
  const parts: Part[] = [];
  let newestAt = 0;
  let marker: string | undefined;
  do {
    const query = {
      uploadId,
      "max-parts": "1000",
      ...(marker !== undefined && { "part-number-marker": marker }),
    };
    const xml = await client.text({ method: "GET", key, query });
    for (const one of elementsOf(xml, "Part")) {
      parts.push({
        number: Number(textOf(one, "PartNumber")),
        etag: textOf(one, "ETag") ?? "",
        size: Number(textOf(one, "Size")),
      });
      newestAt = Math.max(newestAt, Date.parse(textOf(one, "LastModified") ?? "") || 0);
    }
    marker = textOf(xml, "IsTruncated") === "true" ? textOf(xml, "NextPartNumberMarker") : undefined;
  } while (marker !== undefined && parts.length < MAX_PARTS);
  return { parts: parts.sort((a, b) => a.number - b.number), newestAt };
}

export const hashOf = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
