/** Moves from other products. */
import type { Drive } from "../../files/drive.ts";
import type { LinkService } from "../../links/links.service.ts";
import type { Core } from "../../platform/core.ts";
import type { Platform, Room } from "../../platform/room-shape.ts";
import { ROWS_COMMAND } from "./readers/rows-request.ts";

const DAY_MS = 86_400_000;

type Needs = Platform & {
  links: LinkService;
  routePrefixes(): readonly string[];
  drive: Drive;
  hashPassword(plain: string): Promise<string>;
};

export const importsRoom = {
  name: "imports",
  commands: { import: "import links, visits and files from another product" },
  setUpCommands: ["yourls", "kutt", "shlink", "sink", "dub", "bitly", "pingvin", "csv"].map(
    (name) => `import ${name}`,
  ),
  loadCommands: async () => (await import("./imports.commands.ts")).addImportCommands,
  processes: { [ROWS_COMMAND]: async () => (await import("./readers/rows-process.ts")).sendRows() },
  async start(
    core: Core,
    { env, box, leases, rollCall, events, isServer, links, routePrefixes, drive, hashPassword }: Needs,
  ) {
    const { clickPrivacy } = await import("../../clicks/details/privacy.ts");
    const { createDetailsParser } = await import("../../clicks/details/details.ts");
    const { dataPath } = await import("../../lib/data-folder.ts");
    const { createOutbound } = await import("../../lib/outbound.ts");
    const { createImports } = await import("./imports.ts");
    const { importEndpoints } = await import("./imports.routes.ts");
    const { config, clock, logger } = core;
    const imports = createImports({
      ...core,
      box,
      leases,
      hashPassword,
      routePrefixes,
      targetSchemes: () => config.get("links.targets.schemes"),
      files: drive.moved,
      keepEvent: events.keep,
      settle: rollCall.call,
      parser: createDetailsParser({ addresses: () => clickPrivacy(config).addresses }),
      settings: () => ({
        details: config.get("analytics.enable_detailed_logging"),
        privacy: clickPrivacy(config),
        logFrom: config.get("analytics.enable_auto_rollup")
          ? clock.now() - config.get("analytics.log_retention_days") * DAY_MS
          : 0,
        mostLogRows: config.get("analytics.max_log_rows"),
      }),
      validateTargets: links.validateTargets,
      fetchesTitles: () => config.get("features.fetch_titles"),
      randomCodeLength: () => config.get("features.random_code_length"),
      domains: links.domains,
      domainService: links.domainService,
      ownHost: () => URL.parse(config.get("features.public_url"))?.hostname ?? null,
      folder: dataPath(env.data.dir, "imports"),
      // Whoever runs commands reaches the network of this machine anyway.
      outbound: createOutbound(isServer ? {} : { isAllowed: () => true, ports: null }),
    });
    return {
      offers: { imports },
      endpoints: { api: importEndpoints({ imports, logger }) },
      jobs: [imports.job],
      close: imports.close,
    };
  },
} satisfies Room;
