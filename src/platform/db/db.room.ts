/** The commands of the database. */
import type { Room } from "../room-shape.ts";

export const databaseRoom = {
  name: "database",
  commands: { migrate: "show or update the database schema" },
  setUpCommands: ["migrate up"],
  loadCommands: async () => (await import("./migrate.commands.ts")).addMigrateCommands,
} satisfies Room;
