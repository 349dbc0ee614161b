/** Several files and folders that are one share. They stay where they are. */
import { appError } from "../../lib/errors.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { UsesInput } from "../../links/link/link.ts";
import type { Entry } from "../tree/entry.ts";
import type { PathsRepository } from "../tree/paths.repository.ts";
import type { WantedItems } from "./served.ts";

/** Ascending, each once. */
export const idsOfItems = (items: NonNullable<UsesInput["items"]>): number[] =>
  [...new Set(items.map(({ file_id, folder_id }) => (file_id ?? folder_id)!))].sort((a, b) => a - b);

type Deps = {
  repository: {
    entriesOf(ids: readonly number[], db?: Db): Promise<Entry[]>;
  };
  paths: Pick<PathsRepository, "pathsOf">;
};

export type SharedItems = ReturnType<typeof createSharedItems>;

export function createSharedItems({ repository, paths }: Deps) {
  /** Those of the account that are not in the trash or being removed. */
  async function found(accountId: number, ids: readonly number[], db?: Db): Promise<Entry[]> {
    if (ids.length === 0) return [];
    const entries = (await repository.entriesOf(ids, db)).filter((entry) => entry.accountId === accountId);
    const reached = await paths.pathsOf(
      accountId,
      entries.map(({ parentId }) => parentId),
      db,
    );
    return entries.filter(({ parentId }) => reached.has(parentId));
  }

  return {
    found,

    /** The ids, ascending. @throws FileNotFound if one is missing; of a past state, if all are */
    async checked(accountId: number, { ids, isPast }: WantedItems, db: Db): Promise<number[]> {
      const known = new Set((await found(accountId, ids, db)).map((entry) => entry.id));
      const missing = ids.find((one) => !known.has(one));
      if (known.size === 0 || (missing !== undefined && !isPast)) {
        throw appError("FileNotFound", `There is no file or folder with the id ${missing ?? 0}.`);
      }
      return ids.filter((one) => known.has(one));
    },
  };
}
