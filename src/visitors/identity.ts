/** The instance's name, colour and logo, as settings say them now; and its icon, which is the logo or the mark. */
import { accentOf } from "../lib/accent.ts";
import { type Picture, pictureIn } from "../lib/picture.ts";
import { iconOf } from "./icon.ts";
import { MARK } from "./mark.ts";

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
