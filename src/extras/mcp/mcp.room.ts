/** The Model Context Protocol: tools are chosen endpoints, calls are requests to the API in this process. */
import type { Auth } from "../../auth/auth.ts";
import type { Core } from "../../platform/core.ts";
import type { System } from "../../platform/health/system.service.ts";
import type { Platform, Room } from "../../platform/room-shape.ts";

export const mcpRoom = {
  name: "mcp",
  isServerOnly: true,
  async start(_: Core, { auth, system, api }: Platform & { auth: Auth; system: System }) {
    const { mcpEndpoint } = await import("./mcp.routes.ts");
    const endpoint = mcpEndpoint({
      tables: () => api.described().tables,
      ask: (request, connection) => api.ask(request, connection),
      refuseForeign: auth.refuseRebound,
      clicks: system.clicks,
    });
    return { offers: {}, endpoints: { api: [endpoint] } };
  },
} satisfies Room;
