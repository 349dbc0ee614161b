/** A PDF of one picture, as large as its page, for codes whose logo or frame only the browser knows. */
import { canvasOf, pictureOf } from "../../base/picture.ts";

const POINTS_PER_MM = 72 / 25.4;
/** More than 500 dots an inch up to 10 cm. */
const PIXELS = 2048;

/** @param mm its width */
export async function pdfOfPicture(svg: string, mm: number): Promise<Blob> {
  const picture = await pictureOf(`data:image/svg+xml,${encodeURIComponent(svg)}`);
  const ratio = picture.naturalHeight / picture.naturalWidth;
  const canvas = canvasOf(PIXELS, Math.round(PIXELS * ratio));
  const pen = canvas.getContext("2d")!;
  // Beyond the round corners of a frame.
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const jpeg = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.95));
  if (jpeg === null) throw new Error("no picture");
  const [width, height] = [mm * POINTS_PER_MM, mm * POINTS_PER_MM * ratio].map((side) => side.toFixed(3));
  const drawing = `${width} 0 0 ${height} 0 0 cm /P Do`;
  return fileOf([
    ["<</Type/Catalog/Pages 2 0 R>>"],
    ["<</Type/Pages/Kids[3 0 R]/Count 1>>"],
    [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Resources<</XObject<</P 5 0 R>>>>/Contents 4 0 R>>`,
    ],
    [`<</Length ${drawing.length}>>\nstream\n${drawing}\nendstream`],
    [
      `<</Type/XObject/Subtype/Image/Width ${canvas.width}/Height ${canvas.height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode/Length ${jpeg.size}>>\nstream\n`,
      jpeg,
      "\nendstream",
    ],
  ]);
}

/** Objects with the table of their places. Texts are ASCII, so that characters are bytes. */
function fileOf(objects: readonly (readonly (string | Blob)[])[]): Blob {
  const parts: (string | Blob)[] = ["%PDF-1.4\n"];
  const length = () =>
    parts.reduce((sum, part) => sum + (typeof part === "string" ? part.length : part.size), 0);
  let places = "0000000000 65535 f \n";
  for (const [at, object] of objects.entries()) {
    places += `${String(length()).padStart(10, "0")} 00000 n \n`;
    parts.push(`${at + 1} 0 obj\n`, ...object, "\nendobj\n");
  }
  const count = objects.length + 1;
  parts.push(
    `xref\n0 ${count}\n${places}trailer\n<</Size ${count}/Root 1 0 R>>\nstartxref\n${length()}\n%%EOF\n`,
  );
  return new Blob(parts, { type: "application/pdf" });
}
