/** Reads stored content. Content that is moved to another storage meanwhile (files/moving/) is read there. */
import type { ByteRange } from "../byte-range.ts";
import type { Drivers, PolicyCache } from "../policies/drivers.ts";
import type { PresignedResponse } from "../storage/driver.ts";
import { contentDamaged, isStorageFailure } from "../storage/storage-failure.ts";
import { appError } from "../../lib/errors.ts";
import type { BlobsRepository, StoredBlob } from "./repository.ts";

export type OpenBlob = {
  /** The size of the whole content in bytes. */
  size: number;
  sha256: string;
  /** The body for `new Response(body)`. */
  body: Blob | ReadableStream<Uint8Array>;
};

type OpenOptions = { range?: ByteRange; signal?: AbortSignal };

type Deps = { repository: BlobsRepository; policies: PolicyCache; drivers: Drivers };

export function createOpening({ repository, policies, drivers }: Deps) {
  async function findReadable(id: number): Promise<StoredBlob> {
    const blob = await repository.find(id);
    return readable(blob?.state === "dead" ? await present(blob) : blob);
  }

  /** The content as it is now, which may have been moved to another storage (files/moving/). */
  async function present({ id, policyId, sha256 }: StoredBlob): Promise<StoredBlob | null> {
    const blob = await repository.find(id);
    const wasDeleted = blob !== null && blob.state === "dead" && blob.keptUntil === 0;
    if (wasDeleted || (blob !== null && blob.state !== "dead")) return blob;
    // It joined the same content there.
    const { moveTo } = await policies.find(policyId);
    return moveTo === null ? null : repository.liveIn(moveTo, sha256);
  }

  async function openAt(blob: StoredBlob, options: OpenOptions): Promise<OpenBlob["body"]> {
    const { id, policyId, objectKey, size } = blob;
    const driver = await drivers.forReading(policyId);
    if (blob.state === "linked") {
      const disk = await repository.diskFile(id);
      if (disk === null) throw appError("FileNotFound", "The file is gone.");
      return driver.open(objectKey, { size, disk, ...options });
    }
    return driver.open(objectKey, {
      size,
      ...options,
      async elsewhere(range) {
        const moved = await movedSince(blob).catch(() => null);
        const body = moved && (await openAt(moved, { ...options, range }));
        return body instanceof Blob ? body.stream() : body;
      },
    });
  }

  async function movedSince(blob: StoredBlob): Promise<StoredBlob | null> {
    const now = await present(blob);
    return now?.state === "live" && now.objectKey !== blob.objectKey ? now : null;
  }

  async function openFound(blob: StoredBlob, options: OpenOptions = {}): Promise<OpenBlob> {
    const { size, sha256 } = readable(blob);
    try {
      return { size, sha256, body: await openAt(blob, options) };
    } catch (error) {
      const moved = isStorageFailure(error) ? await movedSince(blob).catch(() => null) : null;
      if (moved === null) throw error;
      return { size, sha256, body: await openAt(moved, options) };
    }
  }

  return {
    /** @throws FileNotFound if deleted meanwhile, StorageUnavailable if damaged, missing or away */
    open: async (id: number, options: OpenOptions = {}): Promise<OpenBlob> =>
      openFound(await findReadable(id), options),

    /** For the two below. @throws like open */
    find: findReadable,

    /** Opens a blob read a moment ago, wherever it is now. @throws like open */
    openFound,

    /** An address for the client if the policy wants redirects; else null. @throws like open */
    async presign({ policyId, objectKey }: StoredBlob, response: PresignedResponse): Promise<string | null> {
      const policy = await policies.find(policyId);
      if (policy.download !== "redirect") return null;
      return (await drivers.forReading(policyId)).presign(objectKey, response);
    },
  };
}

/** @throws FileNotFound, StorageUnavailable */
function readable(blob: StoredBlob | null): StoredBlob {
  if (blob === null || blob.state === "dead") throw appError("FileNotFound", "The file is gone.");
  if (blob.state === "damaged") throw contentDamaged("The stored file is damaged.");
  return blob;
}
