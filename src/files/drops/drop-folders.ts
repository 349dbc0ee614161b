/**
 * The folders of what visitors send: one for each sender if the box has them, and those that a visitor dropped. They are
 * made with the file, in its transaction.
 */
import type { Clock } from "../../lib/clock.ts";
import { shortSender } from "../../lib/short-sender.ts";
import type { AccountTree, TreeTransaction } from "../tree/account-tree.ts";
import { type EntriesRepository, nameConflict } from "../tree/entries.repository.ts";
import { MOST_LEVELS, newFolder } from "../tree/entry.ts";
import { freeNames, numberedName } from "../tree/free-name.ts";
import type { DropUpload } from "../uploads/drop-upload.ts";
import { type OpenDrop, dropRefusal } from "./drop.ts";
import { dropName } from "./drop-name.ts";
import type { DropsRepository } from "./repository.ts";

/** Names that are tried beside files. */
const MOST_NUMBERS = 32;

export type DropFoldersDeps = {
  tree: Pick<AccountTree, "folders">;
  entries: Pick<EntriesRepository, "child" | "insert" | "takenNames">;
  repository: DropsRepository;
  clock: Clock;
};

export function createDropFolders({ tree, entries, repository, clock }: DropFoldersDeps) {
  const make = ({ db }: TreeTransaction, { accountId }: OpenDrop, parentId: number, name: string) =>
    entries.insert(db, newFolder(accountId, parentId, name, clock.now()));

  /** The folder of that name. A number follows the name if a file has it. */
  async function enter(tx: TreeTransaction, box: OpenDrop, parentId: number, name: string): Promise<number> {
    for (let number = 1; number <= MOST_NUMBERS; number++) {
      const one = number === 1 ? name : numberedName(name, number);
      const found = await entries.child(box.accountId, parentId, one, tx.db);
      if (found === null) return make(tx, box, parentId, one);
      if (found.kind === "folder") return found.id;
    }
    throw nameConflict(name);
  }

  /** A sender without one, or whose folder was moved out of the box's, gets a new one. */
  async function folderOf(tx: TreeTransaction, box: OpenDrop, by: DropUpload): Promise<number> {
    const known = await repository.senderFolder(tx.db, box, by.sender);
    if (known !== null) return known;
    const name = dropName(by.senderName ?? by.senderEmail ?? `Sender ${shortSender(by.sender)}`);
    const [free] = await freeNames([{ parentId: box.folderId, name, isNumbered: true }], (parentId, names) =>
      entries.takenNames(tx.db, box.accountId, parentId, names),
    );
    const made = await make(tx, box, box.folderId, free!);
    await repository.setSenderFolder(tx.db, box, by.sender, made);
    return made;
  }

  /** The id of the folder for an upload. @throws the refusal of a path that is too deep */
  return async (tx: TreeTransaction, box: OpenDrop, upload: DropUpload): Promise<number> => {
    const names = upload.path?.split("/") ?? [];
    if (names.length === 0 && !box.senderFolders) return box.folderId;
    const above = await tree.folders(box.accountId, box.folderId, tx.db);
    if (above.length + 1 + names.length > MOST_LEVELS) throw dropRefusal("deep");
    let parentId = box.senderFolders ? await folderOf(tx, box, upload) : box.folderId;
    for (const name of names) parentId = await enter(tx, box, parentId, name);
    return parentId;
  };
}
