/**
 * Objects in an S3 bucket, in path style. S3 can't rename, and a copy costs as much as an upload. So bytes go directly
 * to their final key, with the staging's id instead of the content's hash.
 */
import { appError } from "../../../lib/errors.ts";
import type { Driver } from "../driver.ts";
import { idKey, isObjectKey, isStagingId, markerOf, STAGING, stagingOfKey } from "../object-key.ts";
import { createS3Client, type S3Settings } from "./client.ts";
import { s3RefusalOf } from "./failure.ts";
import { createS3Location, type S3Location } from "./location.ts";
import { hashOf, objectSize } from "./parts.ts";
import { abortUploads, listMultipartUploads, partsOf } from "./multipart-uploads.ts";
import { openS3Object } from "./read.ts";
import { createS3Staging, resumeS3Staging } from "./staging.ts";

/** A slow client may need hours between two parts. */
const STALE_AFTER_MS = 86_400_000;

/** A prefix has no slashes at its ends; it may be empty. @throws BadRequest */
export function checkPrefix(prefix: string): void {
  if (prefix === "") return;
  const wrong = prefix.split("/").some((segment) => segment === "" || segment === "." || segment === "..");
  if (wrong) throw appError("BadRequest", "base_path: a prefix must not have empty, '.' or '..' segments.");
}

export function createS3Driver({ prefix, ...settings }: S3Settings & { prefix: string }): Driver {
  const client = createS3Client(settings);
  const location = createS3Location(client, prefix);
  const { full } = location;
  return {
    staleAfterMs: STALE_AFTER_MS,
    claim: (installation, mark) => claim(location, installation, mark),
    stage: async (id) => createS3Staging(location, id),
    resume: (id, received) => resumeS3Staging(location, id, received),
    open: (key, wanted) => openS3Object({ client, key: full(key), ...wanted }),
    async stat(key) {
      const size = await objectSize(client, full(key));
      return size === null ? null : { size };
    },
    remove: (key) => location.remove(full(key)),
    presign: async (key, { contentType, contentDisposition, expiresSeconds }) =>
      client.presign(
        full(key),
        { "response-content-type": contentType, "response-content-disposition": contentDisposition },
        expiresSeconds,
      ),
    async *listObjects() {
      for await (const page of location.list("")) yield page.filter(({ key }) => isObjectKey(key));
    },
    listStagings: (before) => listStagings(location, before),
    async removeStaging(id) {
      await abortUploads(client, full(idKey(id)));
      await location.removeTails(id);
    },
  };
}

async function* listStagings(location: S3Location, before: number): AsyncGenerator<readonly string[]> {
  const { client, full } = location;
  for await (const page of listMultipartUploads(client, full(""))) {
    const stale: string[] = [];
    for (const upload of page.filter(({ initiatedAt }) => initiatedAt < before)) {
      const id = stagingOfKey(upload.key.slice(full("").length));
      if (id !== null && (await partsOf(client, upload)).newestAt < before) stale.push(id);
    }
    yield stale;
  }
  for await (const page of location.list(`${STAGING}/`)) {
    const ids = page
      .filter(({ modifiedAt }) => modifiedAt < before)
      .map(({ key }) => key.slice(STAGING.length + 1).split(".")[0]!);
    yield [...new Set(ids)].filter(isStagingId);
  }
}

async function claim({ client, full }: S3Location, installation: string, mark: boolean): Promise<boolean> {
  const key = full(markerOf(installation));
  const isMarked = await client.text({ method: "GET", key }).then(
    () => true,
    (error: unknown) => {
      // A missing bucket is an error.
      if (s3RefusalOf(error)?.word !== "NoSuchKey") throw error;
      return false;
    },
  );
  if (isMarked || !mark) return isMarked;
  const bytes = new TextEncoder().encode("Waymark keeps files here. Do not remove this one.\n");
  await client.head({ method: "PUT", key, body: { bytes, sha256: hashOf(bytes) } });
  return true;
}
