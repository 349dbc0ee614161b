/** Pictures that somebody chooses, drawn anew: what the browser can show becomes one of a known kind and size. */
const MOST_BYTES = 5_000_000;

type PictureSize = {
  /** Of the longer side. */
  pixels: number;
  /** With empty room at its short sides. */
  isSquare?: boolean;
  type?: "image/png" | "image/jpeg" | "image/webp";
};

/** As data URLs, in the order of the wishes; null if it is not a picture, or too large. */
export async function readPicture(file: File, sizes: readonly PictureSize[]): Promise<string[] | null> {
  if (file.size > MOST_BYTES) return null;
  try {
    const picture = await pictureOf(await dataUrlOf(file));
    return sizes.map((size) => drawn(picture, size));
  } catch {
    return null;
  }
}

function drawn(
  picture: HTMLImageElement,
  { pixels, isSquare = false, type = "image/png" }: PictureSize,
): string {
  // A vector picture may have no size.
  const [width, height] = [picture.naturalWidth || pixels, picture.naturalHeight || pixels];
  const scale = pixels / Math.max(width, height);
  const [w, h] = [width, height].map((side) => Math.max(1, Math.round(side * scale))) as [number, number];
  const canvas = isSquare ? canvasOf(pixels) : canvasOf(w, h);
  const on = canvas.getContext("2d")!;
  if (type === "image/jpeg") {
    on.fillStyle = "#ffffff";
    on.fillRect(0, 0, canvas.width, canvas.height);
  }
  on.drawImage(picture, (canvas.width - w) / 2, (canvas.height - h) / 2, w, h);
  return canvas.toDataURL(type, 0.85);
}

export function canvasOf(width: number, height = width): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  return canvas;
}

export async function pictureOf(url: string): Promise<HTMLImageElement> {
  const picture = new Image();
  picture.src = url;
  await picture.decode();
  return picture;
}

const dataUrlOf = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () => reject(new Error("unreadable")));
    reader.readAsDataURL(blob);
  });
