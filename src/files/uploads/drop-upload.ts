/** What uploads know of strangers' uploads into drop boxes (files/drops/). */
import type { TreeTransaction } from "../tree/account-tree.ts";
import type { StoredFile } from "../tree/entry.ts";

/** Who sends a file into a drop box. */
export type DropSender = {
  linkId: number;
  /** Hash of the visitor's cookie. */
  sender: string;
  senderName: string | null;
  senderEmail: string | null;
};

/** Who uploads in several requests. */
export type DropUploader = DropSender & {
  /** Hash of the visitor's network address. */
  address: string;
  /** Names of the folders around the file, joined by "/"; null without. */
  path: string | null;
};

/** Without a sender, knowing the upload's id suffices. `most`: bytes of the largest file that the box takes now. */
export type DropVisitor = { linkId: number; sender: string | null; most?: number };

/** What unfinished uploads into a box take: of all senders, of one, and of one address. */
export type UnfinishedInDrop = { count: number; bytes: number; ofSender: number; ofAddress: number };

export type DropUpload = DropSender & {
  /** The box's, when the upload began. */
  folderId: number;
  /** The name that the sender gets to know. */
  name: string;
  /** As of DropUploader. */
  path: string | null;
};

/** The limits of the boxes. Both run in transactions that hold the account's tree. */
export type DropGate = {
  /** Called before an upload begins. @throws if the box does not take so much */
  admit(
    tx: TreeTransaction,
    upload: DropSender & { parentId: number; size: number },
    unfinished: UnfinishedInDrop,
  ): Promise<void>;
  /** What runs with the transaction that makes the file: finds its folder, then reserves its place in the box. */
  receive(upload: DropUpload): {
    /** The id of the folder, which it makes if there is none. @throws if the box has ended, or the path is too deep */
    place(tx: TreeTransaction): Promise<number>;
    /** @throws if the box has no place for it */
    alongside(tx: TreeTransaction, file: StoredFile): Promise<void>;
  };
};
