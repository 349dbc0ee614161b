import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { TreeTransaction } from "../tree/account-tree.ts";
import { ROOT } from "../tree/entry.ts";
import type { Removal } from "../tree/removal.ts";
import type { MovedUndoRepository } from "./undo.repository.ts";

const AT_ONCE = 100;
/** Of folders that are gone. */
const ANYONE = 0;

type Deps = { repository: MovedUndoRepository; removal: Pick<Removal, "picked"> };

export function createMovedUndo({ repository, removal }: Deps) {
  /**
   * Removes folders that are as the move left them, and forgets the others. `tell` runs in the transaction, with the
   * number of files and the names of folders that stay because of what is in them. False: nothing is left.
   */
  return async function undoSome(
    importId: number,
    actor: Actor,
    tell: (tx: Db, done: { files: number; kept: readonly string[] }) => Promise<void>,
  ): Promise<boolean> {
    const found = await repository.next(importId, AT_ONCE);
    if (found.length === 0) return false;
    const accountId = found.find((folder) => folder.accountId !== null)?.accountId ?? ANYONE;
    const mine = found.filter((folder) => folder.accountId === accountId || folder.accountId === null);
    const ids = mine.map(({ id }) => id);
    const pick = async ({ db }: TreeTransaction) => {
      const unchanged = await repository.unchanged(db, importId, ids);
      const shared = await repository.shared(db, importId, ids);
      const going = ids.filter((id) => unchanged.has(id) && !shared.has(id));
      const kept = mine.filter(
        ({ id, parentId }) => parentId !== ROOT && !unchanged.has(id) && !shared.has(id),
      );
      await tell(db, {
        files: going.reduce((sum, id) => sum + unchanged.get(id)!, 0),
        kept: kept.flatMap(({ name }) => name ?? []),
      });
      await repository.forget(db, importId, ids);
      return going.map((id) => ({ id, kind: "folder" as const, blobId: null, size: 0 }));
    };
    await removal.picked(accountId, pick, { actor });
    return true;
  };
}
