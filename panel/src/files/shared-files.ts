/** Files that another app gave to the panel: its service worker keeps them (src/panel/web-app.ts). */
import { PANEL_PATH } from "../base/place.ts";

const CACHE = "waymark-shared";
const MOST_FILES = 1000;

const addressOf = (at: number): string => `${PANEL_PATH}shared/${at}`;

export async function sharedFiles(count: number): Promise<File[]> {
  const files: File[] = [];
  for (let at = 0; at < Math.min(count, MOST_FILES); at++) {
    const found = await caches.match(addressOf(at), { cacheName: CACHE });
    if (found === undefined) continue;
    const blob = await found.blob();
    const name = decodeURIComponent(found.headers.get("X-Name") ?? "") || "file";
    files.push(new File([blob], name, { type: blob.type }));
  }
  return files;
}

export const forgetSharedFiles = (): Promise<boolean> => caches.delete(CACHE);
