/**
 * Small pictures as data URLs: PNG, JPEG and WebP, whose kind and size the first bytes say. The content is not decoded;
 * browsers take no scripts from such a picture.
 */

export type Picture = {
  type: "image/png" | "image/jpeg" | "image/webp";
  bytes: Buffer<ArrayBuffer>;
  /** Pixels. */
  width: number;
  height: number;
};

const DATA_URL = /^data:image\/(?:png|jpeg|webp);base64,/;

/** Returns null unless the text is such a picture in canonical base64 with the type that it is of. */
export function pictureIn(dataUrl: string): Picture | null {
  const head = DATA_URL.exec(dataUrl)?.[0];
  if (head === undefined) return null;
  const bytes = Buffer.from(dataUrl.slice(head.length), "base64");
  const size = sizeOf(bytes);
  return size !== null && dataUrlOf({ ...size, bytes }) === dataUrl ? { ...size, bytes } : null;
}

export const dataUrlOf = ({ type, bytes }: Pick<Picture, "type" | "bytes">): string =>
  `data:${type};base64,${bytes.toString("base64")}`;

type Size = Omit<Picture, "bytes">;

function sizeOf(bytes: Buffer): Size | null {
  const text = bytes.toString("latin1", 0, 30);
  if (text.startsWith("\x89PNG\r\n\x1a\n") && text.startsWith("IHDR", 12) && bytes.length > 24)
    return { type: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (text.startsWith("\xff\xd8\xff")) return jpegSize(bytes);
  return text.startsWith("RIFF") && text.startsWith("WEBP", 8) && bytes.length >= 30 ? webpSize(bytes) : null;
}

/** Reads the first frame header. Segments before it say their lengths. */
function jpegSize(bytes: Buffer): Size | null {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame)
      return { type: "image/jpeg", width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  return null;
}

function webpSize(bytes: Buffer): Size | null {
  const type = "image/webp";
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { type, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const packed = bytes.readUInt32LE(21);
      return { type, width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { type, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}
