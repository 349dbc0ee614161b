/** Run-time settings: their API and commands. The platform starts them before all rooms. */
import type { Core } from "../core.ts";
import type { Room } from "../room-shape.ts";
import type { ConfigDeps } from "./config.routes.ts";

export const configRoom = {
  name: "config",
  commands: { config: "show and change settings" },
  setUpCommands: ["config set", "config import"],
  loadCommands: async () => (await import("./config.commands.ts")).addConfigCommands,
  async start({ config }: Core, { auth }: { auth: { requireFactor: ConfigDeps["requireFactor"] } }) {
    const { configEndpoints } = await import("./config.routes.ts");
    const endpoints = configEndpoints({ config, requireFactor: auth.requireFactor });
    return { offers: {}, endpoints: { api: endpoints } };
  },
} satisfies Room;
