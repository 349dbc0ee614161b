/** Starts another process of this program: from its sources, or as the one-file executable. Add the arguments. */
import { fileURLToPath } from "node:url";

export const ownCommand = (): string[] =>
  import.meta.url.includes("/$bunfs/")
    ? [process.execPath]
    : [process.execPath, "--no-env-file", fileURLToPath(new URL("../main.ts", import.meta.url))];
