/** A QR code drawn by the server. The logo is added here and never leaves the browser. */
import { responseOf, api } from "../../base/api.ts";
import { canvasOf, pictureOf, readPicture } from "../../base/picture.ts";
import type { LinkPlace } from "../../base/link-states.ts";
import { levelFor, type QrLook } from "./qr-look.ts";
import { pdfOfPicture } from "./qr-pdf.ts";

/** Share of the code's side. A third of the modules may be lost at level H; this hides a fifteenth. */
const LOGO_SHARE = 0.22;
const PAD_SHARE = 0.26;
const LOGO_PIXELS = 512;

type QrRequest = {
  place: LinkPlace;
  look: QrLook;
  logo: string | null;
  /** The short URL in capitals, where the domain ignores case. */
  caps?: boolean;
  signal?: AbortSignal;
};

const paramsFor = (
  { place: { code, domain }, look, logo, caps = false }: QrRequest,
  format: "svg" | "png" | "pdf",
) => ({
  path: { code },
  query: {
    format,
    size: look.size,
    mm: look.mm,
    margin: look.margin,
    dark: look.dark.replace("#", ""),
    light: look.light.replace("#", ""),
    ecc: levelFor(look, logo !== null),
    ...(caps && { caps: "true" as const }),
    ...(domain !== undefined && { domain }),
  },
});

export async function qrSvg(requested: QrRequest): Promise<string> {
  const { look, logo, signal } = requested;
  const params = paramsFor(requested, "svg");
  const svg = String(
    await responseOf(
      api.GET("/admin/v1/links/{code}/qr", { params, parseAs: "text", ...(signal && { signal }) }),
    ),
  );
  const side = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]);
  if (!(side > 0)) return svg;
  return framed(logo === null ? svg : svg.replace("</svg>", `${logoIn(side, look, logo)}</svg>`), side, look);
}

/** The picture in print. */
export const inMillimetres = (svg: string, mm: number): string =>
  svg.replace(/width="(\d+)" height="(\d+)"/, (_, width, height) => {
    const high = Math.round((mm * Number(height) * 1000) / Number(width)) / 1000;
    return `width="${mm}mm" height="${high}mm"`;
  });

/** Millimetres of the code in a picture, without its margin and frame. */
export function printedWidth(svg: string, { mm, margin }: QrLook): number | undefined {
  const widths = [...svg.matchAll(/viewBox="0 0 ([\d.]+)/g)].map(([, width]) => Number(width));
  const [whole, code] = [widths[0], widths.at(-1)];
  return whole && code ? Math.round((mm * (code - 2 * margin)) / whole) : undefined;
}

const drawnByServer = async (requested: QrRequest, format: "png" | "pdf"): Promise<Blob> =>
  (await responseOf(
    api.GET("/admin/v1/links/{code}/qr", { params: paramsFor(requested, format), parseAs: "blob" }),
  )) as unknown as Blob;

const isPlain = ({ look, logo }: QrRequest): boolean => logo === null && look.frame.trim() === "";

/** Shapes by the server, or a picture with what only the browser has. */
export const qrPdf = async (requested: QrRequest): Promise<Blob> =>
  isPlain(requested)
    ? drawnByServer(requested, "pdf")
    : pdfOfPicture(await qrSvg(requested), requested.look.mm);

export async function qrPng(requested: QrRequest): Promise<Blob> {
  const { look } = requested;
  if (isPlain(requested)) return drawnByServer(requested, "png");
  const svg = await qrSvg(requested);
  const picture = await pictureOf(`data:image/svg+xml,${encodeURIComponent(svg)}`);
  const height = Math.round((look.size * picture.naturalHeight) / picture.naturalWidth);
  const canvas = canvasOf(look.size, height);
  canvas.getContext("2d")!.drawImage(picture, 0, 0, look.size, height);
  return pngOf(canvas);
}

function logoIn(side: number, { margin, light }: QrLook, logo: string): string {
  const { pad, inner } = placesIn(side, margin);
  return `<rect x="${pad.at}" y="${pad.at}" width="${pad.side}" height="${pad.side}" rx="${pad.side / 8}" fill="${light}"/><image x="${inner.at}" y="${inner.at}" width="${inner.side}" height="${inner.side}" href="${logo}" shape-rendering="auto"/>`;
}

/** In a frame with its text, in the colours of the code, which have enough contrast. */
function framed(svg: string, side: number, { frame, size, dark, light }: QrLook): string {
  const text = frame.trim();
  if (text === "") return svg;
  const [edge, foot] = [side / 24, side / 5];
  const [width, height] = [side + 2 * edge, side + edge + foot];
  // Letters of East Asian scripts are as wide as high.
  const ems = [...text].reduce((sum, letter) => sum + (letter > "\u2e7f" ? 1.05 : 0.72), 0);
  const letters = Math.min(foot * 0.55, (width * 0.9) / ems);
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const inner = svg.replace(
    /width="\d+" height="\d+"/,
    `x="${edge}" y="${edge}" width="${side}" height="${side}"`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${size}" height="${Math.round((size * height) / width)}"><rect width="${width}" height="${height}" rx="${edge * 1.5}" fill="${dark}"/>${inner}<text x="${width / 2}" y="${side + edge + foot / 2}" dominant-baseline="central" text-anchor="middle" font-family="system-ui, sans-serif" font-weight="700" font-size="${letters}" fill="${light}">${escaped}</text></svg>`;
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
