/** What is stored of a person, and what is stored at all. */
import type { Auth } from "../../auth/auth.ts";
import type { Drive } from "../../files/drive.ts";
import type { Core } from "../../platform/core.ts";
import type { Platform, Room } from "../../platform/room-shape.ts";
import type { VisitorDoor } from "../../visitors/door.ts";
import type { PrivacyDeps } from "./privacy.service.ts";

type Needs = Platform & { auth: Auth; drive: Drive; door: VisitorDoor; stream?: PrivacyDeps["stream"] };

export const privacyRoom = {
  name: "privacy",
  commands: { privacy: "what is stored of a person: by an address, an account, or a name in a drop box" },
  loadCommands: async () => (await import("./privacy.commands.ts")).addPrivacyCommands,
  async start(core: Core, { auth, drive, door, rollCall, stream = null }: Needs) {
    const { createPrivacy } = await import("./privacy.service.ts");
    const { privacyEndpoints } = await import("./privacy.routes.ts");
    const { storedBy } = await import("./stored.ts");
    const privacy = createPrivacy({
      ...core,
      stream,
      senderFolders: drive.senderFolders,
      settle: rollCall.call,
      removeAccount: auth.users.remove,
    });
    const endpoints = privacyEndpoints({
      privacy,
      requireFactor: auth.requireFactor,
      stored: storedBy(core.config, stream !== null),
      pages: door.pages,
      logger: core.logger,
    });
    return { offers: { privacy }, endpoints: { api: endpoints } };
  },
} satisfies Room;
