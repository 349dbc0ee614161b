/** The signed file that serves the links of an installation that is gone. */
import type { Room } from "../../platform/room-shape.ts";

export const successorRoom = {
  name: "successor",
  commands: { successor: "a signed file from which a host of files, or serve --from, answers all codes" },
  loadCommands: async () => (await import("./successor.commands.ts")).addSuccessorCommands,
  extensions: { serve: async () => (await import("./serve.commands.ts")).addServeSource },
} satisfies Room;
