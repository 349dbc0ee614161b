/** WebDAV over the trees of files. It stands beside the endpoint tables, because OpenAPI lacks its methods. */
import type { Auth } from "../../auth/auth.ts";
import type { Drive } from "../../files/drive.ts";
import type { Core } from "../../platform/core.ts";
import type { Platform, Room } from "../../platform/room-shape.ts";

export const davRoom = {
  name: "dav",
  isServerOnly: true,
  async start({ config, database }: Core, { auth, drive, bodies }: Platform & { auth: Auth; drive: Drive }) {
    const { createDavRoom } = await import("./dav.ts");
    const dav = createDavRoom({
      database,
      drive,
      prefix: `${config.get("routes.admin_prefix")}/dav`,
      identify: auth.tokenDoor,
      refuseForeign: auth.refuseForeign,
      bodies,
    });
    return { offers: {}, protocols: [dav] };
  },
} satisfies Room;
