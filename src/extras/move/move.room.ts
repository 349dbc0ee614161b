/** Moves of the whole database to another one while servers run. */
import type { Room } from "../../platform/room-shape.ts";

export const moveRoom = {
  name: "move",
  commands: {
    move: "move everything in the database to another, empty one while servers run; run again to continue",
  },
  loadCommands: async () => (await import("./move.commands.ts")).addMoveCommand,
} satisfies Room;
