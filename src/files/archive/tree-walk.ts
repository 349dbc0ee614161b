/**
 * Walks the entries below a folder, level by level, files before folders, in bounded queries. The caller keeps found
 * folders and returns them by `next`.
 */
import type { AfterChild, ArchiveRepository, Child } from "./repository.ts";

export type FoundFolder = { id: number; path: string };
export type FoundChild = { child: Child; parent: FoundFolder };

type Walk = {
  repository: Pick<ArchiveRepository, "children">;
  accountId: number;
  root: FoundFolder;
  /** The next folders to read; none at the end. */
  next(): Promise<readonly FoundFolder[]>;
};

/** Large, because a busy machine answers each query late. */
const ROWS = 2_500;
/** Folders in a query. */
const MOST_FOLDERS = 200;

/** Pages of children; those of one folder are consecutive. */
export async function* walkTree({ repository, accountId, root, next }: Walk): AsyncGenerator<FoundChild[]> {
  let waiting: readonly FoundFolder[] = [root];
  let most = 1;
  while (waiting.length > 0) {
    const folders = waiting.slice(0, most);
    let found = 0;
    for await (const page of childrenOf(repository, accountId, folders)) {
      found += page.length;
      yield page;
    }
    // As many folders as fill a page.
    most = Math.max(1, Math.min(MOST_FOLDERS, Math.floor(ROWS / (found / folders.length + 1))));
    waiting = waiting.slice(folders.length);
    if (waiting.length === 0) waiting = await next();
  }
}

async function* childrenOf(
  repository: Walk["repository"],
  accountId: number,
  folders: readonly FoundFolder[],
): AsyncGenerator<FoundChild[]> {
  const parents = new Map(folders.map((folder) => [folder.id, folder]));
  let left = [...parents.keys()].sort((one, other) => one - other);
  let after: AfterChild | null = null;
  while (left.length > 0) {
    const asked: number[] = after === null ? left : [left[0]!];
    const rows: Child[] = await repository.children(accountId, asked, after, ROWS);
    yield rows.map((child) => ({ child, parent: parents.get(child.parentId)! }));
    const last = rows.at(-1);
    if (rows.length === ROWS && last !== undefined) {
      left = left.filter((id) => id >= last.parentId);
      after = last;
    } else {
      left = after === null ? [] : left.slice(1);
      after = null;
    }
  }
}
