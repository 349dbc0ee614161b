/**
 * The one list that names the rooms. They start in this order and close in the reverse one. A room gets `Core` and, as
 * its needs, what `Platform` and the rooms before it offer; an optional need may be missing. A room below `src/extras`
 * can be taken out: delete its folder and its lines here.
 */
import { authRoom } from "../auth/auth.room.ts";
import { analyticsRoom, clicksRoom, liveRoom } from "../clicks/clicks.room.ts";
import { acmeRoom } from "../extras/acme/acme.room.ts";
import { compatRoom, reservedPathsRoom } from "../extras/compat/compat.room.ts";
import { davRoom } from "../extras/dav/dav.room.ts";
import { importsRoom } from "../extras/imports/imports.room.ts";
import { mailRoom, noticesRoom, reportMailsRoom } from "../extras/mail/mail.room.ts";
import { mcpRoom } from "../extras/mcp/mcp.room.ts";
import { moveRoom } from "../extras/move/move.room.ts";
import { privacyRoom } from "../extras/privacy/privacy.room.ts";
import { streamRoom } from "../extras/stream/stream.room.ts";
import { successorRoom } from "../extras/successor/successor.room.ts";
import { upkeepRoom } from "../extras/upkeep/upkeep.room.ts";
import { webhooksRoom } from "../extras/webhooks/webhooks.room.ts";
import { filesRoom, sharesRoom, storageRoom } from "../files/files.room.ts";
import {
  domainsRoom,
  eventsRoom,
  linkApiRoom,
  linkCsvRoom,
  linksRoom,
  linkTableRoom,
} from "../links/links.room.ts";
import { configRoom } from "../platform/config/config.room.ts";
import type { Core } from "../platform/core.ts";
import { databaseRoom } from "../platform/db/db.room.ts";
import type { Platform, Room, RoomContext, Started } from "../platform/room-shape.ts";
import { redirectRoom } from "../redirect/redirect.room.ts";
import { reportsRoom } from "../reports/reports.room.ts";
import { visitorsRoom } from "../visitors/visitors.room.ts";
import { healthRoom } from "./health.room.ts";

const LIST = [
  databaseRoom,
  mailRoom,
  authRoom,
  configRoom,
  reservedPathsRoom,
  linksRoom,
  domainsRoom,
  eventsRoom,
  linkCsvRoom,
  storageRoom,
  noticesRoom,
  webhooksRoom,
  visitorsRoom,
  filesRoom,
  sharesRoom,
  streamRoom,
  analyticsRoom,
  reportsRoom,
  reportMailsRoom,
  linkApiRoom,
  importsRoom,
  privacyRoom,
  linkTableRoom,
  clicksRoom,
  redirectRoom,
  acmeRoom,
  liveRoom,
  healthRoom,
  davRoom,
  mcpRoom,
  compatRoom,
  upkeepRoom,
  successorRoom,
  moveRoom,
] as const;

/** The commands in the order of the help. Those of other rooms follow. */
export const HELP_ORDER =
  "serve reset-password users sessions teams tokens reset-secret-key config links tags events files shares drops storage domains certificates import mail webhooks analytics reports privacy migrate successor status doctor backup restore move".split(
    " ",
  );

/** The rooms in the order of the API, where the first endpoint that fits a request handles it. Others follow. */
export const API_ORDER =
  "auth live analytics reports report-mails csv imports mail webhooks domains events redirect link-api config privacy health mcp storage shares files".split(
    " ",
  );

type List = typeof LIST;
type OffersOf<R> = R extends { start(...args: never[]): Promise<{ offers: infer O }> } ? O : unknown;
type NeedsOf<R> = R extends { start(core: Core, needs: infer N, ...rest: never[]): unknown } ? N : unknown;
type ContextOf<R> = R extends { loadCommands(): Promise<(program: never, context: infer C) => unknown> }
  ? C
  : unknown;

/** What there is when all rooms of a list have started, or of a command those that are not for servers only. */
type After<L, Have, Only = never> = L extends readonly [infer R, ...infer Rest]
  ? After<Rest, R extends Only ? Have : Have & OffersOf<R>, Only>
  : Have;

/** The name of the first room whose needs the rooms before it do not offer, or never. */
type Lacking<L, Have> = L extends readonly [infer R extends Room, ...infer Rest]
  ? Have extends NeedsOf<R>
    ? Lacking<Rest, Have & OffersOf<R>>
    : R["name"]
  : never;

/** What a server has. */
export type House = After<List, Core & Platform>;
/** What commands get as services. */
export type Services = After<List, Core & Platform, { isServerOnly: true }>;

/** The name of a room whose commands need services that are not there, or never. */
type LackingCommands<R = List[number]> = R extends Room
  ? RoomContext<Services> extends ContextOf<R>
    ? never
    : R["name"]
  : never;

/** Does not compile if a room needs what is not there before it. */
export const ROOMS: [Lacking<List, Core & Platform> | LackingCommands] extends [never]
  ? readonly Room[]
  : Lacking<List, Core & Platform> | LackingCommands = LIST;

export type StartedRoom = Started & { name: string };

type Begun = ReturnType<NonNullable<Room["begin"]>>;

/** Begins what takes long in a start, before there is a database. */
export function beginRooms() {
  const begun = new Map<Room, Begun>();
  for (const room of ROOMS) if (room.begin !== undefined) begun.set(room, room.begin());
  return {
    of: (room: Room) => begun.get(room),
    terminate: () => begun.forEach((one) => void one.then((work) => work.terminate())),
  };
}

/** Starts the rooms one after the other. If one fails, closes those that have started. */
export async function startRooms<H extends Services>(
  core: Core,
  platform: Platform,
  begun?: ReturnType<typeof beginRooms>,
): Promise<{ house: H; rooms: StartedRoom[]; close(): Promise<void> }> {
  const house = { ...core, ...platform } as unknown as H;
  const rooms: StartedRoom[] = [];
  const close = async () => {
    for (const room of rooms.toReversed()) await room.close?.();
  };
  try {
    for (const room of ROOMS) {
      if (room.start === undefined || (room.isServerOnly && !platform.isServer)) continue;
      const started = await room.start(core, house as never, (await begun?.of(room)) as never);
      Object.assign(house, started.offers);
      rooms.push({ name: room.name, ...started });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { house, rooms, close };
}

/** Puts what rooms have into an order of names. */
export const sortedBy = <T>(
  items: readonly T[],
  order: readonly string[],
  nameOf: (item: T) => string,
): T[] => {
  const placeOf = (item: T) => order.indexOf(nameOf(item)) >>> 0;
  return items.toSorted((a, b) => placeOf(a) - placeOf(b));
};
