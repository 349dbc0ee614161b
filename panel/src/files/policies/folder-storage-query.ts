import { queryOptions } from "@tanstack/react-query";
import { responseOf, api, type FolderContents } from "../../base/api.ts";
import type { Step } from "../file-queries.ts";

export type FolderStorage = {
  /** Null: the folder inherits. */
  own: number | null;
  /** What it inherits: from the nearest folder above that names a storage. Null: the default. */
  above: { policy: number; from: Step } | null;
};

const contentsOf = async (id: number, signal: AbortSignal): Promise<FolderContents> =>
  (await responseOf(api.GET("/folders/{id}", { params: { path: { id }, query: { limit: 1 } }, signal })))
    .data;

export const folderStorageQuery = (id: number) =>
  queryOptions({
    queryKey: ["files", "storage", id],
    async queryFn({ signal }): Promise<FolderStorage> {
      const { folder, path } = await contentsOf(id, signal);
      const own = folder?.policy_id ?? null;
      for (const from of path.slice(0, -1).toReversed()) {
        const policy = (await contentsOf(from.id, signal)).folder?.policy_id ?? null;
        if (policy !== null) return { own, above: { policy, from } };
      }
      return { own, above: null };
    },
  });

/** Null: the folder inherits. */
export const storeFolder = (id: number, policy: number | null): Promise<unknown> =>
  responseOf(api.PATCH("/folders/{id}", { params: { path: { id } }, body: { policy_id: policy } }));
