import { MAKER_COMMAND } from "./files/thumbnails/frame.ts";

// The process that makes thumbnails loads nothing else.
if (process.argv[2] === MAKER_COMMAND) await (await import("./files/thumbnails/maker.ts")).makeThumbnails();
else process.exitCode = await (await import("./cli.ts")).runCli(process.argv.slice(2));
