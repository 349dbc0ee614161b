/** Share links and drop boxes, on top of drive.ts and the links. */
import type { Core } from "../platform/core.ts";
import { addressGroup } from "../lib/ip-address.ts";
import type { LinkService } from "../links/links.service.ts";
import type { Content } from "./content.ts";
import type { Drive } from "./drive.ts";
import type { VisitorDoor } from "../visitors/door.ts";
import { createDropResponses, type DropResponses } from "./drops/public.routes.ts";
import { createDropTus } from "./drops/tus.routes.ts";
import { createDrops, type Drops } from "./drops/service.ts";
import { createDropsRepository } from "./drops/repository.ts";
import { createFormReceiving } from "./drops/form.routes.ts";
import { createInFlight } from "./drops/gate.ts";
import { createSenders } from "./drops/sender.ts";
import { dropEndpoints } from "./drops/routes.ts";
import { createThumbnailResponse, thumbnailEndpoint } from "./thumbnails/routes.ts";
import { createShareDownloads } from "./shares/download.routes.ts";
import { createShareChanges } from "./serving/changes.ts";
import { pdfViewerEndpoint } from "./pdf/routes.ts";
import { ownerPreviewEndpoint, createSharePreview } from "./shares/preview.routes.ts";
import { createCodes } from "./recipients/codes.ts";
import { createRecipientDoor } from "./recipients/door.routes.ts";
import { createInvitations, type ShareMail } from "./recipients/mails.ts";
import { createVisitLog, type VisitLog } from "./recipients/visits.ts";
import { createVisitJob } from "./recipients/visits-job.ts";
import { servingEndpoints } from "./serving/routes.ts";
import { createSharedItems } from "./serving/plan.ts";
import { createPathsRepository } from "./tree/paths.repository.ts";
import { createShareResponses } from "./shares/public.routes.ts";
import { createShareRules, type ShareRuleSettings } from "./serving/rules.ts";
import { createSharesRepository } from "./shares/repository.ts";
import { createShares } from "./shares/service.ts";
import { createServingRepository } from "./serving/repository.ts";
import { createOwnedShares } from "./serving/service.ts";

export type SharingDeps = Core & {
  drive: Drive;
  content: Content;
  links: LinkService;
  /** Which limits the settings set. */
  rules(): ShareRuleSettings;
  door: VisitorDoor;
  originOf: Parameters<typeof createShareResponses>[0]["originOf"];
  prefixOf: Parameters<typeof createDropResponses>[0]["prefixOf"];
  mail: ShareMail;
  /** The secret that codes are hashed with; the same on all nodes. */
  secret(): string;
  /** How long visits are kept, and what of them. */
  visitDays(): number;
  visitPrivacy: Parameters<typeof createVisitLog>[0]["privacy"];
  notifyDownload: Parameters<typeof createShares>[0]["notifyDownload"];
};

export function createSharing(deps: SharingDeps) {
  const { database, record, drive, content, links, door, clock, logger } = deps;
  const { tree, trees, folders } = drive;
  const { blobs } = content;
  const { pages, shares: unlock } = door;
  const repository = createServingRepository({ database, record, stored: links.domains.stored });
  const rules = createShareRules({ settings: deps.rules, clock });
  const items = createSharedItems({ repository, paths: createPathsRepository(database) });
  const { recipients } = repository;
  const invitations = createInvitations({ mail: deps.mail, clock, filesOf: repository.filesOf });
  const shared = { tree, items, repository, links: links.internal, rules, invitations, clock };
  const owned = createOwnedShares(shared);
  const visits = createVisitLog({ repository: recipients, privacy: deps.visitPrivacy, clock });
  const shares = createShares({
    visits,
    tree,
    linked: drive.linked,
    items,
    clock,
    serving: repository,
    repository: createSharesRepository(database),
    notifyDownload: deps.notifyDownload,
  });
  const changes = createShareChanges({ ...shared, linksOf: links.by });
  const drops = createDrops({ ...shared, drops: createDropsRepository(database) });
  const respondWithThumbnail = createThumbnailResponse(content);
  const preview = createSharePreview({ blobs, clock, respondWithThumbnail, logger });
  const dropVisits = createDropVisits(deps, drops, visits);
  return {
    shares: owned,
    responses: createShareResponses({
      shares,
      folders,
      downloads: createShareDownloads({
        shares,
        blobs,
        clock,
        respondWithArchive: drive.respondWithArchive,
        pages,
        logger,
      }),
      preview,
      respondWithThumbnail,
      adding: dropVisits,
      unlock,
      recipients: createRecipientDoor({
        codes: createCodes({ ...deps, repository: recipients }),
        mailsAreSent: deps.mail.isOffered,
        door,
        clock,
      }),
      pages,
      originOf: deps.originOf,
      deviceOf: visits.deviceOf,
      logger,
    }),
    drops: dropVisits,
    dropBoxes: drops,
    /** Mount them at the root. */
    endpoints: [
      pdfViewerEndpoint,
      ownerPreviewEndpoint({ files: drive.files, trees, preview }),
      thumbnailEndpoint({ files: drive.files, trees, respondWithThumbnail }),
      ...servingEndpoints({ shares: owned, trees, changes, rules }),
      ...dropEndpoints({ drops, trees, changes }),
    ],
    changes,
    visitJob: createVisitJob({ repository: recipients, days: deps.visitDays, clock }),
  };
}

function createDropVisits(
  { drive, door, prefixOf, clock, logger }: SharingDeps,
  drops: Drops,
  visits: VisitLog,
): DropResponses {
  const { uploads, files, resumable, dropGate: gate } = drive;
  const { pages, bodies, clientAddress } = door;
  const senders = createSenders({ isSecure: door.isSecure });
  const inFlight = createInFlight({ clock });
  return createDropResponses({
    drops,
    visits,
    uploads,
    receiveForm: createFormReceiving({ drops, uploads, files, gate, inFlight }),
    tus: createDropTus({ resumable, senders, inFlight, bodies }),
    inFlight,
    senders,
    unlock: door.shares,
    pages,
    bodies,
    addressOf: (peer, forwardedFor) => addressGroup(clientAddress(peer, forwardedFor)),
    prefixOf,
    clock,
    logger,
  });
}
