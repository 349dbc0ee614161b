import { lazyRouteComponent as lazyRoute } from "@tanstack/react-router";
import { type ComponentType, lazy } from "react";
import { markOutdated, reachable } from "./connection.ts";

const triedAgain = new WeakSet<EventTarget>();
/** What is asked for again is there, or given up. */
let styles: Promise<unknown> = Promise.resolve();

// Vite asks for a style sheet once: a page would stay without one that did not come.
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

/** Waits for a server that is away. Rejects when it has the file no more: a new build replaced it. */
export async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    await reachable();
    await styles;
    return load();
  }
}

/** The router's own reloads the page once, when one goes to a page whose file is gone. */
export const lazyRouteComponent: typeof lazyRoute = (load, name) => lazyRoute(() => loaded(load), name);

/** A part of a page. It stays away when its file is gone, so that the page keeps what is typed; a bar says so. */
export const lazyPart = <P extends object>(load: () => Promise<ComponentType<P>>) =>
  lazy(async (): Promise<{ default: ComponentType<P> }> => {
    try {
      return { default: await loaded(load) };
    } catch {
      markOutdated();
      return { default: () => null };
    }
  });
