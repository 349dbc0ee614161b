/**
 * Objects in an S3 bucket, in path style. S3 can't rename, and a copy costs as much as an upload. So bytes go directly
 * to their final key, with the staging's id instead of the content's hash.
 */
import { appError } from "../../../lib/errors.ts";
import type { Driver, StagedBytes } from "../driver.ts";
import { idKey, isObjectKey, isStagingId, markerOf, STAGING, stagingOfKey } from "../object-key.ts";
import { createS3Client, type S3Client, type S3Settings } from "./client.ts";
import { s3RefusalOf } from "./failure.ts";
import { createS3Location, type S3Location } from "./location.ts";
import { hashOf, objectSize, putObject } from "./parts.ts";
import {
  abortUploads,
  listMultipartUploads,
  type MultipartUpload,
  partsOf,
  sizeOf,
} from "./multipart-uploads.ts";
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
    open: (key, options) => openS3Object({ client, key: full(key), ...options }),
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
    listStagings: (matches) => listStagings(location, matches),
    async removeStaging(id) {
      await abortUploads(client, full(idKey(id)));
      await location.removeTails(id);
    },
  };
}

async function* listStagings(
  location: S3Location,
  matches: (id: string) => boolean,
): AsyncGenerator<readonly StagedBytes[]> {
  const { client, full } = location;
  for await (const page of listMultipartUploads(client, full(""))) {
    const found: StagedBytes[] = [];
    for (const upload of page) {
      const id = stagingOfKey(upload.key.slice(full("").length));
      const staged = id !== null && matches(id) ? await stagedParts(client, upload) : null;
      if (staged !== null) found.push({ id: id!, ...staged });
    }
    yield found;
  }
  for await (const page of location.list(`${STAGING}/`)) {
    yield page
      .map(({ key, size, modifiedAt }) => ({
        id: key.slice(STAGING.length + 1).split(".")[0]!,
        size,
        modifiedAt,
      }))
      .filter(({ id }) => isStagingId(id) && matches(id));
  }
}

/** The parts of an upload, or null if it ended meanwhile. */
async function stagedParts(
  client: S3Client,
  upload: MultipartUpload,
): Promise<Omit<StagedBytes, "id"> | null> {
  try {
    const { parts, newestAt } = await partsOf(client, upload);
    return { size: sizeOf(parts), modifiedAt: Math.max(upload.initiatedAt, newestAt) };
  } catch (error) {
    if (s3RefusalOf(error)?.word === "NoSuchUpload") return null;
    throw error;
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
  await putObject(client, key, { bytes, sha256: hashOf(bytes) });
  return true;
}
