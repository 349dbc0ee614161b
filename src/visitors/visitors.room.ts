/** What visitors of links and shares see: pages, forms for passwords, cookies. */
import type { Core } from "../platform/core.ts";
import type { Platform, Room } from "../platform/room-shape.ts";
import type { DoorDeps } from "./door.ts";

type Needs = Platform & { auth: DoorDeps["guards"]; links: { renewHash: DoorDeps["renewHash"] } };

export const visitorsRoom = {
  name: "visitors",
  async start(core: Core, { auth, links, bodies }: Needs) {
    const { createVisitorDoor } = await import("./door.ts");
    const { createIdentity } = await import("./identity.ts");
    const identity = createIdentity(core.config);
    const { renewHash } = links;
    return { offers: { door: createVisitorDoor({ ...core, guards: auth, renewHash, identity, bodies }) } };
  },
} satisfies Room;
