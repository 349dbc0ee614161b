/** The panel as an app: its service worker (src/panel/web-app.ts), and the browser's offer to install it. */
import { useSyncExternalStore } from "react";
import { PANEL_PATH } from "./place.ts";

/** Chromium alone has it. */
type InstallOffer = Event & { prompt(): Promise<unknown> };

let offer: InstallOffer | null = null;
const listeners = new Set<() => void>();

function change(next: InstallOffer | null): void {
  offer = next;
  for (const listener of listeners) listener();
}

/** Call it once. A development server has no worker. */
export function becomeApp(): void {
  addEventListener("beforeinstallprompt", (event) => change(event as InstallOffer));
  addEventListener("appinstalled", () => change(null));
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const register = () =>
    void navigator.serviceWorker
      .register(`${PANEL_PATH}worker.js`, { updateViaCache: "none" })
      .catch(() => {});
  // After what the first page needs.
  if (document.readyState === "complete") register();
  else addEventListener("load", register);
}

/** Null while the browser offers nothing. */
export const useInstallOffer = (): InstallOffer | null =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => offer,
  );
