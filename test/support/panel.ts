/** A browser for the panel: Debian's Chromium, driven by Playwright. */
import { type Browser, chromium } from "playwright-core";
import { CHROMIUM } from "./chromium.ts";

const OPTIONS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const startPanelBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM!, args: OPTIONS });
