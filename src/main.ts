import { MAKER_COMMAND } from "./files/thumbnails/frame.ts";
import { ROWS_COMMAND } from "./extras/imports/readers/rows-request.ts";

// The process that makes thumbnails loads nothing else.
if (process.argv[2] === MAKER_COMMAND) await (await import("./files/thumbnails/maker.ts")).makeThumbnails();
// Nor does the one that reads databases of others.
else if (process.argv[2] === ROWS_COMMAND)
  await (await import("./extras/imports/readers/rows-process.ts")).sendRows();
else process.exitCode = await (await import("./server/cli.ts")).runCli(process.argv.slice(2));
