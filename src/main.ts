import { ROOMS } from "./server/rooms.ts";

// A process of a room's own loads nothing else.
const own = ROOMS.map(({ processes }) => processes?.[process.argv[2] ?? ""]).find((run) => run !== undefined);
if (own !== undefined) await own();
else process.exitCode = await (await import("./server/cli.ts")).runCli(process.argv.slice(2));
