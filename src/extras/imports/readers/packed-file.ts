/** Files that no reader can read as they are, by their first bytes. */
import { open } from "node:fs/promises";
import { appError } from "../../../lib/errors.ts";

const UTF_16 =
  "The file is in UTF-16. Save it as UTF-8, in PowerShell with: Get-Content FILE | Set-Content -Encoding utf8 NEW";
const KNOWN: readonly (readonly [begin: readonly number[], sentence: string])[] = [
  [[0x1f, 0x8b], "The file is compressed. Unpack it first: gunzip FILE"],
  [[0x28, 0xb5, 0x2f, 0xfd], "The file is compressed. Unpack it first: unzstd FILE"],
  [
    [0x50, 0x4b, 3, 4],
    "The file is a ZIP archive or an Excel workbook. Unpack it, or save the sheet as CSV (UTF-8).",
  ],
  [[0xff, 0xfe], UTF_16],
  [[0xfe, 0xff], UTF_16],
];

/** @throws BadRequest that says what to do */
export async function refusePacked(path: string): Promise<void> {
  const file = await open(path, "r").catch(() => null);
  if (file === null) return;
  try {
    if (!(await file.stat()).isFile()) return;
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4);
    for (const [begin, sentence] of KNOWN)
      if (begin.every((byte, at) => buffer[at] === byte)) throw appError("BadRequest", sentence);
  } finally {
    await file.close();
  }
}
