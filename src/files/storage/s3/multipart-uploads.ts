import type { S3Client } from "./client.ts";
import { elementsOf, textOf } from "./xml.ts";
import { invalidResponse } from "./failure.ts";

export type Part = { number: number; etag: string; size: number };

export const sizeOf = (parts: readonly Part[]): number => parts.reduce((sum, part) => sum + part.size, 0);

export type MultipartUpload = { key: string; uploadId: string; initiatedAt: number };

/** S3's limit. Growing parts reach 387 GiB and keep small uploads small. */
export const MAX_PARTS = 10_000;

export async function beginUpload(client: S3Client, key: string): Promise<string> {
  const xml = await client.text({ method: "POST", key, query: { uploads: "" } });
  const uploadId = textOf(xml, "UploadId");
  if (!uploadId) throw invalidResponse("no UploadId in the response");
  return uploadId;
}

export async function abortUploads(client: S3Client, key: string): Promise<void> {
  for await (const page of listMultipartUploads(client, key)) {
    for (const upload of page) {
      if (upload.key !== key) continue;
      const query = { uploadId: upload.uploadId };
      await client.head({ method: "DELETE", key, query, accept: [404] });
    }
  }
}

/** Unfinished, with this prefix, in pages. */
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

/** The parts by number, and the time of the newest (epoch milliseconds, 0 without parts). */
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
