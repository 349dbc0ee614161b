/** The data folder of `waymark serve --from FILE`: beside the bundle, made from it at the first start. */
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { dataPath } from "../../lib/data-folder.ts";
import { appError } from "../../lib/errors.ts";
import { readDatabase, withBundle } from "./bundle.ts";

const markSchema = z.object({
  /** The mark by which clicks are imported once. */
  id: z.uuid(),
  bundle: z.string(),
  made_at: z.iso.datetime(),
});
export type Mark = z.output<typeof markSchema>;

export const successorFolder = (bundle: string): string => `${resolve(bundle)}.data`;

/** Reads the mark, if there is one. @throws BadRequest if it is damaged */
export function readMark(folder: string): Mark | null {
  const path = dataPath(folder, "successor");
  if (!existsSync(path)) return null;
  try {
    return markSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    throw appError("BadRequest", `${path} is damaged.`, { cause });
  }
}

/** Checks the bundle, and makes its folder unless it is there. Call it in one process at a time. @throws BadRequest */
export async function prepareFolder(
  path: string,
  key: string | undefined,
): Promise<Mark & { publicKey: string }> {
  return withBundle(path, key, async (bundle) => {
    const { publicKey } = bundle;
    const folder = successorFolder(path);
    const known = readMark(folder);
    if (known?.bundle === bundle.id) return { ...known, publicKey };
    if (existsSync(folder)) {
      const whose =
        known === null ? "is no successor's" : `belongs to a bundle of ${known.made_at}, and has its clicks`;
      throw appError("Conflict", `${folder} ${whose}. Bring its clicks back, then move it away.`);
    }
    const unfinished = `${folder}.part`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { mode: 0o700 });
    const madeAt = await readDatabase(bundle, dataPath(unfinished, "database"));
    const mark: Mark = { id: randomUUID(), bundle: bundle.id, made_at: madeAt.toISOString() };
    await writeFile(dataPath(unfinished, "successor"), `${JSON.stringify(mark)}\n`, {
      mode: 0o600,
      flush: true,
    });
    await rename(unfinished, folder);
    return { ...mark, publicKey };
  });
}
