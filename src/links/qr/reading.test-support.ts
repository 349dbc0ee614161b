/** Test support: reads QR codes with other libraries than the one that draws them. */
import { readFileSync } from "node:fs";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import jsQR from "jsqr";
import { PNG } from "pngjs";

await initWasm(readFileSync(new URL(import.meta.resolve("@resvg/resvg-wasm/index_bg.wasm"))));

export type Pixels = { width: number; height: number; data: Uint8Array };

export const pixelsOfPng = (bytes: Uint8Array): Pixels => PNG.sync.read(Buffer.from(bytes));

export function pixelsOfSvg(bytes: Uint8Array): Pixels {
  const drawn = new Resvg(new TextDecoder().decode(bytes)).render();
  return { width: drawn.width, height: drawn.height, data: drawn.pixels };
}

/** The text of the code; null if a scanner finds none. */
export const scan = ({ width, height, data }: Pixels): string | null =>
  jsQR(new Uint8ClampedArray(data), width, height, { inversionAttempts: "dontInvert" })?.data ?? null;
