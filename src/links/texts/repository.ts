import type { Database } from "../../db/database.ts";
import { END, SEPARATOR } from "./blocks.ts";

export type TextsRepository = ReturnType<typeof createTextsRepository>;

/** For blocks.ts. `texts` may lack the last of `links` links if they are long. */
export type TextsRead = { texts: string; links: number };

export function createTextsRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  const texts = () =>
    read
      .selectFrom("links")
      .select((eb) => [
        dialect.joinLinkTexts(SEPARATOR, END).as("texts"),
        eb.fn.countAll<number>().as("links"),
      ]);
  const executed = async (query: ReturnType<typeof texts>): Promise<TextsRead> => {
    const found = await query.executeTakeFirstOrThrow();
    return { texts: found.texts ?? "", links: Number(found.links) };
  };

  return {
    foldsOnlyAscii: dialect.foldsOnlyAscii,

    between: (from: number, to: number): Promise<TextsRead> =>
      executed(texts().where((eb) => eb.between("links.id", from, to))),
    /** At most 1,000. */
    of: (ids: readonly number[]): Promise<TextsRead> => executed(texts().where("links.id", "in", ids)),
  };
}
