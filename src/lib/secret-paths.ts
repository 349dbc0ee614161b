import { joinSlashes } from "./request-target.ts";

type Table = { prefix: string; endpoints: readonly { path: string }[] };

/** The beginnings of paths that a secret follows: of those with the parameter `token`. */
export const secretPathsIn = (tables: readonly Table[]): string[] =>
  tables.flatMap(({ prefix, endpoints }) =>
    endpoints.flatMap(({ path }) =>
      path.includes(":token") ? [prefix + path.slice(0, path.indexOf(":token"))] : [],
    ),
  );

/** Writes a path for a log. @param beginnings as secretPathsIn finds them */
export function withoutSecret(path: string, beginnings: readonly string[]): string {
  const joined = joinSlashes(path);
  const beginning = beginnings.find((one) => joined.startsWith(one));
  return beginning === undefined ? path : `${beginning}…`;
}
