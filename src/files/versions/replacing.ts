/**
 * Gives files other content. The former content becomes a version, unless it is empty or the same. A file keeps its
 * newest versions, at most as many as the settings say. Versions count in the quota: where the new content would exceed
 * it, the oldest ones go first, at last the former content itself.
 */
import type { Config } from "../../platform/config/config.service.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Blobs } from "../blobs/service.ts";
import type { TreeTransaction } from "../tree/account-tree.ts";
import type { EntriesRepository } from "../tree/entries.repository.ts";
import type { NewContent, Replace } from "../tree/files.service.ts";
import type { StoredFile } from "../tree/entry.ts";
import { overQuota, remainingBytes, spaceWithout } from "../tree/space.ts";
import type { FileVersion, VersionsRepository } from "./repository.ts";

/** The most versions of a file, and days since they were replaced; 0: none is kept. */
export type VersionLimits = { most(): number; days(): number };

/** 0 of either setting keeps none. */
export function versionLimits(config: Config): VersionLimits {
  const unlessOther = (setting: Setting, other: Setting) => () =>
    config.get(other) === 0 ? 0 : config.get(setting);
  return {
    most: unlessOther("files.versions_keep", "files.versions_days"),
    days: unlessOther("files.versions_days", "files.versions_keep"),
  };
}

type Setting = "files.versions_keep" | "files.versions_days";

type Deps = {
  repository: EntriesRepository;
  versions: VersionsRepository;
  blobs: Pick<Blobs, "release">;
  limits: VersionLimits;
  clock: Clock;
};

export function createReplacing({ repository, versions, blobs, limits, clock }: Deps): Replace {
  /** What stays of the versions, newest first, so that `room` holds them. */
  function staying<T extends { size: number }>(all: readonly T[], room: number): T[] {
    let left = room;
    const most = limits.most();
    const end = all.findIndex(({ size }, at) => at >= most || (left -= size) < 0);
    return all.slice(0, end < 0 ? all.length : end);
  }

  return async ({ db, space }: TreeTransaction, former: StoredFile, content: NewContent) => {
    const now = clock.now();
    const room = remainingBytes(spaceWithout(space, former)) - content.size;
    // An account may shrink files while it has more than its quota.
    if (room < 0 && content.size > former.size) throw overQuota(space);
    const isKept = former.size > 0 && former.sha256 !== content.sha256;
    const known = former.versionsBytes > 0 ? await versions.of(former.id, db) : [];
    const all: (FileVersion | null)[] = isKept ? [null, ...known] : known;
    const kept = staying(
      all.map((version) => ({ version, size: version?.size ?? former.size })),
      room,
    );
    const gone = all.slice(kept.length).filter((version) => version !== null);
    await versions.remove(
      db,
      gone.map(({ id }) => id),
    );
    const isVersion = isKept && kept.length > 0;
    if (isVersion) {
      const { blobId, size, sha256, mimeType, modifiedAt, createdAt, createdBy } = former;
      const facts = { blobId, size, sha256, mimeType, modifiedAt, createdAt, createdBy };
      await versions.insert(db, { ...facts, entryId: former.id, replacedAt: now });
    }
    const versionsBytes = kept.reduce((sum, { size }) => sum + size, 0);
    const file = { ...former, ...content, versionsBytes, createdAt: now, updatedAt: now };
    await repository.replaceContent(db, file);
    const growth = content.size + versionsBytes - former.size - former.versionsBytes;
    await repository.addUsage(db, former.accountId, growth);
    const released = [...gone.map(({ blobId }) => blobId), ...(isVersion ? [] : [former.blobId])];
    return { file, dead: released.length > 0 ? await blobs.release(db, released) : [] };
  };
}
