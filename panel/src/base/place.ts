import { ACCENT } from "../../../src/lib/tokens.ts";

/** Addresses of the panel and the API, which the server wrote into the page (src/platform/panel/panel.ts). */
type Place = {
  /** From the panel's base to the root of the server, such as `../`. */
  root: string;
  /** `routes.admin_prefix` */
  admin: string;
  instanceName: string;
  /** `features.accent_color` */
  accentColor: string;
  /** Changes with the logo and the colour. */
  icons: string;
  /** Whether a password is set. */
  isSetUp: boolean;
  /** Whether visitors have to give the passwords of links. */
  asksPasswords: boolean;
  /** `analytics.time_zone` */
  timeZone: string;
  /** Whether codes of the default domain are compared without case. */
  ignoresCase: boolean;
  /** Whether mails with links into the panel can be sent. */
  sendsMails: boolean;
  /** The names of the rooms that the server's program has; null: all. */
  rooms: readonly string[] | null;
  /** Text of the button for OpenID Connect (null: none; empty: a usual one), and whether a password does it. */
  signIn: { oidc: string | null; password: boolean };
};

const DEVELOPMENT: Place = {
  root: "./",
  admin: "/admin",
  instanceName: "Waymark",
  accentColor: ACCENT,
  icons: "",
  isSetUp: true,
  asksPasswords: true,
  timeZone: "UTC",
  ignoresCase: false,
  sendsMails: false,
  rooms: null,
  signIn: { oidc: null, password: true },
};

function readPlace(page: ParentNode): Place {
  const content = page.querySelector<HTMLMetaElement>("meta[name=waymark]")?.content;
  return content === undefined ? DEVELOPMENT : { ...DEVELOPMENT, ...(JSON.parse(content) as Partial<Place>) };
}

const place = readPlace(document);

export const WAS_SET_UP = place.isSetUp;
export const SIGN_IN = place.signIn;
export const REQUESTED_PASSWORDS = place.asksPasswords;
/** Whose days and hours reports count in, as the last answer about them said. */
export let TIME_ZONE = place.timeZone;

/** Takes the zone of an answer. True if it is another one: then what was asked before is about other days. */
export function followTimeZone(zone: string): boolean {
  const isAnother = zone !== TIME_ZONE;
  TIME_ZONE = zone;
  return isAnother;
}

export const SENDS_MAILS = place.sendsMails;
/** Whether the server's program has the room of that name. Extras may be missing. */
export const hasRoom = (name: "imports" | "mail" | "webhooks"): boolean =>
  place.rooms === null || place.rooms.includes(name);
export const INSTANCE_NAME = place.instanceName;
/** Path of the panel, with a slash at its end. */
export const PANEL_PATH = new URL(".", document.baseURI).pathname;
/** Address of the server's root, without a slash at its end. */
export const SERVER_URL = new URL(place.root, document.baseURI).href.replace(/\/$/, "");
export const ACCENT_COLOUR = place.accentColor;
/** The instance's logo, or its mark. */
export const MARK_URL = `${PANEL_PATH}mark?v=${place.icons}`;
export const ADMIN_PREFIX = place.admin;

/** As the server would write it into the page now; null when it does not answer with the page. */
export async function placeNow(signal: AbortSignal): Promise<Place | null> {
  const response = await fetch(PANEL_PATH, { headers: { Accept: "text/html" }, cache: "no-store", signal });
  const text = await response.text();
  return response.ok ? readPlace(new DOMParser().parseFromString(text, "text/html")) : null;
}
