import { lazyRouteComponent as lazyRoute } from "@tanstack/react-router";
import { type ComponentType, lazy } from "react";
import { markOutdated, reachable } from "./connection.ts";

/** Waits for a server that is away. Rejects when it has the file no more: a new build replaced it. */
export async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    await reachable();
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
