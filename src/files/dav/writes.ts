/** What WebDAV clients write at one address. */
import type { Db } from "../../db/dialect.ts";
import { appError } from "../../lib/errors.ts";
import type { ReadQueue } from "../blobs/read-queue.ts";
import type { Trash } from "../trash/service.ts";
import type { AccountTree } from "../tree/account-tree.ts";
import { type Entry, ROOT, shownParent } from "../tree/entry.ts";
import type { Files } from "../tree/files.service.ts";
import type { Folders } from "../tree/folders.service.ts";
import type { Uploads } from "../uploads/service.ts";
import { type Checks, type DavChange, existing, fixed, missing } from "./checks.ts";
import type { DavLock, DavLocks, NewLock } from "./locks.ts";
import { pathOf, type SpotOf } from "./places.ts";
import { changed, type DeadProperty, isLive, type PropertyChange } from "./properties.ts";
import type { JsonLists } from "./repository.ts";

export type DavContent = {
  mimeType: string | undefined;
  length: number;
  body(readQueue: ReadQueue): AsyncIterable<Uint8Array>;
};

const EMPTY: DavContent = { mimeType: undefined, length: 0, body: async function* () {} };

type Deps = {
  tree: AccountTree;
  spotOf: SpotOf;
  checks: Checks;
  locks: DavLocks;
  properties: JsonLists<DeadProperty>;
  files: Pick<Files, "put">;
  folders: Pick<Folders, "create">;
  uploads: Pick<Uploads, "destination" | "checkSize" | "receive" | "readQueueAt">;
  trash: Pick<Trash, "putFile" | "putFolder">;
};

export type DavWrites = ReturnType<typeof createDavWrites>;

export function createDavWrites(deps: Deps) {
  const { tree, spotOf, locks, properties, files, folders, uploads, trash } = deps;
  const { checked } = deps.checks;

  /** Replaces the content of a file. */
  const put = (change: DavChange, content: DavContent, plan?: (tx: Db) => Promise<unknown>) =>
    checked(
      change,
      "self",
      async ({ entry, parentId }, finish) => {
        if (entry?.kind === "folder") throw notHere("A folder has no content.");
        const parent = existing(parentId);
        const accountId = change.place.tree;
        const destination = await uploads.destination(accountId, shownParent(parent));
        uploads.checkSize(destination, content.length);
        const { name, mimeType, stored } = await uploads.receive(destination, {
          name: change.place.names.at(-1)!,
          mimeType: content.mimeType,
          body: content.body(uploads.readQueueAt(destination)),
          isNumbered: true,
        });
        return finish(() => files.put({ accountId, parentId: parent, name, mimeType }, stored));
      },
      plan,
    );

  return {
    put,

    /** An address that is free gets an empty file. */
    async lock(change: DavChange, wanted: NewLock): Promise<{ lock: DavLock; isNew: boolean }> {
      let lock: DavLock | undefined;
      const accountId = change.place.tree;
      const take = async (tx: Db) => (lock = await locks.take(tx, accountId, wanted));
      const isNew = (await spotOf(change.place)).entry === null;
      if (isNew) await put(change, EMPTY, take);
      else
        await checked(change, "none", (_spot, finish) =>
          finish(() => tree.change(accountId, ({ db }) => take(db))),
        );
      return { lock: lock!, isNew };
    },

    makeFolder: (change: DavChange) =>
      checked(change, "member", async ({ entry, parentId }, finish) => {
        if (entry !== null) throw notHere("There is something of this name already.");
        const given = { name: change.place.names.at(-1)!, parentId: shownParent(existing(parentId)) };
        return finish(() => folders.create(change.place.tree, given));
      }),

    /** Into the trash. */
    remove: (change: DavChange) =>
      checked(
        change,
        "tree",
        async ({ entry }, finish) => {
          if (entry === null) throw missing();
          if (entry.id === ROOT) throw fixed();
          const trashed = entry.kind === "file" ? trash.putFile : trash.putFolder;
          await finish(() => trashed(change.place.tree, entry.id));
        },
        (tx) => locks.removeIn(tx, change.place.tree, pathOf(change.place)),
      ),

    /** All changes or none. Null if one of them is not allowed. */
    patch: (change: DavChange, changes: readonly PropertyChange[]): Promise<Entry | null> =>
      checked(change, "self", async ({ entry }, finish) => {
        if (entry === null) throw missing();
        if (entry.id === ROOT || changes.some(isLive)) return null;
        const { id } = entry;
        const write = async (db: Db) => {
          const dead = (await properties.of([id], db)).get(id) ?? [];
          await properties.set(db, new Map([[id, changed(dead, changes)]]));
        };
        await finish(() => tree.change(change.place.tree, ({ db }) => write(db)));
        return entry;
      }),
  };
}

const notHere = (message: string) => appError("MethodNotAllowed", message);
