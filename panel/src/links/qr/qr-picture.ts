/** A QR code drawn by the server. The logo is added here and never leaves the browser. */
import { answerOf, api } from "../../base/api.ts";
import { canvasOf, dataUrlOf, pictureOf, readPicture } from "../../base/picture.ts";
import type { LinkPlace } from "../../base/link-states.ts";
import { levelFor, type QrLook } from "./qr-look.ts";

/** Share of the code's side. A third of the modules may be lost at level H; this hides a fifteenth. */
const LOGO_SHARE = 0.22;
const PAD_SHARE = 0.26;
const LOGO_PIXELS = 512;

type Wanted = { place: LinkPlace; look: QrLook; logo: string | null; signal?: AbortSignal };

const asked = ({ place: { code, domain }, look, logo }: Wanted, format: "svg" | "png") => ({
  path: { code },
  query: {
    format,
    size: look.size,
    margin: look.margin,
    dark: look.dark.replace("#", ""),
    light: look.light.replace("#", ""),
    ecc: levelFor(look, logo !== null),
    ...(domain !== undefined && { domain }),
  },
});

export async function qrSvg(wanted: Wanted): Promise<string> {
  const { look, logo, signal } = wanted;
  const params = asked(wanted, "svg");
  const svg = String(
    await answerOf(
      api.GET("/admin/v1/links/{code}/qr", { params, parseAs: "text", ...(signal && { signal }) }),
    ),
  );
  const side = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]);
  if (logo === null || !(side > 0)) return svg;
  const { pad, inner } = placesIn(side, look.margin);
  const over = `<rect x="${pad.at}" y="${pad.at}" width="${pad.side}" height="${pad.side}" rx="${pad.side / 8}" fill="${look.light}"/><image x="${inner.at}" y="${inner.at}" width="${inner.side}" height="${inner.side}" href="${logo}" shape-rendering="auto"/>`;
  return svg.replace("</svg>", `${over}</svg>`);
}

export async function qrPng(wanted: Wanted): Promise<Blob> {
  const { look, logo } = wanted;
  const params = asked(wanted, "png");
  const png = (await answerOf(
    api.GET("/admin/v1/links/{code}/qr", { params, parseAs: "blob" }),
  )) as unknown as Blob;
  if (logo === null) return png;
  const [code, mark] = await Promise.all([pictureOf(await dataUrlOf(png)), pictureOf(logo)]);
  const canvas = canvasOf(look.size);
  const on = canvas.getContext("2d")!;
  on.drawImage(code, 0, 0);
  // As large as in the SVG, which has the number of modules.
  const side = Number(
    /viewBox="0 0 (\d+)/.exec(await qrSvg({ ...wanted, logo: null, look: { ...look, ecc: "H" } }))?.[1],
  );
  const { pad, inner } = placesIn(look.size, (look.margin / side) * look.size);
  on.fillStyle = look.light;
  on.beginPath();
  on.roundRect(pad.at, pad.at, pad.side, pad.side, pad.side / 8);
  on.fill();
  on.drawImage(mark, inner.at, inner.at, inner.side, inner.side);
  return pngOf(canvas);
}

function placesIn(side: number, margin: number) {
  const room = side - 2 * margin;
  const middle = (share: number) => ({ at: (side - room * share) / 2, side: room * share });
  return { pad: middle(PAD_SHARE), inner: middle(LOGO_SHARE) };
}

/** A square PNG as a data URL; null if it is not a picture, or too large. */
export const readLogo = async (file: File): Promise<string | null> =>
  (await readPicture(file, [{ pixels: LOGO_PIXELS, isSquare: true }]))?.[0] ?? null;

const pngOf = (canvas: HTMLCanvasElement): Promise<Blob> =>
  new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
  );
