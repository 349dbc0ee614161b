/** The APIs of other products, so that programs made for those can go on. Each is a table that maps to our API. */
import type { LinkService } from "../../links/links.service.ts";
import type { Core } from "../../platform/core.ts";
import type { Platform, Room } from "../../platform/room-shape.ts";

/** It starts before the links, which can't use these paths. */
export const reservedPathsRoom = {
  name: "reserved-paths",
  async start({ config }: Core) {
    const { pathsInUse } = await import("./paths.ts");
    return { offers: { reservedPaths: () => pathsInUse(config) } };
  },
} satisfies Room;

export const compatRoom = {
  name: "compat",
  isServerOnly: true,
  async start({ config }: Core, { api, bodies, links }: Platform & { links: LinkService }) {
    const { createForeignApis } = await import("./compat.ts");
    const protocols = createForeignApis({
      config,
      ask: (request, connection) => api.ask(request, connection),
      admin: config.get("routes.admin_prefix"),
      bodies,
      domains: links.domains,
    });
    return { offers: {}, protocols };
  },
} satisfies Room;
