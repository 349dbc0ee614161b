/** PDF files made by hand, and what our viewer draws of them. */
import type { Frame } from "playwright-core";

type Entries = {
  catalog?: string;
  page?: string;
  content?: string;
  pages?: number;
  more?: readonly string[];
};

/** Objects from 5 on are `more`. Without a table of places: readers build it. */
export function pdfOf({ catalog = "", page = "", content = "", more = [] }: Entries): string {
  const objects = [
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R${page}>>`,
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    ...more,
  ];
  const body = objects.map((text, at) => `${at + 1} 0 obj\n${text}\nendobj`).join("\n");
  return `%PDF-1.7\n${body}\ntrailer\n<</Root 1 0 R/Size ${objects.length + 1}>>\n%%EOF\n`;
}

export const RED = "1 0 0 rg 0 0 200 200 re f";

/** Red, green and blue of the middle of the first page, once it is drawn. */
export async function middleOf(frame: Frame): Promise<number[]> {
  await frame.locator("canvas").first().waitFor();
  return frame.evaluate(() => {
    const canvas = document.querySelector("canvas")!;
    const { data } = canvas.getContext("2d")!.getImageData(canvas.width / 2, canvas.height / 2, 1, 1);
    return [...data.subarray(0, 3)];
  });
}
