/** A copy of click details in ClickHouse. */
import type { LinkService } from "../../links/links.service.ts";
import type { Core } from "../../platform/core.ts";
import type { Platform, Room } from "../../platform/room-shape.ts";
import { STREAM_SETTINGS } from "./stream-settings.ts";

export const streamRoom = {
  name: "stream",
  settings: [STREAM_SETTINGS],
  async start(
    { database, clock }: Core,
    { env, links, isServer, registry }: Platform & { links: LinkService },
  ) {
    const { sectionOf } = await import("../../platform/settings/env-settings.ts");
    const { url } = sectionOf(env, STREAM_SETTINGS);
    if (url === null || env.isSuccessor) return { offers: { stream: null } };
    const { createClickStream } = await import("./stream.ts");
    const { registerStreamMetrics } = await import("./stream.ts");
    const stream = createClickStream({ database, url, nameOf: links.domains.nameOf, clock });
    if (isServer) registerStreamMetrics(registry, stream);
    return { offers: { stream } };
  },
} satisfies Room;
