/** Share links, on top of drive.ts and the links. */
import type { Database } from "../db/database.ts";
import type { Db } from "../db/dialect.ts";
import type { Endpoint } from "../http/endpoint.ts";
import type { Clock } from "../lib/clock.ts";
import type { RecordEvents } from "../lib/event.ts";
import type { Logger } from "../lib/logger.ts";
import type { InternalLinks } from "../links/internal-links.ts";
import type { Blobs } from "./blobs/service.ts";
import type { Drive } from "./drive.ts";
import type { VisitorDoor } from "../visitors/door.ts";
import { createShareArchive } from "./shares/archive.routes.ts";
import { createShareDownload } from "./shares/download.routes.ts";
import { createShareAnswers, type ShareAnswers } from "./shares/public.routes.ts";
import { createSharesRepository } from "./shares/repository.ts";
import { shareEndpoints } from "./shares/routes.ts";
import { createShares, type Shares } from "./shares/service.ts";

export type Sharing = {
  shares: Shares;
  answers: ShareAnswers;
  /** Mount them at the root. */
  endpoints: readonly Endpoint[];
};

type Deps = {
  database: Pick<Database, "read" | "write" | "dialect">;
  record: RecordEvents<Db>;
  drive: Pick<Drive, "tree" | "folders" | "answerArchive">;
  blobs: Pick<Blobs, "open">;
  links: InternalLinks;
  door: Pick<VisitorDoor, "pages" | "cookies" | "shares">;
  clock: Clock;
  logger: Logger;
};

export function createSharing(deps: Deps): Sharing {
  const { database, record, drive, blobs, links, door, clock, logger } = deps;
  const { tree, folders } = drive;
  const { pages, cookies, shares: unlock } = door;
  const shares = createShares({
    tree,
    repository: createSharesRepository({ database, record }),
    links,
    clock,
  });
  return {
    shares,
    answers: createShareAnswers({
      shares,
      folders,
      download: createShareDownload({ shares, blobs, pages, logger }),
      archive: createShareArchive({ shares, answerArchive: drive.answerArchive, pages, logger }),
      cookies,
      unlock,
      pages,
      clock,
      logger,
    }),
    endpoints: shareEndpoints({ shares }),
  };
}
