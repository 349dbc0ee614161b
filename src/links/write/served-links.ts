/** A link that serves files is changed and deleted by who may change those files. Administrators take it down. */
import { type Actor, mayChangeFiles } from "../../lib/actor.ts";
import { type AppError, appError } from "../../lib/errors.ts";
import { codeOf } from "../link/key.ts";

const boundRefusal = (key: string): AppError =>
  appError(
    "Forbidden",
    `The API token reaches one folder only; change what "${codeOf(key)}" serves at /shares.`,
  );

/** Why the actor may not change the link with this key. @param filesOwner undefined: it serves no files any more */
export function servedRefusal(actor: Actor, key: string, filesOwner: number | undefined): AppError | null {
  if (filesOwner === undefined) return null;
  if (!mayChangeFiles(actor, filesOwner)) {
    const others = `"${codeOf(key)}" serves files of another account or team, which alone changes and ends it.`;
    return appError("Forbidden", actor.ownOnly ? others : `${others} You can take it down.`);
  }
  const { scopes, folderId = null } = actor;
  if (folderId !== null) return boundRefusal(key);
  if (scopes === undefined || scopes.includes("files:write")) return null;
  return appError(
    "Forbidden",
    `"${codeOf(key)}" serves files, and the API token lacks the scope files:write.`,
  );
}
