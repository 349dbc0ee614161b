/** The instance's name, colour and logo, as settings say them now; and its icon, which is the logo or the mark. */
import { accentOf, channelsOf } from "../lib/accent.ts";
import { type Picture, pictureIn } from "../lib/picture.ts";
import { MARK, MARK_LINES, MARK_RADIUS, MARK_SIZE, MARK_STROKE } from "./mark.ts";
import { encode } from "fast-png";
import { remembered } from "../lib/remembered.ts";

export type IdentitySettings = {
  "features.instance_name": string;
  "features.accent_color": string;
  /** A data URL, or empty. */
  "features.logo": string;
  /** A URL, or empty, like the next one. */
  "privacy.imprint_url": string;
  "privacy.notice_url": string;
};

type Config = { get<K extends keyof IdentitySettings>(key: K): IdentitySettings[K] };

/** `version` changes with the picture. */
export type Logo = Picture & { version: string };
export type Icon = { type: string; bytes: Uint8Array<ArrayBuffer> };

export type Identity = ReturnType<typeof createIdentity>;

export function createIdentity(config: Config) {
  let last: { text: string; logo: Logo | null } = { text: "", logo: null };

  function logo(): Logo | null {
    const text = config.get("features.logo");
    if (last.text !== text) last = { text, logo: logoOf(text) };
    return last.logo;
  }

  const accentColor = () => config.get("features.accent_color");
  return {
    name: () => config.get("features.instance_name"),
    accentColor,
    logo,
    /** Empty: none. */
    imprint: () => config.get("privacy.imprint_url"),
    notice: () => config.get("privacy.notice_url"),

    /** A logo that is a square, of whatever size; else the mark. */
    icon(pixels: number, isMaskable = false): Icon {
      const shown = logo();
      if (shown?.width === shown?.height && shown !== null) return shown;
      return { type: "image/png", bytes: iconOf({ accentColor: accentColor(), pixels, isMaskable }) };
    },

    /** The logo; else the mark, sharp at every size. */
    mark(): Icon {
      const shown = logo();
      if (shown !== null) return shown;
      const { fill, onFill } = accentOf(accentColor());
      const svg = MARK.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
        .replace("<rect ", `<rect fill="${fill}" `)
        .replace("<path ", `<path fill="none" stroke="${onFill}" stroke-linecap="round" `);
      return { type: "image/svg+xml", bytes: new TextEncoder().encode(svg) };
    },
  };
}

function logoOf(text: string): Logo | null {
  const picture = pictureIn(text);
  const version = new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 12);
  return picture && { ...picture, version };
}

type Drawing = {
  /** `#` and six hexadecimal digits */
  accentColor: string;
  pixels: number;
  /** Without round corners: systems cut a shape of their own from it. */
  isMaskable?: boolean;
};

/** The mark of the pages as a PNG, because not every browser takes an SVG as icon. */
const iconOf = ({ accentColor, pixels, isMaskable = false }: Drawing): Uint8Array<ArrayBuffer> =>
  drawn([accentColor, pixels, isMaskable].join(" "));

const drawn = remembered(
  (icon) => {
    const [accentColor, pixels, isMaskable] = icon.split(" ") as [string, string, string];
    return draw(accentColor, Number(pixels), isMaskable === "true" ? 0 : MARK_RADIUS);
  },
  { most: 8 },
);

/** Edges are smooth: a pixel is covered as far as its centre is inside. Takes some milliseconds at 192 pixels. */
function draw(accentColor: string, pixels: number, radius: number): Uint8Array<ArrayBuffer> {
  const { fill, onFill } = accentOf(accentColor);
  const [ground, line] = [channelsOf(fill), channelsOf(onFill)];
  const scale = pixels / MARK_SIZE;
  const covered = (distance: number) => Math.min(1, Math.max(0, 0.5 - distance * scale));
  const data = new Uint8Array(pixels * pixels * 4);
  for (let row = 0, at = 0; row < pixels; row++) {
    const y = (row + 0.5) / scale;
    for (let column = 0; column < pixels; column++, at += 4) {
      const x = (column + 0.5) / scale;
      const onLine = covered(distanceToLines(x, y) - MARK_STROKE / 2);
      for (let channel = 0; channel < 3; channel++)
        data[at + channel] = Math.round(ground[channel]! + (line[channel]! - ground[channel]!) * onLine);
      data[at + 3] = Math.round(255 * covered(distanceToSquare(x, y, radius)));
    }
  }
  return encode({ width: pixels, height: pixels, data, channels: 4, depth: 8 }).slice();
}

/** Negative inside. */
function distanceToSquare(x: number, y: number, radius: number): number {
  const half = MARK_SIZE / 2;
  const dx = Math.abs(x - half) - (half - radius);
  const dy = Math.abs(y - half) - (half - radius);
  if (dx <= 0 || dy <= 0) return Math.max(dx, dy) - radius;
  return Math.sqrt(dx * dx + dy * dy) - radius;
}

function distanceToLines(x: number, y: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (const line of MARK_LINES) {
    const x1 = line[0];
    const y1 = line[1];
    const dx = line[2] - x1;
    const dy = line[3] - y1;
    const along = ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy);
    const part = Math.min(1, Math.max(0, along));
    const toX = x - x1 - part * dx;
    const toY = y - y1 - part * dy;
    least = Math.min(least, toX * toX + toY * toY);
  }
  return Math.sqrt(least);
}
