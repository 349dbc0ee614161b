/**
 * A QR code as a PDF of one page that is as large as the picture, so that a printer keeps its millimetres. The modules
 * are shapes, not pixels. ISO 32000-1: objects, a table of their places, a trailer.
 */
const POINTS_PER_MM = 72 / 25.4;
const ENCODER = new TextEncoder();

/** Colours: parts of red, green and blue, 0 to 255. */
type PdfLook = { mm: number; dark: readonly number[]; light: readonly number[] };

/** @param rows where the runs of dark modules of each row begin, and their lengths */
export function pdfOf(
  rows: readonly (readonly (readonly [start: number, length: number])[])[],
  { mm, dark, light }: PdfLook,
): Uint8Array<ArrayBuffer> {
  const side = (mm * POINTS_PER_MM).toFixed(3);
  const scale = ((mm * POINTS_PER_MM) / rows.length).toFixed(6);
  const squares = rows.flatMap((runs, y) => runs.map(([x, length]) => `${x} ${y} ${length} 1 re`));
  // The origin of a page is below, that of the rows above.
  const drawing = [
    `${fill(light)} 0 0 ${side} ${side} re f`,
    `${scale} 0 0 -${scale} 0 ${side} cm`,
    fill(dark),
    ...squares,
    "f",
  ].join("\n");
  return fileOf([
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${side} ${side}]/Resources<<>>/Contents 4 0 R>>`,
    `<</Length ${drawing.length}>>\nstream\n${drawing}\nendstream`,
  ]);
}

const fill = (colour: readonly number[]): string =>
  `${colour.map((part) => (part / 255).toFixed(4)).join(" ")} rg`;

/** All texts are ASCII, so that characters are bytes. */
function fileOf(objects: readonly string[]): Uint8Array<ArrayBuffer> {
  let text = "%PDF-1.4\n";
  const places = objects.map((object, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const count = objects.length + 1;
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${places.join("")}`;
  return ENCODER.encode(
    `${text}${table}trailer\n<</Size ${count}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`,
  );
}
