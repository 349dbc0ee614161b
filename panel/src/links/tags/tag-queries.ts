import { responseOf, api, type TagChangeResult } from "../../base/api.ts";

/** Merges with an existing tag of that name. */
export const renameTag = async (tag: string, name: string): Promise<TagChangeResult> =>
  (await responseOf(api.PATCH("/admin/v1/tags/{tag}", { params: { path: { tag } }, body: { tag: name } })))
    .data;

export const deleteTag = async (tag: string): Promise<TagChangeResult> =>
  (await responseOf(api.DELETE("/admin/v1/tags/{tag}", { params: { path: { tag } } }))).data;

/** Reports the change, with undo. */
export type OnTagChanged = (changed: TagChangeResult, message: string) => Promise<void>;

/** As the server stores it. */
export const storedTag = (text: string): string => text.normalize("NFC").toLowerCase().trim();
