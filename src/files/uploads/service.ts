/**
 * An upload from its first bytes to the file. It refuses early what it can; the transaction that makes the file decides
 * again.
 */
import type { ReadQueue } from "../blobs/read-queue.ts";
import { watchBytes } from "../watch-bytes.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { beforeFirstWrite } from "../../lib/first-write.ts";
import { appError } from "../../lib/errors.ts";
import { checkFileName } from "../../lib/file-name.ts";
import { toFolderId } from "../tree/account-tree.ts";
import type { Blobs, StoredBytes } from "../blobs/service.ts";
import { type AccountSpace, nameConflict } from "../tree/entries.repository.ts";
import { type Folder, isLinked, readOnly, type StoredFile } from "../tree/entry.ts";
import type { Files, FilesDeps, NewFile } from "../tree/files.service.ts";
import { remainingBytes, overQuota, spaceOnServer, spaceWithout } from "../tree/space.ts";
import { mediaTypeOf } from "../tree/media-type.ts";
import type { CheckFormer } from "./former-check.ts";
import type { Policies } from "../policies/service.ts";
import type { Policy } from "../policies/policy.ts";

export type Destination = {
  accountId: number;
  /** ROOT or a folder's id. */
  parentId: number;
  policy: Policy;
  space: AccountSpace;
};

/** Who uploads, by name, and whether a file of that name gets the content. */
export type Keeping = {
  createdBy?: string | undefined;
  isReplacing?: boolean;
  check?: CheckFormer | undefined;
};

export type IncomingFile = {
  /** From the client. */
  name: string;
  mimeType: string | undefined;
  body: AsyncIterable<Uint8Array>;
  /** As in NewFile: the name may be taken. */
  isNumbered?: boolean;
};

/** Durable bytes that are not a file yet. */
export type ReceivedFile = {
  destination: Destination;
  name: string;
  mimeType: string;
  modifiedAt?: number | undefined;
  stored: StoredBytes;
};

type Deps = Pick<FilesDeps, "tree" | "repository"> & {
  files: Pick<Files, "add" | "put">;
  linked: FilesDeps["linked"];
  policies: Pick<Policies, "receiving">;
  blobs: Pick<Blobs, "store" | "readQueueOf">;
};

export type Uploads = ReturnType<typeof createUploads>;

export function createUploads({ tree, repository, files, linked, policies, blobs }: Deps) {
  /** The folder's own policy, else that of the nearest ancestor, else the default. */
  async function policyOf(folders: readonly Folder[]): Promise<Policy> {
    return policies.receiving(folders.flatMap(({ policyId }) => policyId ?? [])[0] ?? null);
  }

  /** The name in stored form. @throws InvalidName, NameConflict */
  async function checkName({ accountId, parentId }: Destination, given: string): Promise<string> {
    const name = checkFileName(given);
    if (await repository.isTaken(accountId, parentId, name)) throw nameConflict(name);
    return name;
  }

  async function fileAt(
    { accountId, parentId }: Pick<Destination, "accountId" | "parentId">,
    name: string,
    db?: Db,
  ): Promise<StoredFile | null> {
    const former = await repository.child(accountId, parentId, name, db);
    return former?.kind === "file" ? former : null;
  }

  /** Replaces a file under the condition that `check` accepts it in the transaction that does. */
  function replaceChecked<T>(
    place: Pick<NewFile, "accountId" | "parentId" | "name">,
    check: CheckFormer | undefined,
    replace: () => Promise<T>,
  ): Promise<T> {
    if (check === undefined) return replace();
    const before = async (tx: unknown) => {
      await repository.lock(tx as Db, place.accountId);
      await check(await fileAt(place, place.name, tx as Db));
    };
    return beforeFirstWrite(before, replace).result;
  }

  return {
    checkName,
    replaceChecked,

    /** Refuses early what a condition refuses. @throws InvalidName, errors of `check` */
    checkFormer: async (destination: Destination, given: string, check: CheckFormer): Promise<void> =>
      check(await fileAt(destination, checkFileName(given))),

    /** With the space that a file of that name gives when it is replaced. @throws InvalidName, NameConflict */
    async replacing<D extends Pick<Destination, "accountId" | "parentId" | "space">>(
      destination: D,
      given: string,
      db?: Db,
    ): Promise<D> {
      const { accountId, parentId } = destination;
      const name = checkFileName(given);
      const former = await repository.child(accountId, parentId, name, db);
      if (former?.kind === "folder") throw nameConflict(name);
      return overwriting(destination, former);
    },

    /** For files in a folder; these are it and those above it. */
    policyIn: policyOf,

    /** Where a file goes. The folder null is the root. @throws FolderNotFound, StorageUnavailable if it is a disk that is away */
    async destination(accountId: number, folderId: number | null): Promise<Destination> {
      const parentId = toFolderId(folderId);
      const [folders, space] = await Promise.all([
        tree.folders(accountId, parentId),
        repository.space(accountId),
      ]);
      const policy = await policyOf(folders);
      const [folder] = folders;
      if (folder === undefined || !isLinked(folder)) return { accountId, parentId, policy, space };
      if (policy.readOnly !== false) throw readOnly();
      await linked.refresh(folder);
      return { accountId, parentId, policy, space: spaceOnServer(space) };
    },

    /** @throws FileTooLargeForPolicy if that many bytes can't be stored there */
    checkSize({ policy, space }: Destination, bytes: number): void {
      if (policy.maxFileSize > 0 && bytes > policy.maxFileSize) throw overLimit(policy);
      if (bytes > remainingBytes(space)) throw overQuota(space);
    },

    /** Read the bytes for this destination in its order. */
    readQueueAt: ({ policy }: Destination): ReadQueue => blobs.readQueueOf(policy.id),

    /**
     * Then call keep or drop. After a failure nothing stays. @throws InvalidName, NameConflict, FileTooLargeForPolicy,
     * StorageUnavailable, errors of the body
     */
    async receive(
      destination: Destination,
      { name: given, mimeType, body, isNumbered }: IncomingFile,
    ): Promise<ReceivedFile> {
      const name = isNumbered ? checkFileName(given) : await checkName(destination, given);
      const { policy, space } = destination;
      const stored = await blobs.store(within(body, space), policy.id, { maxBytes: policy.maxFileSize });
      return { destination, name, mimeType: mediaTypeOf(mimeType, name), stored };
    },

    /** @throws like Files.put, errors of `check`; then nothing stays */
    async keep(received: ReceivedFile, { createdBy, isReplacing, check }: Keeping = {}): Promise<StoredFile> {
      const { destination, name, mimeType, modifiedAt, stored } = received;
      const { accountId, parentId } = destination;
      const file = { accountId, parentId, name, mimeType, modifiedAt, createdBy };
      if (!isReplacing) return files.add(file, stored);
      return (await replaceChecked(file, check, () => files.put(file, stored))).file;
    },
  };
}

/** For PUT: a piece would replace the whole (RFC 9110, section 14.5). @throws BadRequest */
export function refuseContentRange(header: string | undefined): void {
  if (header !== undefined) {
    throw appError("BadRequest", "Send the whole content, without Content-Range.");
  }
}

/** The destination with the space that the replaced file gives. */
export const overwriting = <D extends Pick<Destination, "space">>(
  destination: D,
  former: StoredFile | null,
): D => (former === null ? destination : { ...destination, space: spaceWithout(destination.space, former) });

/** Fails beyond the account's space. */
function within(body: AsyncIterable<Uint8Array>, space: AccountSpace): AsyncIterable<Uint8Array> {
  let left = remainingBytes(space);
  if (left === Number.POSITIVE_INFINITY) return body;
  return watchBytes(body, (bytes) => {
    left -= bytes;
    if (left < 0) throw overQuota(space);
  });
}

const overLimit = ({ maxFileSize }: Policy) =>
  appError(
    "FileTooLargeForPolicy",
    `The file is larger than the ${maxFileSize} bytes that its storage policy allows.`,
    {
      details: { maxFileSize },
    },
  );
