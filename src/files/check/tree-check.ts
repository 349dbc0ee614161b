/**
 * Checks that every entry lies in a folder of its account, no folder lies in itself, and the sums of versions and usage
 * are right. It may run beside a server: it looks twice before it reports. `fix` corrects sums; the service can't cause
 * the other problems.
 */
import { pagesAfter } from "../../lib/pages.ts";
import type { Database } from "../../platform/db/database.ts";
import { NOBODY } from "../../lib/owner.ts";
import type { StorageCheck } from "./storage-report.ts";
import type { TreeCheckRepository } from "./tree.repository.ts";

const PAGE = 500;

type Options = Parameters<StorageCheck>[0];

type Deps = { database: Database; repository: TreeCheckRepository };

export function createTreeCheck({ database, repository }: Deps): StorageCheck {
  async function* strays(): ReturnType<StorageCheck> {
    for await (const page of pagesAfter(0, PAGE, repository.strays, ({ id }) => id)) {
      for (const { id, accountId, kind, name, parentId } of page) {
        const [still] = await repository.strays(id - 1, 1);
        if (still?.id !== id) continue;
        const message = `The ${kind} '${name}' (${id} of account ${accountId}) is in ${parentId}, which is not one of the account's folders.`;
        yield { problem: "lost_entry", message, fixed: false };
      }
    }
  }

  async function* circles({ signal, onProgress }: Options): ReturnType<StorageCheck> {
    const total = onProgress === undefined ? 0 : await repository.countFolders();
    if (total === 0) onProgress?.("folders", 0, 0);
    let done = 0;
    for await (const page of pagesAfter(0, PAGE, repository.folders, ({ id }) => id)) {
      signal?.throwIfAborted();
      done += page.length;
      onProgress?.("folders", done, total);
      const suspects = await repository.endless(page[0]!.id, page.at(-1)!.id);
      for (const { id, accountId, name } of page.filter((folder) => suspects.has(folder.id))) {
        if (!(await repository.endless(id, id)).has(id)) continue;
        const message = `The folder '${name}' (${id} of account ${accountId}) is inside itself.`;
        yield { problem: "folder_cycle", message, fixed: false };
      }
    }
  }

  async function* versions(fix: boolean): ReturnType<StorageCheck> {
    for await (const page of pagesAfter(0, PAGE, repository.wrongVersions, ({ id }) => id)) {
      for (const { id, accountId, name, recorded, sum } of page) {
        const [still] = await repository.wrongVersions(id - 1, 1);
        if (still?.id !== id) continue;
        if (fix) await database.transaction((tx) => repository.countVersions(tx, accountId, id));
        const message = `File '${name}' (${id} of account ${accountId}) has recorded ${recorded} bytes of versions, but its versions have ${sum}.`;
        yield { problem: "wrong_usage", message, fixed: fix };
      }
    }
  }

  async function* usages(fix: boolean): ReturnType<StorageCheck> {
    for await (const page of pagesAfter(NOBODY, PAGE, repository.usages, ({ accountId }) => accountId)) {
      for (const { accountId } of page.filter(({ recorded, sum }) => recorded !== sum)) {
        const { recorded, sum } = await database.transaction(async (tx) => {
          const counted = await repository.countUsage(tx, accountId);
          if (fix && counted.recorded !== counted.sum) await repository.setUsage(tx, accountId, counted.sum);
          return counted;
        });
        if (recorded === sum) continue;
        const message = `Account ${accountId} has a recorded use of ${recorded} bytes, but its files have ${sum}.`;
        yield { problem: "wrong_usage", message, fixed: fix };
      }
    }
  }

  return async function* (options) {
    yield* strays();
    yield* circles(options);
    yield* versions(options.fix);
    yield* usages(options.fix);
  };
}
