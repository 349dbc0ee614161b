/** From dropped or chosen files to running uploads. */
import { randomName } from "../../base/random-name.ts";
import type { Incoming } from "./incoming.ts";
import { tabName } from "./upload-tabs.ts";
import type { UploadRecord } from "./upload-record.ts";
import { type AskConflicts, planUploads } from "./upload-plan.ts";
import { MOST_KEPT_BYTES } from "./upload-store.ts";
import { giveAgain } from "./give-again.ts";
import { addUploads } from "./uploads.ts";

export type Beginning = {
  account: string;
  folder: number | null;
  team: string | undefined;
  ask: AskConflicts;
};

/** Folders are there when it resolves; the files follow, with these records. @throws ApiError */
export async function beginUploads(
  incoming: Incoming,
  { account, folder, team, ask }: Beginning,
): Promise<UploadRecord[]> {
  const files = incoming.files.filter(({ file }) => !giveAgain(file));
  const planned = await planUploads({ ...incoming, files }, { id: folder, team }, ask);
  if (planned === null) return [];
  const tab = await tabName();
  const added = planned.map(({ file, folders, source, sourcePath, ...place }) => {
    const record: UploadRecord = {
      ...place,
      id: randomName(),
      account,
      team: place.folder === null ? team : undefined,
      tab,
      path: [...folders, place.finalName].join("/"),
      size: file.size,
      type: file.type,
      lastModified: file.lastModified,
      tusId: null,
      isPaused: false,
      // A file whose bytes are kept needs no source.
      source: file.size > MOST_KEPT_BYTES ? source : null,
      sourcePath,
    };
    return { record, file };
  });
  addUploads(added);
  return added.map(({ record }) => record);
}
