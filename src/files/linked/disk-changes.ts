/**
 * Changes what lies in folders of the server that may be written. The rows change in the same transaction, and the disk
 * last: a crash between the two leaves bytes where they were or where they should be, and the next look shows that. The
 * trash is in a hidden folder of the same disk, so nothing is copied, and folders of any size go there in one step.
 */
import type { Db } from "../../platform/db/dialect.ts";
import { appError } from "../../lib/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { DeadBlob } from "../blobs/repository.ts";
import type { Blobs } from "../blobs/service.ts";
import type { Policies } from "../policies/service.ts";
import {
  type Disk,
  type DiskAnswer,
  type DiskMove,
  type DiskNames,
  HIDDEN,
  goneName,
  trashName,
} from "../storage/disk.ts";
import { diskFailure } from "../storage/storage-failure.ts";
import { type EntriesRepository, nameConflict } from "../tree/entries.repository.ts";
import { type Entry, isLinked, readOnly, type StoredFile, TRASH } from "../tree/entry.ts";
import type { DiskStep, OnDisk } from "../tree/account-tree.ts";
import type { LinkedRepository } from "./repository.ts";

type Deps = {
  repository: LinkedRepository;
  entries: EntriesRepository;
  blobs: Pick<Blobs, "release">;
  policies: Pick<Policies, "find">;
  diskOf(policyId: number): Promise<Disk>;
  /** The tag in names of this installation. */
  tag(): Promise<number>;
  /** Records an entry in the trash. */
  putInTrash(tx: Db, entry: Entry): Promise<void>;
  clock: Clock;
  logger: Logger;
};

type Place = { policyId: number; names: DiskNames; inode: string | null };

const none: DiskStep = async () => {};

export function createDiskChanges(deps: Deps): OnDisk {
  const places = createPlaces(deps);
  return {
    ...createMoves(deps, places),
    ...createRemovals(deps, places),
    ...createAdditions(deps, places),
  };
}

type Places = ReturnType<typeof createPlaces>;

function createPlaces({ repository, policies, diskOf, tag }: Deps) {
  /** Of an entry that lies in a folder that may be written. @throws Forbidden */
  async function placeOf(tx: Db, entryId: number): Promise<Place> {
    const place = await repository.namesOf(entryId, tx);
    if (place === null) throw otherPlace();
    if ((await policies.find(place.policyId)).readOnly !== false) throw readOnly();
    const root = await repository.root(place.rootId, tx);
    return { ...place, inode: root?.inode ?? null };
  }

  async function within(tx: Db, policyId: number, folderId: number): Promise<Place> {
    const place = await placeOf(tx, folderId);
    if (place.policyId !== policyId) throw otherPlace();
    return place;
  }

  async function step(
    policyId: number,
    name: string,
    run: (disk: Disk) => Promise<DiskAnswer<unknown>>,
  ): Promise<void> {
    const answer = await run(await diskOf(policyId));
    if ("value" in answer) return;
    const isTaken = answer.where === "inside" && TAKEN.has(answer.code);
    throw isTaken ? nameConflict(name, new Error(`the disk says ${answer.code}`)) : diskFailure(answer);
  }

  const moveOf =
    (policyId: number, name: string, one: DiskMove): DiskStep =>
    () =>
      step(policyId, name, (disk) => disk.move(one));

  return {
    placeOf,
    within,
    step,
    moveOf,
    /** Where an entry of the trash lies. */
    inTrash: async (id: number): Promise<DiskNames> => hidden(trashName(await tag(), id)),
  };
}

function createMoves({ repository }: Deps, { placeOf, within, moveOf, inTrash }: Places) {
  return {
    async move(tx, entry, to) {
      const { policyId, names, inode } = await placeOf(tx, entry.id);
      const parent = await within(tx, policyId, to.parentId);
      const isRenamed = to.name !== entry.name;
      const target = [...parent.names, isRenamed ? to.name : names.at(-1)!];
      if (target.join("/") === names.join("/")) return none;
      return async () => {
        if (isRenamed) await repository.setDiskName(tx, entry.id, null);
        await moveOf(policyId, to.name, { inode, from: names, to: target })();
      };
    },

    async trash(tx, entry) {
      const { policyId, names, inode } = await placeOf(tx, entry.id);
      const to = await inTrash(entry.id);
      return {
        async step() {
          await repository.setPolicy(tx, entry, policyId);
          await moveOf(policyId, entry.name, { inode, from: names, to })();
        },
        undo: moveOf(policyId, entry.name, { inode, from: to, to: names }),
      };
    },

    async restore(tx, trashed, to) {
      const [mirrored] = await repository.trashed(tx, [trashed.id]);
      if (mirrored === undefined) return null;
      const { policyId, diskName } = mirrored;
      const parent = await within(tx, policyId, to.parentId);
      const name = to.name === trashed.name ? (diskName ?? to.name) : to.name;
      const from = await inTrash(trashed.id);
      return async () => {
        await repository.setPolicy(tx, mirrored, null);
        await repository.setDiskName(tx, trashed.id, name === to.name ? null : name);
        await moveOf(policyId, to.name, { inode: parent.inode, from, to: [...parent.names, name] })();
      };
    },
  } satisfies Partial<OnDisk>;
}

function createRemovals(
  { repository, policies, diskOf, tag, logger }: Deps,
  { placeOf, step, moveOf }: Places,
) {
  /** Policies with bytes that are being removed. */
  const unswept = new Set<number>();

  /** A changed file is not what somebody wanted to delete. */
  const expectedOf = (entry: Entry) =>
    entry.kind === "file" ? { size: entry.size, time: entry.diskTime ?? 0 } : undefined;

  async function sweepAll(): Promise<void> {
    for (const policyId of unswept) {
      unswept.delete(policyId);
      const disk = await diskOf(policyId);
      for (let isDone = false; !isDone; ) {
        const answer = await disk.sweep();
        if (!("value" in answer)) throw diskFailure(answer);
        isDone = answer.value;
      }
    }
  }

  return {
    async remove(tx, entry) {
      const { policyId, names, inode } = await placeOf(tx, entry.id);
      const expected = expectedOf(entry);
      const move = moveOf(policyId, entry.name, { inode, from: names, to: hidden(goneName()), expected });
      return async () => {
        await move();
        unswept.add(policyId);
      };
    },

    async removeTrashed(tx, ids) {
      for (const { id, policyId } of await repository.trashed(tx, ids)) {
        if ((await policies.find(policyId)).readOnly !== false) continue;
        const name = trashName(await tag(), id);
        await step(policyId, name, (disk) => disk.discard(name));
        unswept.add(policyId);
      }
    },

    sweep(policyId) {
      if (policyId !== undefined) unswept.add(policyId);
      if (unswept.size === 0) return;
      void sweepAll().catch((err: unknown) =>
        logger.warn({ err }, "deleted files of a linked folder could not be removed; a scan will try again"),
      );
    },
  } satisfies Partial<OnDisk>;
}

function createAdditions(deps: Deps, { placeOf, within, step, moveOf, inTrash }: Places) {
  const { repository, entries, blobs, diskOf, clock } = deps;

  /** The former content of a file becomes an entry of the trash. Returns where it lies. */
  async function keepFormer(tx: Db, former: StoredFile): Promise<DiskNames> {
    const { id: _id, versionsBytes: _bytes, ...facts } = former;
    const id = await entries.insert(tx, { ...facts, parentId: TRASH, name: crypto.randomUUID() });
    await deps.putInTrash(tx, { ...former, id });
    return inTrash(id);
  }

  async function expectFree(tx: Db, accountId: number, parentId: number, name: string): Promise<void> {
    if (await entries.isTaken(accountId, parentId, name, tx)) throw nameConflict(name);
  }

  async function settled(policyId: number, id: string, modifiedAt: number | null) {
    const answer = await (await diskOf(policyId)).settlePart(id, modifiedAt);
    if ("value" in answer) return answer.value;
    throw diskFailure(answer);
  }

  return {
    async makeFolder(tx, parent, name) {
      const { policyId, names, inode } = await placeOf(tx, parent.id);
      const item = { name, kind: "folder", size: 0, time: 0 } as const;
      const { accountId } = parent;
      await expectFree(tx, accountId, parent.id, name);
      await repository.insert(tx, { ...parent, policyId }, [{ item, name, mimeType: "" }], clock.now());
      const made = await entries.child(accountId, parent.id, name, tx);
      await step(policyId, name, (disk) => disk.makeFolder({ inode, names: [...names, name] }));
      return made as Extract<Entry, { kind: "folder" }>;
    },

    async put(tx, { accountId, parentId, name, mimeType, modifiedAt }, stored, former) {
      const { policyId, names, inode } = await within(tx, stored.policyId, parentId);
      const folder = { accountId, id: parentId, policyId };
      const state = await settled(policyId, stored.objectKey, modifiedAt ?? null);
      const item = { name, kind: "file" as const, ...state };
      const dead: DeadBlob[] = [];
      const move: DiskMove = { inode, from: hidden(stored.objectKey), to: [...names, name] };
      if (former === null) {
        await expectFree(tx, accountId, parentId, name);
        await repository.insert(tx, folder, [{ item, name, mimeType }], clock.now());
      } else {
        if (!isLinked(former)) throw otherPlace();
        const { names: own } = await placeOf(tx, former.id);
        const isKept = former.size > 0 && former.sha256 !== stored.sha256;
        const kept = isKept ? await keepFormer(tx, former) : null;
        const replaced = await repository.change(tx, folder, [{ ...item, id: former.id }], clock.now());
        if (kept === null) dead.push(...(await blobs.release(tx, replaced)));
        move.to = own;
        move.over = { size: former.size, time: former.diskTime ?? 0, kept };
      }
      const file = (await entries.child(accountId, parentId, name, tx)) as StoredFile;
      await repository.setSha256(tx, file, stored.sha256);
      return { file: { ...file, sha256: stored.sha256 }, dead, step: moveOf(policyId, name, move) };
    },
  } satisfies Partial<OnDisk>;
}

const hidden = (name: string): DiskNames => [HIDDEN, name];
const TAKEN = new Set(["EEXIST", "ENOTEMPTY"]);

const otherPlace = () =>
  appError(
    "Forbidden",
    "Nothing can be moved between a folder of the server and other folders. Download it, and upload it there.",
  );
