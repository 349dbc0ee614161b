/** Files: where content is stored, trees of folders, and the links through which people share them. */
import type { Command } from "commander";
import type { LinkService } from "../links/links.service.ts";
import type { CommandContext } from "../platform/cli/command.ts";
import type { Core } from "../platform/core.ts";
import type { Platform, Room } from "../platform/room-shape.ts";
import type { VisitorDoor } from "../visitors/door.ts";
import type { FileServices } from "./commands/place.commands.ts";
import type { Content } from "./content.ts";
import type { Drive } from "./drive.ts";
import type { ShareMail } from "./recipients/mails.ts";
import type { SharingDeps } from "./sharing.ts";
import { MAKER_COMMAND } from "./thumbnails/frame.ts";

/** Stored content, and the policies that choose the storage of an upload. */
export const storageRoom = {
  name: "storage",
  commands: { storage: "storage policies, and moves of their content" },
  loadCommands: async () => (await import("./moving/commands.ts")).addStorageCommands,
  setUpCommands: ["storage add"],
  processes: { [MAKER_COMMAND]: async () => (await import("./thumbnails/maker.ts")).makeThumbnails() },
  async start(core: Core, { env, box, leases, registry, isServer, step }: Platform) {
    const { createContent } = await import("./content.ts");
    const { createMoveMetrics } = await import("./moving/metrics.ts");
    const { createStorageMetrics } = await import("./storage/metrics.ts");
    const { registerStagedMetrics } = await import("./blobs/staged-metrics.ts");
    const { usedPaths } = await import("../platform/settings/env.ts");
    const content = createContent({
      ...core,
      box,
      processes: leases.processes,
      leases,
      locations: { dataDir: env.data.dir, roots: env.storage.localRoots, used: usedPaths(env) },
      metrics: createStorageMetrics(registry),
      moveMetrics: createMoveMetrics(registry),
    });
    await step(content.start);
    if (isServer) {
      void content.warnOfTroubles();
      content.thumbnails.keepTidy();
    }
    return {
      offers: { content },
      endpoints: { admin: content.endpoints },
      jobs: content.jobs,
      metrics: (to: Platform["registry"]) => registerStagedMetrics(to, content.staged),
      close: content.close,
    };
  },
} satisfies Room;

type FilesNeeds = Platform & { content: Content; carryFilesBy(transfers: Drive["transfers"]): void };

/** Folders and files of accounts and teams. */
export const filesRoom = {
  name: "files",
  commands: {
    files: "files and folders of an account or team",
    shares: "short links to files and folders",
    drops: "drop boxes: short links that take files into a folder",
  },
  setUpCommands: ["files put", "files mkdir"],
  async loadCommands() {
    const { addFileCommands } = await import("./commands/files.commands.ts");
    const { addShareCommands } = await import("./commands/shares.commands.ts");
    const { addDropCommands } = await import("./commands/drops.commands.ts");
    return (program: Command, context: CommandContext<FileServices>) => {
      addFileCommands(program, context);
      addShareCommands(program, context);
      addDropCommands(program, context);
    };
  },
  async start(core: Core, { content, leases, carryFilesBy }: FilesNeeds) {
    const { createDrive } = await import("./drive.ts");
    const drive = createDrive({ ...core, content, leases });
    carryFilesBy(drive.transfers);
    return {
      offers: { drive },
      endpoints: { root: drive.endpoints, admin: drive.adminEndpoints },
      jobs: drive.jobs,
    };
  },
} satisfies Room;

type NotifyDownload = SharingDeps["notifyDownload"];
type SharesNeeds = Platform & {
  content: Content;
  drive: Drive;
  links: LinkService;
  door: VisitorDoor;
  origins: { ofRequest: SharingDeps["originOf"]; prefixOf: SharingDeps["prefixOf"] };
  auth: {
    contacts: { get: ShareMail["senderOf"] };
  };
  mail?: { forShares: Omit<ShareMail, "senderOf"> };
  webhooks?: { downloaded: NotifyDownload };
  notices?: { downloaded: NotifyDownload };
};

/** Shares and drop boxes. */
export const sharesRoom = {
  name: "shares",
  async start(core: Core, { origins, auth, mail, webhooks, notices, ...needs }: SharesNeeds) {
    const { createSharing } = await import("./sharing.ts");
    const { NO_SHARE_MAIL } = await import("./recipients/mails.ts");
    const { config } = core;
    const sharing = createSharing({
      ...needs,
      ...core,
      originOf: origins.ofRequest,
      prefixOf: origins.prefixOf,
      rules: () => ({
        roles: config.get("files.share_policy.roles"),
        defaultDays: config.get("files.share_policy.default_days"),
        maxDays: config.get("files.share_policy.max_days"),
        password: config.get("files.share_policy.password"),
        maxDownloads: config.get("files.share_policy.max_downloads"),
        verify: config.get("files.share_policy.verify"),
        domains: config.get("files.share_policy.recipient_domains"),
        byRole: config.get("files.share_policy.by_role"),
      }),
      mail: {
        ...(mail?.forShares ?? NO_SHARE_MAIL),
        senderOf: auth.contacts.get,
      },
      secret: () => config.get("api.jwt_secret"),
      visitDays: () => config.get("analytics.log_retention_days"),
      visitPrivacy: () => ({
        keepsAgents:
          config.get("analytics.enable_detailed_logging") && config.get("privacy.keep_user_agents"),
        respectsSignals: config.get("privacy.respect_signals"),
      }),
      notifyDownload: async (share) => {
        await webhooks?.downloaded(share);
        await notices?.downloaded(share);
      },
    });
    return { offers: { sharing }, endpoints: { root: sharing.endpoints }, jobs: [sharing.visitJob] };
  },
} satisfies Room;
