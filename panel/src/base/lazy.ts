import { lazyRouteComponent as lazyRoute } from "@tanstack/react-router";
import { type ComponentType, lazy } from "react";
import { markOutdated, reachable } from "./connection.ts";

const triedAgain = new WeakSet<EventTarget>();
/** Resolves when the requested styles are there or have failed. */
let styles: Promise<unknown> = Promise.resolve();

// Vite requests a style sheet only once: a page would stay without one that failed.
document.addEventListener(
  "error",
  ({ target }) => {
    if (!(target instanceof HTMLLinkElement) || target.rel !== "stylesheet" || triedAgain.has(target)) return;
    styles = Promise.all([styles, styleAgain(target)]);
  },
  true,
);

async function styleAgain(broken: HTMLLinkElement): Promise<void> {
  await reachable();
  const link = broken.cloneNode() as HTMLLinkElement;
  triedAgain.add(link);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  link.addEventListener("load", () => resolve());
  link.addEventListener("error", reject);
  broken.replaceWith(link);
  await promise.catch(markOutdated);
}

/** Waits while the server is away. Rejects if the server no longer has the file: a new build replaced it. */
export async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    await reachable();
    await styles;
    return load();
  }
}

/** The router's own function reloads the page once when the file of a page is gone. */
export const lazyRouteComponent: typeof lazyRoute = (load, name) => lazyRoute(() => loaded(load), name);

/** A part of a page. Its place shows the failure if its file is gone. */
export const lazyOrFailure = <P extends object>(load: () => Promise<ComponentType<P>>) =>
  lazy(async () => ({ default: await loaded(load) }));

/** A part of a page. If its file is gone, it is left out, so that the page keeps what is typed; a bar says so. */
export const lazyPart = <P extends object>(load: () => Promise<ComponentType<P>>) =>
  lazy(async (): Promise<{ default: ComponentType<P> }> => {
    try {
      return { default: await loaded(load) };
    } catch {
      markOutdated();
      return { default: () => null };
    }
  });
