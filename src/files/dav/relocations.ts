/** MOVE and COPY. What is at the destination goes into the trash. */
import type { Db } from "../../db/dialect.ts";
import { appError } from "../../lib/errors.ts";
import type { Trash } from "../trash/service.ts";
import type { Copies } from "../tree/copies.ts";
import { type Entry, ROOT, shownParent } from "../tree/entry.ts";
import type { Files } from "../tree/files.service.ts";
import type { Folders } from "../tree/folders.service.ts";
import { type Checks, type DavChange, existing, failed, fixed, holderOf, missing } from "./checks.ts";
import { type DavLocks, requireTokens } from "./locks.ts";
import { type DavPlace, isBelow, pathOf, type SpotOf } from "./places.ts";
import type { DeadProperty } from "./properties.ts";
import type { JsonLists } from "./repository.ts";

export type DavTarget = { place: DavPlace; mayReplace: boolean; isDeep: boolean };

type Deps = {
  spotOf: SpotOf;
  checks: Checks;
  locks: DavLocks;
  properties: JsonLists<DeadProperty>;
  files: Pick<Files, "update">;
  folders: Pick<Folders, "update">;
  copies: Copies;
  trash: Pick<Trash, "putIn">;
};

export type Relocations = ReturnType<typeof createRelocations>;

export function createRelocations(deps: Deps) {
  const { spotOf, locks, properties, files, folders, copies, trash } = deps;
  const { checked } = deps.checks;

  async function clear(change: DavChange, { place, mayReplace }: DavTarget, tx: Db): Promise<void> {
    const { entry } = await spotOf(place, tx);
    if (entry !== null && !mayReplace) {
      throw failed("There is something at the destination, and Overwrite is F.");
    }
    const reach = entry === null ? "member" : "tree";
    requireTokens(await locks.of(place.tree, tx), { path: pathOf(place), reach }, holderOf(change));
    if (entry !== null) await trash.putIn(tx, entry);
  }

  /** @throws FileNotFound, Forbidden, Conflict */
  async function between({ place }: DavChange, entry: Entry | null, to: DavTarget) {
    const [from, into] = [pathOf(place), pathOf(to.place)];
    if (entry === null) throw missing();
    if (entry.id === ROOT || into === "") throw fixed();
    if (to.place.tree !== place.tree) {
      throw appError("Forbidden", "Between your files and those of a team, download and upload instead.");
    }
    if (into === from) throw appError("Forbidden", "Source and destination are the same.");
    if (isBelow(from, into)) throw appError("Conflict", "The destination holds the source.");
    const { entry: former, parentId } = await spotOf(to.place);
    return { entry, isNew: former === null, parentId: existing(parentId), name: to.place.names.at(-1)! };
  }

  async function copyProperties(tx: Db, ids: ReadonlyMap<number, number>): Promise<void> {
    const stored = await properties.of([...ids.keys()], tx);
    await properties.set(tx, new Map([...stored].map(([id, some]) => [ids.get(id)!, some])));
  }

  return {
    /** Returns whether the destination was free. */
    move: (change: DavChange, to: DavTarget): Promise<boolean> =>
      checked(
        change,
        "tree",
        async (spot, finish) => {
          const { entry, isNew, name, parentId: into } = await between(change, spot.entry, to);
          const [{ tree }, parentId] = [change.place, shownParent(into)];
          await finish<unknown>(() =>
            entry.kind === "file"
              ? files.update(tree, entry.id, { name, folderId: parentId })
              : folders.update(tree, entry.id, { name, parentId }),
          );
          return isNew;
        },
        async (tx) => {
          await clear(change, to, tx);
          await locks.removeIn(tx, change.place.tree, pathOf(change.place));
        },
      ),

    /** Returns whether the destination was free. */
    copy: (change: DavChange, to: DavTarget): Promise<boolean> =>
      checked(
        change,
        "none",
        async (spot, finish) => {
          const { entry, isNew, name, parentId } = await between(change, spot.entry, to);
          const copying = { id: entry.id, parentId, name, isDeep: to.isDeep, alongside: copyProperties };
          await finish(() => copies.copy(change.place.tree, copying));
          return isNew;
        },
        (tx) => clear(change, to, tx),
      ),
  };
}
