/** Folders and files, on top of content.ts. */
import type { Leases } from "../platform/cluster/leases.ts";
import type { Core } from "../platform/core.ts";
import { archiveEndpoint, createArchiveResponse } from "./archive/routes.ts";
import { createArchiveRepository } from "./archive/repository.ts";
import { createArchives } from "./archive/service.ts";
import { createAccountTree } from "./tree/account-tree.ts";
import { createDownload, downloadEndpoint } from "./tree/download.routes.ts";
import { createDropGate } from "./drops/gate.ts";
import { createDropsRepository } from "./drops/repository.ts";
import { createSenderFolders } from "./drops/sender-folders.ts";
import { createSenderFoldersRepository } from "./drops/sender-folders.repository.ts";
import { createEntriesRepository, type EntriesRepository } from "./tree/entries.repository.ts";
import { fileEndpoints } from "./tree/files.routes.ts";
import { createFiles, type Files } from "./tree/files.service.ts";
import { folderEndpoints } from "./tree/folders.routes.ts";
import { createFolders, type Folders } from "./tree/folders.service.ts";
import { createDiskChanges } from "./linked/disk-changes.ts";
import { createLinkedRepository } from "./linked/repository.ts";
import { linkedEndpoints, sha256Endpoint } from "./linked/routes.ts";
import { createLinkedFolders } from "./linked/service.ts";
import { createMovedRepository } from "./moved/repository.ts";
import { createMovedFiles } from "./moved/service.ts";
import type { Content } from "./content.ts";
import { createRemovalRepository } from "./tree/removal.repository.ts";
import { createRemoval } from "./tree/removal.ts";
import { createLookup } from "./tree/lookup.ts";
import { createOwnersRepository } from "./tree/owners.repository.ts";
import { createTransfersRepository } from "./tree/transfers.repository.ts";
import { createTransfers } from "./tree/transfers.ts";
import { createTrees } from "./tree/trees.ts";
import { createPathsRepository } from "./tree/paths.repository.ts";
import { createSearchRepository } from "./search/repository.ts";
import { searchEndpoint } from "./search/routes.ts";
import { createFileSearch } from "./search/service.ts";
import { createTrashRepository } from "./trash/repository.ts";
import { trashEndpoints } from "./trash/routes.ts";
import { createTrash } from "./trash/service.ts";
import { createTusRepository } from "./uploads/tus.repository.ts";
import { tusEndpoints } from "./uploads/tus.routes.ts";
import { createResumable } from "./uploads/tus.service.ts";
import { uploadEndpoint } from "./uploads/routes.ts";
import { contentEndpoint } from "./uploads/content.routes.ts";
import { createUploads } from "./uploads/service.ts";
import { versionLimits } from "./versions/replacing.ts";
import { createVersionsRepository } from "./versions/repository.ts";
import { versionEndpoints } from "./versions/routes.ts";
import { createVersions } from "./versions/service.ts";
import { createCopiesRepository } from "./tree/copies.repository.ts";
import { copyEndpoints } from "./tree/copies.routes.ts";
import { createCopies } from "./tree/copies.ts";

export type Drive = ReturnType<typeof createDrive>;

type Deps = Core & { content: Content; leases: Leases };

/** Folders of the server, and the trash that some of them have. */
function createOnDisk({ database, content, clock, logger }: Deps, entries: EntriesRepository) {
  const { policies, blobs, diskOf, tag } = content;
  const trashRepository = createTrashRepository(database);
  const linkedRepository = createLinkedRepository(database, tag);
  const onDisk = createDiskChanges({
    repository: linkedRepository,
    entries,
    policies,
    blobs,
    diskOf,
    tag,
    putInTrash: (tx, entry) => trashRepository.put(tx, entry, clock.now()),
    clock,
    logger,
  });
  return { trashRepository, linkedRepository, onDisk };
}

function createArchiving({ database, content, clock }: Deps, parts: { files: Files; folders: Folders }) {
  const { blobs, dataDir } = content;
  const repository = createArchiveRepository(database);
  const archives = createArchives({ ...parts, repository, blobs, dataDir, clock });
  return { archives, respondWithArchive: createArchiveResponse({ archives }) };
}

const CLEAN_UP_MS = 60_000;

type SenderFoldersDeps = Pick<Deps, "database"> &
  Omit<Parameters<typeof createSenderFolders>[0], "repository">;

const senderFoldersIn = ({ database, ...deps }: SenderFoldersDeps) =>
  createSenderFolders({ ...deps, repository: createSenderFoldersRepository(database) });

export function createDrive(deps: Deps) {
  const { database, changes, content, leases, record, config, clock, logger } = deps;
  const { policies, blobs, dataDir } = content;
  const repository = createEntriesRepository(database);
  const tree = createAccountTree({ repository, changes });
  const held = { entries: repository, versions: createVersionsRepository(database) };
  const { trashRepository, linkedRepository, onDisk } = createOnDisk(deps, repository);
  const shared = { ...held, tree, blobs, onDisk, clock, logger };
  const ofRemoval = { ...shared, removal: createRemovalRepository({ database, record }) };
  const removal = createRemoval(ofRemoval);
  const versions = createVersions({ ...ofRemoval, removing: removal, record, limits: versionLimits(config) });
  const linked = createLinkedFolders({
    ...shared,
    removal,
    policies,
    repository: linkedRepository,
    diskFile: content.diskFile,
    diskOf: content.diskOf,
    record,
  });
  const folders = createFolders({ tree, repository, removal, policies, linked, onDisk, clock });
  const files = createFiles({ tree, repository, removal, versions, blobs, linked, onDisk, clock });
  const uploads = createUploads({ tree, repository, files, linked, policies, blobs });
  const dropGate = createDropGate({
    tree,
    entries: repository,
    repository: createDropsRepository(database),
    record,
    clock,
  });
  const resumable = createResumable({
    ...shared,
    repository: createTusRepository(database),
    files,
    uploads,
    drops: dropGate,
    leases,
  });
  const owners = createOwnersRepository(database);
  const trees = createTrees({ repository: owners, lineage: repository.lineage });
  const transfersRepository = createTransfersRepository(database);
  const transfers = createTransfers({ ...shared, owners, repository: transfersRepository, record });
  const copies = createCopies({
    ...ofRemoval,
    repository: createCopiesRepository(database),
    transfers: transfersRepository,
    record,
  });
  const download = createDownload({ blobs, clock });
  const paths = createPathsRepository(database);
  const search = createFileSearch({ repository: createSearchRepository(database), paths });
  const trash = createTrash({
    ...shared,
    paths,
    removal,
    repository: trashRepository,
    trashDays: () => config.get("files.trash_days"),
  });
  const archiving = createArchiving(deps, { files, folders });
  const { respondWithArchive } = archiving;
  return {
    tree,
    trees,
    lookup: createLookup({ repository, folders }),
    transfers,
    linked,
    onDisk,
    copies,
    folders,
    files,
    uploads,
    resumable,
    dropGate,
    /** Folders that have the names of visitors. */
    senderFolders: senderFoldersIn({ database, tree, entries: repository, clock }),
    download,
    trash,
    versions,
    search,
    ...archiving,
    /** The import of files from other products. */
    moved: createMovedFiles({
      ...shared,
      repository: createMovedRepository(database),
      uploads,
      files,
      removal,
      dataDir,
    }),
    /** What WebDAV needs of the trees. */
    treeParts: { ...shared, repository, trees, files, folders, uploads, trash, download, copies },
    /** Mount them at the root. */
    endpoints: [
      searchEndpoint({ search, trees }),
      ...trashEndpoints({ trash, trees, files, folders }),
      ...tusEndpoints({ resumable, trees, policies }),
      uploadEndpoint({ uploads, trees }),
      archiveEndpoint({ folders, trees, respondWithArchive, logger }),
      ...copyEndpoints({ copies, files, folders, trees }),
      ...folderEndpoints({ folders, trees, transfers, logger }),
      downloadEndpoint({ files, trees, download, logger }),
      contentEndpoint({ files, uploads, trees }),
      ...versionEndpoints({ files, versions, trees, download, logger }),
      ...fileEndpoints({ files, trees, transfers }),
      sha256Endpoint({ linked, files, trees }),
    ],
    /** Mount them below the admin prefix. */
    adminEndpoints: linkedEndpoints({ linked, trees }),
    jobs: [
      { name: "files-removal", everyMs: () => CLEAN_UP_MS, run: removal.cleanUp },
      { name: "files-transfer", everyMs: () => CLEAN_UP_MS, run: transfers.finishAll },
      { name: "files-versions", everyMs: () => CLEAN_UP_MS, run: versions.cleanUp },
      { name: "files-copy", everyMs: () => CLEAN_UP_MS, run: copies.finishAll },
      { name: "files-trash", everyMs: () => CLEAN_UP_MS, run: trash.cleanUp },
      ...resumable.jobs,
      linked.job,
    ],
  };
}
