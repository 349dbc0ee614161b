/** Upkeep of an installation: status, doctor, backup and restore. */
import type { Room } from "../../platform/room-shape.ts";

export const upkeepRoom = {
  name: "upkeep",
  commands: {
    "reset-secret-key": "when the secret key is lost on all nodes and in all backups: go on with another one",
    status: "print the state of this installation; exit code 5 when the database is away",
    doctor: "check every part of this installation and advise what to do; exit code 1 on a failure",
    backup: "copy database, keys and stored files into a new folder; servers may run",
    restore:
      "restore a backup into the data folder of these settings, or finish an interrupted restore; stop servers first",
  },
  async loadCommands() {
    const { addKeyCommand } = await import("./key.commands.ts");
    const { addStatusCommand } = await import("./status.commands.ts");
    const { addDoctorCommand } = await import("./doctor.commands.ts");
    const { addBackupCommands } = await import("./backup.commands.ts");
    type Context = Parameters<typeof addKeyCommand>[1] &
      Parameters<typeof addStatusCommand>[1] &
      Parameters<typeof addDoctorCommand>[1] &
      Parameters<typeof addBackupCommands>[1];
    return (program: Parameters<typeof addKeyCommand>[0], context: Context) => {
      for (const add of [addKeyCommand, addStatusCommand, addDoctorCommand, addBackupCommands]) {
        add(program, context);
      }
    };
  },
  checkFolder: async (dataDir: string) => (await import("./restore-state.ts")).refuseDuringRestore(dataDir),
} satisfies Room;
