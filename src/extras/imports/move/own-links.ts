/** Clicks of links that are here already, as a successor brings them: by today's codes, aliases included. */
import type { Database } from "../../../platform/db/database.ts";
import type { Db } from "../../../platform/db/dialect.ts";
import { AppError } from "../../../lib/errors.ts";
import { createAliasRepository } from "../../../links/write/rows.repository.ts";
import { createVisitsRepository } from "./visits.repository.ts";
import type { SourceVisit } from "../readers/reader.ts";
import type { Note } from "./state.ts";

type Deps = {
  database: Pick<Database, "read" | "dialect">;
  /** @throws BadRequest for an unknown host */
  keyOf(code: string, host: string | undefined): string;
};

type Visit = { code: string; sourceKey: string; visit: SourceVisit };

const isOurs = <V extends Visit>(one: V | Note): one is V => !("kind" in one) && one.visit.isOurs === true;

export function createOwnLinks({ database, keyOf }: Deps) {
  const repository = createVisitsRepository(database);
  const aliases = createAliasRepository(database);

  function keyIn({ code, visit }: Visit): string {
    try {
      return keyOf(code, visit.domain);
    } catch (error) {
      if (error instanceof AppError) return "";
      throw error;
    }
  }

  /** Names each visit by the id of its link, so that two codes of one link are one. Unknown ones stay as they are. */
  return async function named<V extends Visit>(
    db: Db,
    portion: readonly (V | Note)[],
  ): Promise<{ portion: readonly (V | Note)[]; ids: number[] }> {
    const keys = new Map(portion.filter(isOurs).map((one) => [one, keyIn(one)]));
    const asked = [...new Set(keys.values())];
    if (asked.length === 0) return { portion, ids: [] };
    const ids = new Map([...(await aliases.among(asked, db)), ...(await repository.idsOf(db, asked))]);
    return {
      ids: [...new Set(ids.values())],
      portion: portion.map((one) => {
        const id = isOurs(one) ? ids.get(keys.get(one)!) : undefined;
        return id === undefined ? one : { ...one, sourceKey: String(id) };
      }),
    };
  };
}
