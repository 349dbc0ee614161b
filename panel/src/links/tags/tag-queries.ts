import { answerOf, api, type TagCount } from "../../app/api.ts";

/** Onto another tag: merges them. */
export const renameTag = async (tag: string, name: string): Promise<TagCount> =>
  (await answerOf(api.PATCH("/admin/v1/tags/{tag}", { params: { path: { tag } }, body: { tag: name } })))
    .data;

export const deleteTag = (tag: string): Promise<unknown> =>
  answerOf(api.DELETE("/admin/v1/tags/{tag}", { params: { path: { tag } } }));

/** As the server stores it. */
export const storedTag = (text: string): string => text.normalize("NFC").toLowerCase().trim();
